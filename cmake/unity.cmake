# Read after project() by the presets that build once to run (CMAKE_PROJECT_rooflens_INCLUDE): the
# files of a layer are compiled together, half of the work, since most of a small file's compile
# time is the headers it includes. `make run` in .ci/run sees to it that this keeps working.
option(ROOFLENS_UNITY "compile the files of a layer together" ON)
if(NOT ROOFLENS_UNITY)
  set(CMAKE_UNITY_BUILD OFF)
  return()
endif()
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

# Files whose private names clash with those of a neighbour. Giving the helper one home is better
# than a line here.
function(rooflens_apart target folder)
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  set_source_files_properties(${files} TARGET_DIRECTORY ${target}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
function(rooflens_unity)
  rooflens_apart(rooflens_readers rooflens/readers hf_modules.cpp)
  rooflens_apart(rooflens_render rooflens/render report_text.cpp)
endfunction()
cmake_language(DEFER CALL rooflens_unity)

# rooflens_layer(NAME [PURE] SOURCES ... DEPENDS layer ... [LIBRARIES ...])
#
# One library per layer. A layer's headers are reached through a folder of its own that holds
# nothing but a link to them, so `#include "rooflens/<layer>/x.h"` compiles only in targets that
# link that layer: a wrong include fails. PURE layers compile without exceptions.
function(rooflens_layer name)
  cmake_parse_arguments(L "PURE" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(view ${CMAKE_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${view}/rooflens)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/rooflens/${name} ${view}/rooflens/${name} SYMBOLIC)
  add_library(rooflens_${name} STATIC ${L_SOURCES})
  add_library(rooflens::${name} ALIAS rooflens_${name})
  target_include_directories(rooflens_${name} PUBLIC ${view})
  target_link_libraries(rooflens_${name} PRIVATE rooflens_options)
  foreach(dep IN LISTS L_DEPENDS)
    target_link_libraries(rooflens_${name} PUBLIC rooflens::${dep})
  endforeach()
  target_link_libraries(rooflens_${name} PUBLIC ${L_LIBRARIES})
  if(L_PURE)
    target_compile_options(rooflens_${name} PRIVATE -fno-exceptions)
  endif()
endfunction()

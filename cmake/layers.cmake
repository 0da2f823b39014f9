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
  rooflens_precompile(rooflens_${name})
endfunction()

# The standard headers nearly every file includes, compiled once: a third of the build's time. Files
# still include what they use; the builds without this (wasm, tidy: ROOFLENS_PCH OFF) see to it.
option(ROOFLENS_PCH "precompile the standard headers" ON)
function(rooflens_precompile target)
  if(NOT ROOFLENS_PCH)
    return()
  endif()
  if(TARGET rooflens_core AND NOT target STREQUAL "rooflens_core" AND NOT target MATCHES "cli$")
    target_precompile_headers(${target} REUSE_FROM rooflens_core)
  else()
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstdint> <functional> <limits> <optional> <span> <string>
      <string_view> <tuple> <utility> <variant> <vector> <tl/expected.hpp>)
  endif()
endfunction()

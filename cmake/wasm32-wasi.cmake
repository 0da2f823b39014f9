# clang-19 with Debian's WASI C and C++ libraries. No exceptions, no threads, no files.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-stdlib=libc++ -fno-exceptions -fno-rtti")
# A reactor: the host calls _initialize() once, then the exports.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-mexec-model=reactor")
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The header-only libraries live in /usr/include, which must not be on the include path: the host's
# C library would hide WASI's. Each is linked into a folder of its own, with a package file that
# stands in for the host's.
function(rooflens_host_headers package target folder)
  set(prefix ${CMAKE_BINARY_DIR}/host-headers/${package})
  if(NOT EXISTS ${prefix}/include/${folder})
    find_path(at ${folder} PATHS /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
    if(NOT at)
      return()
    endif()
    file(MAKE_DIRECTORY ${prefix}/include)
    file(CREATE_LINK ${at}/${folder} ${prefix}/include/${folder} SYMBOLIC)
  endif()
  file(WRITE ${prefix}/${package}Config.cmake
    "if(NOT TARGET ${target})
  add_library(${target} INTERFACE IMPORTED)
  set_target_properties(${target} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES \"${prefix}/include\")
endif()
")
  file(WRITE ${prefix}/${package}ConfigVersion.cmake
    "set(PACKAGE_VERSION host)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
  set(${package}_DIR ${prefix} CACHE PATH "" FORCE)
endfunction()
rooflens_host_headers(tl-expected tl::expected tl)
rooflens_host_headers(nlohmann_json nlohmann_json::nlohmann_json nlohmann)

# Warnings and sanitizers for our own targets.
add_library(rooflens_options INTERFACE)
target_compile_options(rooflens_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Wno-sign-conversion
  -Wno-missing-field-initializers)  # designated initialisers name what they set
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside an inlined std::string; the sanitizers watch the bounds.
  target_compile_options(rooflens_options INTERFACE -Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(ROOFLENS_WERROR)
  target_compile_options(rooflens_options INTERFACE -Werror)
endif()
if(ROOFLENS_SANITIZE)
  target_compile_options(rooflens_options INTERFACE
    -fsanitize=${ROOFLENS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)  # GCC loses track among the checks it inserts
  target_link_options(rooflens_options INTERFACE -fsanitize=${ROOFLENS_SANITIZE})
endif()

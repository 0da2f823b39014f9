# Warnings and sanitizers for our own targets.
add_library(rooflens_options INTERFACE)
target_compile_options(rooflens_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Wno-sign-conversion
  -Wno-missing-field-initializers)  # designated initialisers name what they set
if(ROOFLENS_WERROR)
  target_compile_options(rooflens_options INTERFACE -Werror)
endif()
if(ROOFLENS_SANITIZE)
  target_compile_options(rooflens_options INTERFACE
    -fsanitize=${ROOFLENS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(rooflens_options INTERFACE -fsanitize=${ROOFLENS_SANITIZE})
endif()

# rooflens_embed(OUT_VAR SYMBOL FILE): a generated source that holds FILE as
# `extern const std::string_view rooflens::embedded::SYMBOL`.
set(ROOFLENS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_file.cmake)
function(rooflens_embed out symbol file)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DIN=${file} -DOUT=${generated} -DSYMBOL=${symbol}
            -P ${ROOFLENS_EMBED_SCRIPT}
    DEPENDS ${file} ${ROOFLENS_EMBED_SCRIPT}
    VERBATIM)
  set(${out} ${generated} PARENT_SCOPE)
endfunction()

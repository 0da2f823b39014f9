# Run by cmake -P: writes FILE as an array of bytes.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "#include <string_view>
namespace rooflens::embedded {
namespace {
constexpr unsigned char ${SYMBOL}_bytes[] = {${bytes}0};
}
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(${SYMBOL}_bytes), sizeof(${SYMBOL}_bytes) - 1};
}
")

/* The door between the command and librooflens_yaml: YAML in, the same as JSON out, every value in
   the line it had. Plain C, so that the two need not agree on a C++ library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Changes with every change below; the command refuses a module of another number. */
#define ROOFLENS_YAML_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the next bytes of the JSON. */
typedef void (*RooflensYamlSink)(void* where, const char* bytes, size_t count);

/* Documents of a stream follow each other. Numbers, true, false and null in the plain style are
   JSON's own, everything else is a string. NULL when all went well, else what went wrong and in
   which line (valid until the next call). */
typedef const char* (*RooflensYamlToJson)(const char* text, size_t size, RooflensYamlSink sink,
                                          void* where);

/* The symbols a module has. */
#define ROOFLENS_YAML_TO_JSON "rooflens_yaml_to_json"         /* RooflensYamlToJson */
#define ROOFLENS_YAML_VERSION_SYMBOL "rooflens_yaml_version" /* int32_t */

#ifdef __cplusplus
}
#endif

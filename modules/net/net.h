/* The door between the command and librooflens_net: one file over HTTP or HTTPS at a time, with
   every bound told by the caller. Plain C, so that the two need not agree on a C++ library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Changes with every change below; the command refuses a module of another number. */
#define ROOFLENS_NET_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

enum RooflensNetFailure {
  kRooflensNetDone = 0, /* an answer came; `status` tells which */
  kRooflensNetBadUrl = 1,
  kRooflensNetNoHost = 2,       /* the name of the host is not known: mistyped, or no network */
  kRooflensNetNoProxy = 3,      /* the same of the proxy */
  kRooflensNetNoConnection = 4, /* nobody answers there */
  kRooflensNetConnectTime = 5,  /* connecting took too long */
  kRooflensNetStalled = 6,      /* connected, but next to nothing came for `stall_ms` */
  kRooflensNetTotalTime = 7,
  kRooflensNetTls = 8,
  kRooflensNetCertificate = 9,
  kRooflensNetCut = 10, /* the connection ended before the answer did */
  kRooflensNetTooLarge = 11,
  kRooflensNetTooManyRedirects = 12,
  kRooflensNetBadRedirect = 13, /* from https to http, or to something else again */
  kRooflensNetEncoding = 14,    /* what came compressed cannot be unpacked */
  kRooflensNetOther = 15
};

/* Strings are never NULL; "" = none. Nothing is read from the environment. */
struct RooflensNetRequest {
  const char* url;
  const char*
      token; /* a bearer token; goes to the scheme, host and port of `url` and nowhere else */
  const char* http_proxy;
  const char* https_proxy;
  const char* no_proxy;
  const char* ca_file; /* certificates to trust instead of the system's */
  const char* user_agent;
  int64_t connect_ms, stall_ms, total_ms; /* `total_ms` includes redirects */
  uint64_t most_bytes;                    /* of the answer, unpacked */
  int32_t most_redirects;
};

/* The strings are valid until the next call with the same session. */
struct RooflensNetReply {
  int32_t failure;  /* RooflensNetFailure */
  int32_t status;   /* of HTTP; 0 = none */
  const char* text; /* the failure in words */
  const char* url;  /* where the last answer came from, or was sought */
  const char* body;
  size_t size;
};

/* A session keeps its connection from one file to the next. NULL when there is no memory. */
typedef void* (*RooflensNetOpen)(void);
typedef void (*RooflensNetGet)(void* session, const struct RooflensNetRequest* request,
                               struct RooflensNetReply* reply);
/* A header of the last answer, its name in small letters; "" = none. With `own` not 0, as the host
   first asked gave it, which a redirect may have hidden. */
typedef const char* (*RooflensNetHeader)(void* session, const char* name, int32_t own);
typedef void (*RooflensNetClose)(void* session);

/* The symbols a module has. */
#define ROOFLENS_NET_OPEN "rooflens_net_open"
#define ROOFLENS_NET_GET "rooflens_net_get"
#define ROOFLENS_NET_HEADER "rooflens_net_header"
#define ROOFLENS_NET_CLOSE "rooflens_net_close"
#define ROOFLENS_NET_VERSION_SYMBOL "rooflens_net_version" /* int32_t */

#ifdef __cplusplus
}
#endif

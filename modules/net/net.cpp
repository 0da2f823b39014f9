// librooflens_net: files over HTTP and HTTPS by libcurl.
#include "modules/net/net.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostHeaderBytes = 256U << 10;
constexpr std::size_t kMostErrorPage = 64U << 10;  // what is read of an answer nobody wants
constexpr long kSlowest = 64;                      // bytes/s; less counts as stalled

std::string small(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return out;
}

// "https://host:443", the port always told; empty for what is no URL or neither http nor https.
std::string origin_of(const char* url) {
  CURLU* parts = curl_url();
  if (parts == nullptr) return {};
  std::string origin;
  if (curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK) {
    const auto part = [&](CURLUPart which, unsigned flags) {
      char* text = nullptr;
      std::string value;
      if (curl_url_get(parts, which, &text, flags) == CURLUE_OK) value = small(text);
      curl_free(text);
      return value;
    };
    const std::string scheme = part(CURLUPART_SCHEME, 0);
    if (scheme == "http" || scheme == "https") {
      origin =
          scheme + "://" + part(CURLUPART_HOST, 0) + ":" + part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
    }
  }
  curl_url_cleanup(parts);
  return origin;
}

bool is_https(std::string_view origin) { return origin.substr(0, 8) == "https://"; }

struct Session {
  CURL* curl = nullptr;
  char error[CURL_ERROR_SIZE] = {};
  std::string url, text, body;
  std::map<std::string, std::string, std::less<>> last, own;

  // of the answer that is coming in
  std::size_t header_bytes = 0, most = 0;
  bool endless_headers = false, too_large = false, enough = false;

  [[nodiscard]] long status() const {
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
  }
};

std::size_t take_header(char* data, std::size_t one, std::size_t count, void* where) {
  auto& s = *static_cast<Session*>(where);
  const std::string_view line(data, one * count);
  s.header_bytes += line.size();
  if (s.header_bytes > kMostHeaderBytes) {
    s.endless_headers = true;
    return 0;
  }
  if (line.substr(0, 5) == "HTTP/") s.last.clear();  // after "100 Continue" or a proxy's answer
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return line.size();
  std::string_view value = line.substr(colon + 1);
  const std::size_t first = value.find_first_not_of(" \t\r\n");
  value.remove_prefix(std::min(first, value.size()));
  value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
  s.last[small(line.substr(0, colon))] = value;
  return line.size();
}

std::size_t take_body(char* data, std::size_t one, std::size_t count, void* where) {
  auto& s = *static_cast<Session*>(where);
  const std::size_t size = one * count;
  const long status = s.status();
  if (status < 200 || status > 299) {  // only its status is of use
    if (s.body.size() + size > kMostErrorPage) {
      s.enough = true;
      return 0;
    }
  } else if (size > s.most || s.body.size() > s.most - size) {
    s.too_large = true;
    return 0;
  }
  s.body.append(data, size);
  return size;
}

RooflensNetFailure failure_of(CURLcode code, const Session& s, std::int64_t left_ms) {
  long of_proxy = 0;
  curl_easy_getinfo(s.curl, CURLINFO_HTTP_CONNECTCODE, &of_proxy);
  if (code != CURLE_OK && of_proxy >= 300) return kRooflensNetNoConnection;
  switch (code) {
    case CURLE_OK:
      return kRooflensNetDone;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return kRooflensNetBadUrl;
    case CURLE_COULDNT_RESOLVE_HOST:
      return kRooflensNetNoHost;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return kRooflensNetNoProxy;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
      return kRooflensNetNoConnection;
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t ready = 0;  // connected, TLS included
      curl_easy_getinfo(s.curl, CURLINFO_PRETRANSFER_TIME_T, &ready);
      if (left_ms <= 0) return kRooflensNetTotalTime;
      return ready == 0 ? kRooflensNetConnectTime : kRooflensNetStalled;
    }
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return kRooflensNetCertificate;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CIPHER:
      return kRooflensNetTls;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return kRooflensNetCut;
    case CURLE_FILESIZE_EXCEEDED:
      return kRooflensNetTooLarge;
    case CURLE_BAD_CONTENT_ENCODING:
      return kRooflensNetEncoding;
    default:
      return kRooflensNetOther;
  }
}

void set_options(Session& s, const RooflensNetRequest& r, bool https, std::int64_t left_ms) {
  CURL* const c = s.curl;
  curl_easy_reset(c);  // keeps the connection
  curl_easy_setopt(c, CURLOPT_URL, s.url.c_str());
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(c, CURLOPT_ERRORBUFFER, s.error);
  curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);  // done here: the token stays at its host
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(c, CURLOPT_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
#endif
  curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(c, CURLOPT_USERAGENT, r.user_agent);
  curl_easy_setopt(c, CURLOPT_PROXY, https ? r.https_proxy : r.http_proxy);
  curl_easy_setopt(c, CURLOPT_NOPROXY, r.no_proxy);
  curl_easy_setopt(c, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (*r.ca_file != 0) curl_easy_setopt(c, CURLOPT_CAINFO, r.ca_file);
  curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(r.connect_ms));
  curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(left_ms, 1)));
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, kSlowest);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, static_cast<long>((r.stall_ms + 999) / 1000));
  curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(r.most_bytes));
  curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(c, CURLOPT_HEADERDATA, &s);
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, &s);
}

// One request without following where it leads.
RooflensNetFailure one_request(Session& s, const RooflensNetRequest& r, const std::string& origin,
                               bool with_token, Clock::time_point end) {
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  };
  s.body.clear();
  s.last.clear();
  s.header_bytes = 0;
  s.most = r.most_bytes;
  s.endless_headers = s.too_large = s.enough = false;
  s.error[0] = 0;
  set_options(s, r, is_https(origin), left());
  curl_slist* headers = nullptr;
  if (with_token) {
    headers = curl_slist_append(nullptr, ("Authorization: Bearer " + std::string(r.token)).c_str());
    curl_easy_setopt(s.curl, CURLOPT_HTTPHEADER, headers);
  }
  const CURLcode code = curl_easy_perform(s.curl);
  RooflensNetFailure failure = failure_of(code, s, left());
  s.text = s.error[0] != 0 ? s.error : curl_easy_strerror(code);
  if (s.endless_headers) {
    failure = kRooflensNetTooLarge;
    s.text = "more than 256 KiB of headers";
  } else if (s.too_large) {
    failure = kRooflensNetTooLarge;
    s.text = "more than " + std::to_string(r.most_bytes) + " bytes";
  } else if (s.enough || (failure == kRooflensNetTooLarge && s.status() > 299)) {
    failure = kRooflensNetDone;
  }
  curl_easy_setopt(s.curl, CURLOPT_HTTPHEADER, nullptr);
  curl_slist_free_all(headers);
  return failure;
}

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

RooflensNetFailure get(Session& s, const RooflensNetRequest& r) {
  const auto end = Clock::now() + std::chrono::milliseconds(r.total_ms);
  const std::string home = origin_of(r.url);
  std::string here = home;
  s.url = r.url;
  s.own.clear();
  if (home.empty()) {
    s.text = "neither an http nor an https URL";
    return kRooflensNetBadUrl;
  }
  for (int hop = 0;; ++hop) {
    const bool at_home = here == home;
    if (auto f = one_request(s, r, here, at_home && *r.token != 0, end); f != kRooflensNetDone) {
      return f;
    }
    if (at_home) {
      for (const auto& [name, value] : s.last) s.own[name] = value;
    }
    char* next = nullptr;
    curl_easy_getinfo(s.curl, CURLINFO_REDIRECT_URL, &next);
    if (!is_redirect(s.status()) || next == nullptr) return kRooflensNetDone;
    const std::string there = origin_of(next);
    if (there.empty() || (is_https(here) && !is_https(there))) {
      s.text = next;
      return kRooflensNetBadRedirect;
    }
    if (hop >= r.most_redirects) {
      s.text = "sent on more than " + std::to_string(r.most_redirects) + " times";
      return kRooflensNetTooManyRedirects;
    }
    s.url = next;
    here = there;
  }
}

}  // namespace

#define ROOFLENS_EXPORT extern "C" __attribute__((visibility("default")))

ROOFLENS_EXPORT const std::int32_t rooflens_net_version;
const std::int32_t rooflens_net_version = ROOFLENS_NET_VERSION;

ROOFLENS_EXPORT void* rooflens_net_open() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (!ready) return nullptr;
  auto* s = new Session;
  s->curl = curl_easy_init();
  if (s->curl != nullptr) return s;
  delete s;
  return nullptr;
}

ROOFLENS_EXPORT void rooflens_net_get(void* session, const RooflensNetRequest* request,
                                      RooflensNetReply* reply) {
  auto& s = *static_cast<Session*>(session);
  const RooflensNetFailure failure = get(s, *request);
  *reply = {failure,        static_cast<std::int32_t>(s.status()),
            s.text.c_str(), s.url.c_str(),
            s.body.data(),  s.body.size()};
}

ROOFLENS_EXPORT const char* rooflens_net_header(void* session, const char* name, std::int32_t own) {
  const auto& s = *static_cast<Session*>(session);
  const auto& headers = own != 0 ? s.own : s.last;
  const auto it = headers.find(std::string_view(name));
  return it == headers.end() ? "" : it->second.c_str();
}

ROOFLENS_EXPORT void rooflens_net_close(void* session) {
  auto* s = static_cast<Session*>(session);
  curl_easy_cleanup(s->curl);
  delete s;
}

#include "cli/hub_net.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/hub_cache.h"
#include "cli/hub_trouble.h"
#include "cli/optional_module.h"
#include "cli/version.h"
#include "modules/net/net.h"

namespace rooflens::cli {
namespace {

constexpr std::size_t kMostToken = 4096;
constexpr int kMostRedirects = 5;
constexpr std::int64_t kPatienceSeconds = 10;  // HF_HUB_DOWNLOAD_TIMEOUT
constexpr std::int64_t kTotalFactor = 12;

std::string variable_of(const Io& io, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = variable(io, name); !value.empty()) return value;
  }
  return {};
}

bool plain_word(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool begins(std::string_view s, std::string_view with) { return s.substr(0, with.size()) == with; }

// Nobody listens on the way to this machine itself.
bool is_loopback(std::string_view endpoint) {
  std::string_view host = endpoint.substr(endpoint.find("//") + 2);
  host = host.substr(0, host.find('/'));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  if (begins(host, "[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host == "127.0.0.1";
}

Result<void> find_token(Hub& hub, const Io& io) {
  std::string token;
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    token = variable_of(io, {name});
    hub.token_from = name;
    if (!token.empty()) break;
  }
  if (token.empty()) {
    const std::string home = hub_home(io);
    hub.token_from = variable_of(io, {"HF_TOKEN_PATH"});
    if (hub.token_from.empty() && !home.empty()) hub.token_from = home + "/token";
    if (io.files->kind(hub.token_from) == FileKind::file) {
      token = io.files->read(hub.token_from, kMostToken).value_or("");
    }
  }
  const std::size_t first = token.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  token = token.substr(first, token.find_last_not_of(" \t\r\n") + 1 - first);
  if (!plain_word(token)) {
    return fail(ErrorCode::invalid, "the token holds characters no token has", hub.token_from,
                "copy it again");
  }
  if (begins(hub.endpoint, "http://") && !is_loopback(hub.endpoint)) {
    hub.token_withheld = "the token of " + hub.token_from + " is not sent over plain http";
    return {};
  }
  hub.token = token;
  return {};
}

// An etag as a file's name in the cache: without W/, quotes and what a compressing server adds.
std::string blob_name(std::string_view etag) {
  if (begins(etag, "W/")) etag.remove_prefix(2);
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
    etag = etag.substr(1, etag.size() - 2);
  }
  for (std::string_view tail : {"-gzip", ";gzip"}) {
    if (etag.size() > tail.size() && etag.substr(etag.size() - tail.size()) == tail) {
      etag.remove_suffix(tail.size());
    }
  }
  return looks_like_commit(etag) ? std::string(etag) : std::string();
}

std::string escaped(std::string_view revision) {
  std::string out;
  for (char c : revision) {
    if (c == '/') {
      out += "%2F";
    } else if (c == '+') {
      out += "%2B";
    } else if (c == '=') {
      out += "%3D";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Result<Hub> hub_of(const std::string& endpoint_option, const Io& io) {
  Hub hub;
  std::string where = "--endpoint";
  hub.endpoint = endpoint_option;
  if (hub.endpoint.empty()) {
    hub.endpoint = variable_of(io, {"HF_ENDPOINT"});
    where = "HF_ENDPOINT";
  }
  if (hub.endpoint.empty()) {
    return fail(ErrorCode::not_found, "--online does not know which hub to ask", {},
                "give its address: --endpoint https://HOST, or the variable HF_ENDPOINT; it is the "
                "start of the address of the model's page");
  }
  while (hub.endpoint.back() == '/' && hub.endpoint.size() > 1) hub.endpoint.pop_back();
  const std::size_t scheme = begins(hub.endpoint, "https://") ? 8 : 7;
  if ((scheme == 7 && !begins(hub.endpoint, "http://")) || hub.endpoint.size() <= scheme ||
      !plain_word(hub.endpoint) || hub.endpoint.find_first_of("?#") != std::string::npos) {
    return fail(ErrorCode::invalid, "not the address of a hub: " + shown_url(hub.endpoint), where,
                "as in https://HOST or http://HOST:PORT/PATH");
  }
  if (auto r = find_token(hub, io); !r) return Failure(std::move(r.error()));
  return hub;
}

std::string shown_url(std::string url) {
  const std::size_t start = url.find("://");
  if (start == std::string::npos) return url;
  const std::size_t end = std::min(url.find_first_of("/?#", start + 3), url.size());
  const std::size_t at = url.rfind('@', end);
  if (at != std::string::npos && at > start && at < end) url.erase(start + 3, at + 1 - start - 3);
  return url;
}

struct HubClient::Module {
  Hub hub;
  void* session = nullptr;
  RooflensNetGet get = nullptr;
  RooflensNetHeader header = nullptr;
  RooflensNetClose close = nullptr;
  std::string http_proxy, https_proxy, no_proxy, ca_file, agent;
  std::int64_t patience_ms = kPatienceSeconds * 1000;

  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() {
    if (session != nullptr) close(session);
  }

  // As curl reads them: HTTP_PROXY in capitals can be set by whoever sends a request to a CGI.
  void read_environment(const Io& io) {
    http_proxy = variable_of(io, {"http_proxy", "all_proxy", "ALL_PROXY"});
    https_proxy = variable_of(io, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
    no_proxy = variable_of(io, {"no_proxy", "NO_PROXY"});
    ca_file = variable_of(io, {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"});
    agent = "rooflens/" + std::string(kVersion);
    const std::string seconds = variable_of(io, {"HF_HUB_DOWNLOAD_TIMEOUT"});
    const long told = std::strtol(seconds.c_str(), nullptr, 10);
    if (told > 0 && told <= 3600) patience_ms = told * 1000;
  }
};

Result<HubClient> HubClient::open(Hub hub, const Io& io) {
  auto file = OptionalModule::open("net", "libcurl4-openssl-dev", io);
  if (!file) {
    Error e = std::move(file.error());
    e.message = "--online needs libcurl: " + e.message;
    return Failure(std::move(e));
  }
  const auto* version = static_cast<const std::int32_t*>(file->find(ROOFLENS_NET_VERSION_SYMBOL));
  const auto start = reinterpret_cast<RooflensNetOpen>(file->find(ROOFLENS_NET_OPEN));
  HubClient client;
  client.module_ = std::make_shared<Module>();
  Module& m = *client.module_;
  m.get = reinterpret_cast<RooflensNetGet>(file->find(ROOFLENS_NET_GET));
  m.header = reinterpret_cast<RooflensNetHeader>(file->find(ROOFLENS_NET_HEADER));
  m.close = reinterpret_cast<RooflensNetClose>(file->find(ROOFLENS_NET_CLOSE));
  if (version == nullptr || *version != ROOFLENS_NET_VERSION || start == nullptr ||
      m.get == nullptr || m.header == nullptr || m.close == nullptr) {
    return fail(ErrorCode::unsupported, "the module is of another version of rooflens",
                file->path(), "build or install the two together");
  }
  m.session = start();
  if (m.session == nullptr) {
    return fail(ErrorCode::unsupported, "libcurl does not start", file->path());
  }
  m.hub = std::move(hub);
  m.read_environment(io);
  return client;
}

Result<HubAnswer> HubClient::get(const HubId& id, const std::string& revision,
                                 const std::string& file, std::size_t most_bytes) const {
  Module& m = *module_;
  const std::string url =
      m.hub.endpoint + "/" + id.name + "/resolve/" + escaped(revision) + "/" + file;
  RooflensNetRequest request{};
  request.url = url.c_str();
  request.token = m.hub.token.c_str();
  request.http_proxy = m.http_proxy.c_str();
  request.https_proxy = m.https_proxy.c_str();
  request.no_proxy = m.no_proxy.c_str();
  request.ca_file = m.ca_file.c_str();
  request.user_agent = m.agent.c_str();
  request.connect_ms = request.stall_ms = m.patience_ms;
  request.total_ms = kTotalFactor * m.patience_ms;
  request.most_bytes = most_bytes;
  request.most_redirects = kMostRedirects;
  RooflensNetReply reply{};
  m.get(m.session, &request, &reply);

  Asked asked{.id = id, .revision = revision, .file = file, .hub = m.hub};
  asked.url = shown_url(url);
  asked.last_url = shown_url(reply.url);
  asked.patience_s = static_cast<double>(m.patience_ms) / 1000;
  asked.total_s = kTotalFactor * asked.patience_s;
  asked.most_bytes = most_bytes;
  if (reply.failure != kRooflensNetDone) return Failure(no_answer(asked, reply));
  asked.reason = m.header(m.session, "x-error-code", 0);
  asked.retry_after = m.header(m.session, "retry-after", 0);
  HubAnswer answer{.url = asked.url};
  if (reply.status == 404 && (asked.reason == "EntryNotFound" || asked.reason.empty())) {
    answer.absent = true;
    return answer;
  }
  if (reply.status != 200) return Failure(refused(asked, reply.status));
  answer.text.assign(reply.body, reply.size);
  if (auto page = web_page(asked, answer.text)) return Failure(std::move(*page));
  const std::string commit = m.header(m.session, "x-repo-commit", 1);
  if (looks_like_commit(commit) && commit.size() >= 40) answer.commit = commit;
  answer.etag = blob_name(m.header(m.session, "x-linked-etag", 1));
  if (answer.etag.empty()) answer.etag = blob_name(m.header(m.session, "etag", 0));
  return answer;
}

}  // namespace rooflens::cli

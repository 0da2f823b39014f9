#include "cli/hub_trouble.h"

#include "rooflens/render/format.h"

namespace rooflens::cli {
namespace {

std::string host_of(const std::string& url) {
  const std::size_t start = url.find("://");
  const std::size_t from = start == std::string::npos ? 0 : start + 3;
  return url.substr(from, url.find_first_of("/?#", from) - from);
}

Error trouble(const Asked& a, std::string message, std::string hint,
              ErrorCode code = ErrorCode::invalid) {
  std::string where = a.url;
  if (!a.last_url.empty() && a.last_url != a.url) where += " -> " + a.last_url;
  return {code, std::move(message), std::move(where), std::move(hint)};
}

std::string seconds_text(double s) { return format(s, Unit::seconds); }

std::string token_hint(const Asked& a) {
  if (!a.hub.token_withheld.empty()) return a.hub.token_withheld + "; use https";
  if (a.hub.token.empty()) {
    return "a private or gated model needs HF_TOKEN, a token of an account that may read it";
  }
  return "the token of " + a.hub.token_from + " was sent: check that its account may read it";
}

}  // namespace

Error no_answer(const Asked& a, const RooflensNetReply& reply) {
  const std::string host = host_of(a.last_url), said = reply.text;
  const std::string longer = "try again; HF_HUB_DOWNLOAD_TIMEOUT sets more seconds";
  switch (reply.failure) {
    case kRooflensNetBadUrl:
      return trouble(a, "not a URL: " + said, "check --endpoint or HF_ENDPOINT");
    case kRooflensNetNoHost:
      return trouble(a, "the host " + host + " is not found: no network, or mistyped",
                     "check the network and the address; without it, give a config.json");
    case kRooflensNetNoProxy:
      return trouble(a, "the proxy is not found: " + said, "check https_proxy and http_proxy");
    case kRooflensNetNoConnection:
      return trouble(a, "no connection to " + host + ": " + said,
                     "check the network, the address and the proxy variables");
    case kRooflensNetConnectTime:
      return trouble(a, "no connection to " + host + " within " + seconds_text(a.patience_s),
                     longer);
    case kRooflensNetStalled:
      return trouble(a, host + " sent next to nothing for " + seconds_text(a.patience_s), longer);
    case kRooflensNetTotalTime:
      return trouble(a, "not finished after " + seconds_text(a.total_s), longer);
    case kRooflensNetTls:
      return trouble(a, "no secure connection to " + host + ": " + said,
                     "something else than https may answer there; check the address and the proxy");
    case kRooflensNetCertificate:
      return trouble(a, "the certificate of " + host + " is not trusted: " + said,
                     "behind a proxy that opens TLS, name its certificates in REQUESTS_CA_BUNDLE");
    case kRooflensNetCut:
      return trouble(a, "the connection ended before the file did: " + said, "try again");
    case kRooflensNetTooLarge:
      return trouble(a, "the answer is too large for a " + a.file + ": " + said,
                     "check that the address is a hub's", ErrorCode::out_of_range);
    case kRooflensNetTooManyRedirects:
      return trouble(a, "sent on and on: " + said,
                     "check the address; a hub sends on once or twice");
    case kRooflensNetBadRedirect:
      return trouble(a, "sent on to where it is not safe to go: " + shown_url(said),
                     "an answer from https must stay there");
    case kRooflensNetEncoding:
      return trouble(a, "the compressed answer is damaged: " + said, "try again");
    default:
      return trouble(a, "the network failed: " + said, "try again, or give a config.json");
  }
}

Error refused(const Asked& a, int status) {
  const std::string code = " (" + std::to_string(status) + ")";
  if (a.reason == "GatedRepo" || (status == 403 && a.reason.empty())) {
    return trouble(a, a.id.name + " is gated, or not for this account" + code,
                   "accept its terms on its page; " + token_hint(a));
  }
  if (a.reason == "DisabledRepo") {
    return trouble(a, "the hub has disabled " + a.id.name + code, "give a config.json of it");
  }
  if (a.reason == "RevisionNotFound") {
    return trouble(a, a.id.name + " has no revision " + a.revision + code,
                   "name a branch, a tag or a commit, as in org/name@main", ErrorCode::not_found);
  }
  if (status == 404 || a.reason == "RepoNotFound") {
    return trouble(a, "the hub shows no repository " + a.id.name + code,
                   "check its spelling; " + token_hint(a), ErrorCode::not_found);
  }
  if (status == 401) {
    return trouble(a,
                   "the hub does not let " +
                       std::string(a.hub.token.empty() ? "strangers" : "this token") + " read " +
                       a.id.name + ", or there is no such repository" + code,
                   token_hint(a));
  }
  if (status == 403)
    return trouble(a, "access to " + a.id.name + " is refused" + code, token_hint(a));
  if (status == 407) {
    return trouble(a, "the proxy wants a name and a password" + code,
                   "put them in https_proxy, as in http://NAME:PASSWORD@HOST:PORT");
  }
  if (status == 429) {
    const bool number = !a.retry_after.empty() && a.retry_after.size() < 8 &&
                        a.retry_after.find_first_not_of("0123456789") == std::string::npos;
    return trouble(a, "the hub has had too many requests from here" + code,
                   number ? "try again in " + a.retry_after + " s"
                          : "try again later; with HF_TOKEN more requests are allowed");
  }
  if (status >= 500) {
    return trouble(a, "the hub has trouble of its own" + code, "try again later");
  }
  return trouble(a, "an answer that no hub gives" + code, "check --endpoint or HF_ENDPOINT");
}

Error absent(const HubId& id, const std::string& file, const std::string& url) {
  return {ErrorCode::not_found, "the hub has no " + file + " in " + id.text() + " (404)", url,
          "check the spelling; repositories of GGUF files and adapters have none: name the model "
          "they were made from"};
}

std::optional<Error> web_page(const Asked& a, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || text[first] != '<') return std::nullopt;
  return trouble(a,
                 "a web page came instead of " + a.file +
                     ": a login page, a captive portal or "
                     "a proxy's notice",
                 "open any page in a browser to log in to the network, or check --endpoint");
}

}  // namespace rooflens::cli

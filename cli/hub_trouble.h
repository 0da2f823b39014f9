// What a hub or the way to it can refuse, as errors with what helps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/hub_net.h"
#include "modules/net/net.h"

namespace rooflens::cli {

// A request, for messages.
struct Asked {
  const HubId& id;
  const std::string& revision;
  const std::string& file;
  const Hub& hub;
  std::string url, last_url;  // as asked, and after redirects; without passwords
  double patience_s = 0, total_s = 0;
  std::size_t most_bytes = 0;
  std::string reason, retry_after;  // headers of the answer
};

// The network failed.
[[nodiscard]] Error no_answer(const Asked& a, const RooflensNetReply& reply);

// An answer of another status than 200.
[[nodiscard]] Error refused(const Asked& a, int status);

// The repository or revision has no such file, or is not there.
[[nodiscard]] Error absent(const HubId& id, const std::string& file, const std::string& url);

// An answer that is a page for people: a login, a captive portal, a proxy's notice.
[[nodiscard]] std::optional<Error> web_page(const Asked& a, std::string_view text);

}  // namespace rooflens::cli

// The network, as far as models need it: a hub asked for one file after another by the module
// librooflens_net, and what can go wrong with that in words.
#pragma once

#include <memory>
#include <string>

#include "cli/hub_id.h"
#include "cli/io.h"

namespace rooflens::cli {

// Who is asked, and as whom.
struct Hub {
  std::string endpoint;        // "https://hub.example", no slash at its end
  std::string token;           // "" = as nobody
  std::string token_from;      // "HF_TOKEN", the path of a file
  std::string token_withheld;  // why there is a token that is not sent; "" = there is none
};

// From --endpoint (empty = not given), HF_ENDPOINT, HF_TOKEN and the token file.
[[nodiscard]] Result<Hub> hub_of(const std::string& endpoint_option, const Io& io);

// A URL without the user and password it may hold.
[[nodiscard]] std::string shown_url(std::string url);

struct HubAnswer {
  bool absent = false;  // 404, the repository being there
  std::string text;
  std::string commit, etag;  // as the hub gives them; "" = it does not
  std::string url;           // as asked, without a password
};

class HubClient {
 public:
  // Loads the module. Errors: not_found with the package to install, unsupported.
  [[nodiscard]] static Result<HubClient> open(Hub hub, const Io& io);

  // The file of the repository at that revision. Errors tell what happened and what helps.
  [[nodiscard]] Result<HubAnswer> get(const HubId& id, const std::string& revision,
                                      const std::string& file, std::size_t most_bytes) const;

 private:
  struct Module;
  HubClient() = default;
  std::shared_ptr<Module> module_;
};

}  // namespace rooflens::cli

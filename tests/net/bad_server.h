// A server on the loopback that answers as badly as a test wants, one connection after the other.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rooflens::cli {

struct Request {
  std::string path;  // as sent: with a proxy, the whole URL
  std::string head;  // all header lines

  // The value of a header; "" = none.
  [[nodiscard]] std::string header(const std::string& name) const;
};

// Bytes as they go over the wire; then the connection is closed.
struct Reply {
  std::string bytes;
  int pause_ms = 0;  // after every byte
  int hold_ms = 0;   // before closing
};

class BadServer {
 public:
  explicit BadServer(std::function<Reply(const Request&)> answer);
  ~BadServer();
  BadServer(const BadServer&) = delete;
  BadServer& operator=(const BadServer&) = delete;

  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:PORT"
  [[nodiscard]] std::vector<Request> seen() const;
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void serve();
  void talk(int fd);

  std::function<Reply(const Request&)> answer_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  mutable std::mutex lock_;
  std::vector<Request> seen_;
  std::thread thread_;
};

// "HTTP/1.1 <status>", the headers, Content-Length and the body.
[[nodiscard]] std::string http(const std::string& status, const std::string& body,
                               const std::vector<std::string>& headers = {});

// A file as a hub gives it, with a commit and an etag made of `digit`.
[[nodiscard]] Reply hub_file(const std::string& body, char digit = 'b');

[[nodiscard]] Reply hub_refusal(const std::string& status, const std::string& code);

// 404 EntryNotFound.
[[nodiscard]] Reply no_such_file();

}  // namespace rooflens::cli

#include "net/bad_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace rooflens::cli {
namespace {

std::string small(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return s;
}

}  // namespace

std::string Request::header(const std::string& name) const {
  const std::string wanted = "\r\n" + small(name) + ": ";
  const std::size_t at = small(head).find(wanted);
  if (at == std::string::npos) return {};
  const std::size_t start = at + wanted.size();
  return head.substr(start, head.find("\r\n", start) - start);
}

BadServer::BadServer(std::function<Reply(const Request&)> answer) : answer_(std::move(answer)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof at;
  if (bind(listener_, address, size) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, address, &size) != 0) {
    close(listener_);
    listener_ = -1;
    return;
  }
  port_ = ntohs(at.sin_port);
  thread_ = std::thread([this] { serve(); });
}

BadServer::~BadServer() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  if (listener_ >= 0) close(listener_);
}

std::string BadServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::vector<Request> BadServer::seen() const {
  const std::lock_guard<std::mutex> hold(lock_);
  return seen_;
}

void BadServer::serve() {
  while (!stop_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, 20) <= 0) continue;
    const int fd = accept(listener_, nullptr, nullptr);
    if (fd < 0) continue;
    ++connections_;
    talk(fd);
    shutdown(fd, SHUT_WR);
    close(fd);
  }
}

void BadServer::talk(int fd) {
  std::string text;
  char buffer[4096];
  while (text.find("\r\n\r\n") == std::string::npos && text.size() < 65536) {
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, 2000) <= 0) return;
    const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) return;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text[0] < 'A' || text[0] > 'Z') break;  // TLS: answered as any http server would
  }
  Request request;
  const std::size_t from = text.find(' ');
  if (from != std::string::npos) {
    request.path = text.substr(from + 1, text.find(' ', from + 1) - from - 1);
  }
  request.head = text;
  {
    const std::lock_guard<std::mutex> hold(lock_);
    seen_.push_back(request);
  }
  const Reply reply = answer_(request);
  std::string_view rest = reply.bytes;
  while (!rest.empty() && !stop_) {
    const std::size_t piece = reply.pause_ms > 0 ? 1 : rest.size();
    const ssize_t put = send(fd, rest.data(), piece, MSG_NOSIGNAL);
    if (put <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(put));
    std::this_thread::sleep_for(std::chrono::milliseconds(reply.pause_ms));
  }
  for (int waited = 0; waited < reply.hold_ms && !stop_; waited += 10) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string http(const std::string& status, const std::string& body,
                 const std::vector<std::string>& headers) {
  std::string text = "HTTP/1.1 " + status + "\r\nConnection: close\r\n";
  for (const std::string& h : headers) text += h + "\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Reply hub_file(const std::string& body, char digit) {
  return {
      http("200 OK", body,
           {"X-Repo-Commit: " + std::string(40, 'a'), "ETag: \"" + std::string(40, digit) + "\""})};
}

Reply hub_refusal(const std::string& status, const std::string& code) {
  return {http(status, "no", {"X-Error-Code: " + code})};
}

Reply no_such_file() { return hub_refusal("404 Not Found", "EntryNotFound"); }

}  // namespace rooflens::cli

// --online against a hub on the loopback, mostly one that misbehaves.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>

#include "cli/command.h"
#include "net/bad_server.h"

namespace rooflens::cli {
namespace {

const std::string kTiny =
    R"({"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 4,
        "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 128,
        "intermediate_size": 2048, "vocab_size": 32000, "torch_dtype": "bfloat16",
        "tie_word_embeddings": false, "max_position_embeddings": 4096})";

bool wants(const Request& r, std::string_view file) {
  return r.path.size() >= file.size() && r.path.substr(r.path.size() - file.size()) == file;
}

// A hub that answers for config.json with this and has no other file.
std::function<Reply(const Request&)> config(Reply reply) {
  return [reply](const Request& r) { return wants(r, "/config.json") ? reply : no_such_file(); };
}

class HubOnline : public ::testing::Test {
 protected:
  void SetUp() override {
    modules_ = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "cli";
    if (!exists(modules_ + "/librooflens_net.so")) {
      GTEST_SKIP() << "the net module is not built: libcurl4-openssl-dev is missing";
    }
    world_.env["HF_HOME"] = cache_.path("hf");
    world_.env["ROOFLENS_MODULES"] = modules_;
    world_.env["HF_HUB_DOWNLOAD_TIMEOUT"] = "1";
  }

  Outcome online(const BadServer& server, const std::string& name = "acme/tiny") {
    world_.env["HF_ENDPOINT"] = server.url();
    return command({"model", name, "--online"}, world_);
  }

  // What the answer for config.json leads to: exit code 2, nothing kept, this said.
  void expect_refusal(const Reply& reply, const std::string& message) {
    BadServer server(config(reply));
    const Outcome o = online(server);
    EXPECT_EQ(o.code, 2) << message;
    EXPECT_NE(o.err.find(message), std::string::npos) << message << "\nbut:\n" << o.err;
    EXPECT_NE(o.err.find("hint: "), std::string::npos) << o.err;
    EXPECT_FALSE(exists(cache_.path("hf"))) << message;
  }

  Folder cache_;
  World world_;
  std::string modules_;
};

TEST_F(HubOnline, fetches_keeps_and_then_needs_no_network) {
  const std::string where = "hf/hub/models--acme--tiny/";
  {
    BadServer server(config(hub_file(kTiny)));
    world_.env["HF_TOKEN"] = "hf_secret";
    const Outcome o = online(server);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.err.find("fetched from http://127.0.0.1:"), std::string::npos) << o.err;
    EXPECT_EQ(server.seen().size(), 6U);
    EXPECT_EQ(server.seen().at(0).path, "/acme/tiny/resolve/main/config.json");
    EXPECT_EQ(server.seen().at(0).header("authorization"), "Bearer hf_secret");
    EXPECT_EQ(server.seen().at(1).path,
              "/acme/tiny/resolve/" + std::string(40, 'a') + "/hf_quant_config.json");
  }
  const std::string commit(40, 'a');
  EXPECT_EQ(content_of(cache_.path(where + "refs/main")), commit);
  EXPECT_EQ(content_of(cache_.path(where + "snapshots/" + commit + "/config.json")), kTiny);
  EXPECT_TRUE(
      std::filesystem::is_symlink(cache_.path(where + "snapshots/" + commit + "/config.json")));
  EXPECT_TRUE(exists(cache_.path(where + ".no_exist/" + commit + "/hf_quant_config.json")));
  for (const auto& f : std::filesystem::recursive_directory_iterator(cache_.path("hf"))) {
    EXPECT_NE(f.path().extension(), ".incomplete");
  }
  const Outcome again = command("model acme/tiny", world_);  // the server is gone
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("local Hugging Face cache, commit aaaaaaaaaaaa (main)"),
            std::string::npos)
      << again.err;
  EXPECT_EQ(again.err.find("a part of"), std::string::npos) << again.err;
}

TEST_F(HubOnline, side_files_are_read_and_kept) {
  BadServer server([](const Request& r) {
    if (wants(r, "/hf_quant_config.json")) {
      return hub_file(R"({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}})",
                      'c');
    }
    return wants(r, "/config.json") ? hub_file(kTiny) : no_such_file();
  });
  const Outcome o = online(server);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("fp8"), std::string::npos) << o.out;
  const Outcome again = command("model acme/tiny", world_);
  EXPECT_NE(again.out.find("fp8"), std::string::npos) << again.out;
}

TEST_F(HubOnline, without_the_option_nothing_is_opened) {
  BadServer server(config(hub_file(kTiny)));
  world_.env["HF_ENDPOINT"] = server.url();
  const Outcome o = command("acme/tiny --on h100-sxm", world_);
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("--online"), std::string::npos) << o.err;
  EXPECT_EQ(command("model Qwen/Qwen3-8B --online", world_).code, 0);  // built in
  world_.env["HF_HUB_OFFLINE"] = "1";
  const Outcome both = command("model acme/tiny --online", world_);
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("HF_HUB_OFFLINE"), std::string::npos) << both.err;
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(HubOnline, needs_an_address) {
  const Outcome none = command("model acme/tiny --online", world_);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("does not know which hub to ask"), std::string::npos) << none.err;
  const Outcome bad = command("model acme/tiny --online --endpoint ftp://x", world_);
  EXPECT_NE(bad.err.find("not the address of a hub"), std::string::npos) << bad.err;
  const Outcome alone = command("model acme/tiny --endpoint http://127.0.0.1:1", world_);
  EXPECT_NE(alone.err.find("without --online"), std::string::npos) << alone.err;
  const Outcome nobody = command("model acme/tiny --online --endpoint http://127.0.0.1:1", world_);
  EXPECT_NE(nobody.err.find("no connection to 127.0.0.1:1"), std::string::npos) << nobody.err;
}

TEST_F(HubOnline, a_missing_module_says_what_to_install) {
  world_.env["ROOFLENS_MODULES"] = cache_.folder("empty");
  const Outcome o = command("model acme/tiny --online --endpoint http://127.0.0.1:1", world_);
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("libcurl4-openssl-dev"), std::string::npos) << o.err;
}

TEST_F(HubOnline, refusals_of_a_hub) {
  expect_refusal(hub_refusal("401 Unauthorized", "GatedRepo"), "acme/tiny is gated");
  expect_refusal(hub_refusal("401 Unauthorized", "RepoNotFound"),
                 "the hub shows no repository acme/tiny (401)");
  expect_refusal({http("401 Unauthorized", "")}, "does not let strangers read acme/tiny");
  expect_refusal(hub_refusal("403 Forbidden", "GatedRepo"), "acme/tiny is gated");
  expect_refusal({http("403 Forbidden", "")}, "is gated, or not for this account (403)");
  expect_refusal(hub_refusal("404 Not Found", "RepoNotFound"),
                 "shows no repository acme/tiny (404)");
  expect_refusal(hub_refusal("404 Not Found", "RevisionNotFound"), "has no revision main (404)");
  expect_refusal(no_such_file(), "the hub has no config.json in acme/tiny (404)");
  expect_refusal({http("429 Too Many Requests", "", {"Retry-After: 17"})}, "try again in 17 s");
  expect_refusal({http("500 Internal Server Error", "<html>")}, "trouble of its own (500)");
  expect_refusal({http("503 Service Unavailable", "")}, "trouble of its own (503)");
  expect_refusal({http("418 Teapot", "")}, "an answer that no hub gives (418)");
}

TEST_F(HubOnline, answers_that_are_no_config) {
  expect_refusal(
      {http("200 OK", "<!DOCTYPE html><html>log in</html>", {"Content-Type: text/html"})},
      "a web page came instead of config.json");
  expect_refusal(hub_file("{\"hidden_size\": "), "the JSON ends too early");
  expect_refusal(hub_file("hello"), "not valid JSON");
  expect_refusal(hub_file(""), "the file is empty");
  expect_refusal({"SSH-2.0-OpenSSH\r\n"}, "hint: ");
}

TEST_F(HubOnline, a_wrong_content_type_does_not_matter) {
  BadServer server(config({http("200 OK", kTiny, {"Content-Type: image/png"})}));
  const Outcome o = online(server);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("not kept for the next time: the hub tells no commit or etag"),
            std::string::npos)
      << o.err;
}

TEST_F(HubOnline, too_large) {
  expect_refusal({"HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n{", 0, 100},
                 "too large for a config.json");
  expect_refusal({"HTTP/1.1 200 OK\r\n\r\n{" + std::string(std::size_t{33} << 20, ' ')},
                 "too large for a config.json");
  expect_refusal({"HTTP/1.1 200 OK\r\nX: " + std::string(std::size_t{1} << 20, 'x')}, "hint: ");
}

TEST_F(HubOnline, cut_and_slow) {
  expect_refusal({"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{\"model_type\""},
                 "the connection ended before the file did");
  expect_refusal({""}, "the connection ended before the file did");
  expect_refusal({"", 0, 4000}, "sent next to nothing for 1");
  expect_refusal({"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n" + std::string(300, ' '), 50},
                 "sent next to nothing for 1");
}

TEST_F(HubOnline, https_asked_of_something_else) {
  BadServer server(config({http("400 Bad Request", "")}));
  world_.env["HF_ENDPOINT"] = "https" + server.url().substr(4);
  const Outcome o = command("model acme/tiny --online", world_);
  EXPECT_NE(o.err.find("no secure connection to 127.0.0.1"), std::string::npos) << o.err;
}

TEST_F(HubOnline, the_token_stays_at_its_host) {
  BadServer other([](const Request&) { return hub_file(kTiny, 'e'); });
  BadServer server([&](const Request& r) {
    if (!wants(r, "/config.json")) return no_such_file();
    return Reply{
        http("302 Found", "",
             {"Location: " + other.url() + "/blob", "X-Repo-Commit: " + std::string(40, 'd'),
              "X-Linked-Etag: \"" + std::string(64, 'f') + "\""})};
  });
  world_.env["HF_TOKEN"] = "hf_secret";
  const Outcome o = online(server);
  EXPECT_EQ(o.code, 0) << o.err;
  ASSERT_EQ(other.seen().size(), 1U);
  EXPECT_EQ(other.seen()[0].head.find("hf_secret"), std::string::npos) << other.seen()[0].head;
  EXPECT_EQ(server.seen().at(0).header("authorization"), "Bearer hf_secret");
  // The commit and the etag are those the hub told, not those of the other host.
  EXPECT_TRUE(exists(cache_.path("hf/hub/models--acme--tiny/snapshots/" + std::string(40, 'd'))));
  EXPECT_TRUE(exists(cache_.path("hf/hub/models--acme--tiny/blobs/" + std::string(64, 'f'))));
  EXPECT_EQ(o.err.find("hf_secret"), std::string::npos);
}

TEST_F(HubOnline, a_redirect_at_the_same_host_keeps_the_token) {
  BadServer server([](const Request& r) {
    if (r.path == "/acme/tiny/resolve/main/config.json") {
      return Reply{http("307 Temporary Redirect", "", {"Location: /new/name/config.json"})};
    }
    return wants(r, "/config.json") ? hub_file(kTiny) : no_such_file();
  });
  world_.env["HF_TOKEN"] = "hf_secret";
  EXPECT_EQ(online(server).code, 0);
  EXPECT_EQ(server.seen().at(1).path, "/new/name/config.json");
  EXPECT_EQ(server.seen().at(1).header("authorization"), "Bearer hf_secret");
}

TEST_F(HubOnline, redirects_that_lead_nowhere) {
  expect_refusal({http("302 Found", "", {"Location: /again/config.json"})}, "sent on and on");
  expect_refusal({http("302 Found", "", {"Location: file:///etc/hostname"})},
                 "sent on to where it is not safe to go");
  expect_refusal({http("302 Found", "")}, "an answer that no hub gives (302)");
}

TEST_F(HubOnline, a_bad_index_is_left_out_with_a_note) {
  BadServer server([](const Request& r) {
    if (wants(r, "index.json")) return Reply{http("500 Oh", "")};
    return wants(r, "/config.json") ? hub_file(kTiny) : no_such_file();
  });
  const Outcome o = online(server);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("model.safetensors.index.json is not used"), std::string::npos) << o.err;
}

TEST_F(HubOnline, a_quantisation_file_that_cannot_be_had_is_an_error) {
  BadServer server([](const Request& r) {
    if (wants(r, "/hf_quant_config.json")) return Reply{http("500 Oh", "")};
    return wants(r, "/config.json") ? hub_file(kTiny) : no_such_file();
  });
  EXPECT_EQ(online(server).code, 2);
  EXPECT_FALSE(exists(cache_.path("hf")));
}

TEST_F(HubOnline, proxies_and_a_token_that_is_not_sent_in_the_open) {
  BadServer proxy(config({http("401 Unauthorized", "")}));
  world_.env["http_proxy"] = proxy.url();
  world_.env["HF_TOKEN"] = "hf_secret";
  world_.env["HF_ENDPOINT"] = "http://hub.invalid";
  const Outcome o = command("model acme/tiny --online", world_);
  ASSERT_EQ(proxy.seen().size(), 1U) << o.err;
  EXPECT_EQ(proxy.seen()[0].path, "http://hub.invalid/acme/tiny/resolve/main/config.json");
  EXPECT_EQ(proxy.seen()[0].head.find("hf_secret"), std::string::npos);
  EXPECT_NE(o.err.find("is not sent over plain http"), std::string::npos) << o.err;
}

// gzip with one stored block: no compression library is needed to write it.
std::string gzip(const std::string& text) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  crc = ~crc;
  const auto size = static_cast<std::uint32_t>(text.size());
  const auto little = [](std::uint32_t v, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i) & 0xFFU);
    return out;
  };
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11) + little(size, 2) +
         little(~size & 0xFFFFU, 2) + text + little(crc, 4) + little(size, 4);
}

TEST_F(HubOnline, compressed_answers) {
  const std::vector<std::string> headers{"Content-Encoding: gzip",
                                         "X-Repo-Commit: " + std::string(40, 'a'),
                                         "ETag: W/\"" + std::string(40, 'b') + "-gzip\""};
  BadServer server(config({http("200 OK", gzip(kTiny), headers)}));
  const Outcome o = online(server);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(server.seen().at(0).header("accept-encoding"), "gzip");
  EXPECT_EQ(content_of(cache_.path("hf/hub/models--acme--tiny/blobs/" + std::string(40, 'b'))),
            kTiny);
}

TEST_F(HubOnline, damaged_compression) {
  expect_refusal({http("200 OK", "\x1f\x8b\x08 no gzip at all", {"Content-Encoding: gzip"})},
                 "the compressed answer is damaged");
  expect_refusal({http("200 OK", gzip(kTiny))}, "a gzip archive");  // not said in the headers
}

TEST_F(HubOnline, a_part_in_the_cache_is_completed) {
  const std::string commit(40, 'a');
  cache_.file("hf/hub/models--acme--tiny/refs/main", commit);
  cache_.file("hf/hub/models--acme--tiny/snapshots/" + commit + "/config.json", kTiny);
  EXPECT_NE(command("model acme/tiny", world_).err.find("a part of acme/tiny only"),
            std::string::npos);
  BadServer server(config(hub_file(kTiny)));
  const Outcome o = online(server);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(server.seen().at(0).path, "/acme/tiny/resolve/" + commit + "/config.json");
  EXPECT_EQ(command("model acme/tiny", world_).err.find("a part of"), std::string::npos);
}

}  // namespace
}  // namespace rooflens::cli

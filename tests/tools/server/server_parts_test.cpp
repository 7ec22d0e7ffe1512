// The parts of the servers that decide something: hosts, connections, statuses, the permission of
// every op, the budget of texts, lines.
// Of: tools/server/access/permission.cpp, tools/server/answer.cpp
// Of: tools/server/http/connection_table.cpp, tools/server/http/http_host.cpp
// Of: tools/server/http/request_time.cpp, tools/server/mcp/line_input.cpp
// Of: tools/server/mcp/mcp_text.cpp

#include <algorithm>
#include <array>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/protocol/op_table.hpp"
#include "tools/server/access/permission.hpp"
#include "tools/server/answer.hpp"
#include "tools/server/http/connection_table.hpp"
#include "tools/server/http/http_host.hpp"
#include "tools/server/http/request_time.hpp"
#include "tools/server/mcp/line_input.hpp"
#include "tools/server/mcp/mcp_text.hpp"

using namespace mneme;
using namespace mneme::server;

namespace {

struct socket_pair {
  std::array<int, 2> ends{};
  socket_pair() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0); }
  ~socket_pair() {
    for (const int s : ends) ::close(s);
  }
  socket_pair(const socket_pair&) = delete;
  socket_pair& operator=(const socket_pair&) = delete;
  /// The server's end was shut down.
  [[nodiscard]] bool is_broken_off() const {
    char byte = 0;
    return ::recv(ends[1], &byte, 1, MSG_DONTWAIT) == 0;
  }
};

} // namespace

TEST_CASE("only loopback names are loopback") {
  for (const char* name : {"localhost", "::1", "127.0.0.1", "127.255.3.4"})
    CHECK(is_loopback(name));
  for (const char* name : {"", "0.0.0.0", "127.0.0.1.evil.example", "127.0.0", "127.0.0.256",
                           "localhost.evil.example", "::", "10.0.0.1", "127.0.0.1 "})
    CHECK_FALSE(is_loopback(name));
}

TEST_CASE("an address to listen on has a host and a port") {
  const auto v6 = parse_listen("[::1]:8765");
  REQUIRE(v6.has_value());
  CHECK(v6->host == "::1");
  CHECK(v6->port == 8765);
  CHECK(parse_listen("localhost:0")->host == "localhost");
  for (const char* text : {"", "8765", ":8765", "localhost", "localhost:", "localhost:x",
                           "localhost:65536", "::1:80", "[]:80", "a:-1"})
    CHECK_FALSE(parse_listen(text).has_value());
}

TEST_CASE("beyond loopback hosts are checked where some are allowed, origins always") {
  const host_rule open{.is_on_loopback = false, .allowed = {}};
  CHECK(open.admits("box.example:80", ""));
  CHECK(open.admits("box.example:80", "https://box.example"));
  CHECK_FALSE(open.admits("box.example:80", "https://evil.example"));
  const host_rule closed{.is_on_loopback = false, .allowed = {"box.example"}};
  CHECK(closed.admits("BOX.example", ""));
  CHECK_FALSE(closed.admits("localhost", ""));
}

TEST_CASE("a full table breaks off who was waited for longest, and never a request that runs") {
  connection_table table(2);
  socket_pair a, b, c, d;
  connection_table::handle at_a, at_b, at_c, at_d;
  REQUIRE(table.admit(a.ends[0], table.arrive(), at_a));
  REQUIRE(table.admit(b.ends[0], table.arrive(), at_b));
  table.run(at_a);
  REQUIRE(table.admit(c.ends[0], table.arrive(), at_c));
  CHECK(b.is_broken_off());
  CHECK(table.was_evicted(at_b));
  CHECK_FALSE(a.is_broken_off());
  table.run(at_c);
  CHECK_FALSE(table.admit(d.ends[0], table.arrive(), at_d)); // both run
  table.remove(at_b);
  CHECK_FALSE(table.admit(d.ends[0], table.arrive(), at_d));
  CHECK(table.await(at_a));
  REQUIRE(table.admit(d.ends[0], table.arrive(), at_d));
  CHECK(a.is_broken_off());
  table.close();
  CHECK_FALSE(table.await(at_c));
  CHECK(d.is_broken_off() == false); // shut for reading only: an answer could still be sent
  CHECK_FALSE(table.admit(b.ends[0], table.arrive(), at_b));
}

TEST_CASE("who came first goes first, however late its thread asks to come in") {
  connection_table table(1);
  socket_pair a, b;
  connection_table::handle at_a, at_b;
  const auto turn_a = table.arrive();
  const auto turn_b = table.arrive();
  REQUIRE(table.admit(b.ends[0], turn_b, at_b));
  CHECK_FALSE(table.admit(a.ends[0], turn_a, at_a));
  CHECK_FALSE(b.is_broken_off());
}

TEST_CASE("every code has a status, and only what may be tried again says when") {
  for (std::uint8_t byte = 1; byte <= static_cast<std::uint8_t>(errc::shutdown); ++byte) {
    const auto code = static_cast<errc>(byte);
    const int status = status_of(code);
    const std::set<int> known = {400, 403, 404, 409, 413, 422, 429, 500, 503, 504};
    CHECK(known.contains(status));
    CHECK((retry_after_s(status) > 0) == (status == 429 || status == 503));
  }
}

TEST_CASE("what an actor's key may do with each op") {
  const client ana{.actor = "ana"};
  const client reader{.actor = "ana", .read_only = true};
  std::set<std::string> hosts;
  std::set<std::string> writes;
  for (const auto& op : protocol::ops()) {
    json request{{"op", op.name}};
    const auto refusal = narrow(request, "", ana);
    if (refusal && refusal->status == 403) hosts.emplace(op.name);
    // Whoever is not refused asks as ana, if the op can tell who asks.
    const bool has_actor =
        std::ranges::find(op.keys, "actor", &protocol::key_shape::name) != op.keys.end();
    if (!refusal && has_actor) CHECK(request["actor"] == "ana");
    if (!refusal && narrow(request, "", reader)) writes.emplace(op.name);
  }
  CHECK(hosts
        == std::set<std::string>{"revise", "forget", "ingest_source", "decay", "clock", "journal",
                                 "checkpoint", "stats", "snapshot", "set_weights", "erase", "trim",
                                 "verify", "sweep"});
  CHECK(writes
        == std::set<std::string>{"write", "update", "update_head", "tombstone", "restore",
                                 "add_edge", "remove_edge", "assign_tag", "ingest", "unarchive",
                                 "batch", "compact", "attest", "promote", "forget_matching",
                                 "supersede_matching", "put", "delete_by"});
  json host{{"op", "stats"}};
  CHECK_FALSE(narrow(host, "", client{}).has_value());
}

TEST_CASE("a key has asked again what it may ask itself, in just those words") {
  const client ana{.actor = "ana"};
  const client reader{.actor = "ana", .read_only = true};
  const auto refusal_of = [](const client& who, std::string_view asked) {
    json request{{"op", "replay_receipt"}, {"receipt", json::parse(asked)}};
    const json before = request;
    auto refusal = narrow(request, "", who);
    CHECK(request == before);
    return refusal ? refusal->body["error"]["code"].get<std::string>() : std::string();
  };
  constexpr auto hers = R"({"op":"search","request":{"query":"tea","actor":"ana"}})";
  CHECK(refusal_of(ana, hers).empty());
  CHECK(refusal_of(reader, hers).empty());
  CHECK(refusal_of(client{}, R"({"op":"search","request":{"query":"tea"}})").empty());
  CHECK(refusal_of(ana, R"({"op":"search","request":{"query":"tea"}})") == "forbidden");
  CHECK(refusal_of(ana, R"({"op":"search","request":{"query":"tea","actor":"ben"}})")
        == "actor_mismatch");
  CHECK(refusal_of(ana, R"({"op":"search","request":{"op":"find","actor":"ana"}})") == "forbidden");
  CHECK(refusal_of(ana, R"({"op":"journal","request":{}})") == "forbidden");
  CHECK(refusal_of(reader, R"({"op":"retrieve","request":{"q":"tea","actor":"ana","touch":true}})")
        == "read_only");
  CHECK(refusal_of(client{.actor = "ana", .scope = "{}"}, hers) == "forbidden");
}

TEST_CASE("no name that a request gives makes an actor's key the host's") {
  const client ana{.actor = "ana"};
  for (const char* text :
       {R"({"op":"find","types":["Note"],"limit":1,"actor":""})",
        R"({"op":"get","id":"00000000000000000000000001","actor":""})",
        R"({"op":"write","type":"Note","data":{"statement":"x"},"created_by":""})",
        R"({"op":"find_many","items":[{"types":["Note"],"limit":1,"actor":""}]})",
        R"({"op":"batch","items":[{"op":"write","type":"Note","data":{},"actor":""}]})",
        R"({"op":"tick","reads":[{"op":"context","actor":""}]})",
        R"({"op":"tick","writes":[{"op":"compact","actor":""}]})"}) {
    INFO(text);
    json request = json::parse(text);
    const auto refusal = narrow(request, "", ana);
    REQUIRE(refusal);
    CHECK(refusal->status == 403);
    CHECK(refusal->body["error"]["code"] == "actor_mismatch");
  }
  // null is no name, and becomes the key's.
  for (const char* text :
       {R"({"op":"tick","reads":[{"op":"context","actor":null},{"op":"prove","ids":[]}]})",
        R"({"op":"search_many","items":[{"query":"x","actor":null},{"query":"y"}]})"}) {
    json request = json::parse(text);
    CHECK_FALSE(narrow(request, "", ana));
    for (const auto& item : request.contains("reads") ? request["reads"] : request["items"])
      CHECK(item["actor"] == "ana");
  }
}

TEST_CASE("a text keeps to its budget in whole lines, or at a code point") {
  CHECK(within_budget("one\ntwo\n", 2) == "one\ntwo");
  CHECK(within_budget("one\ntwo\nthree\n", 2) == "one\nt…");
  CHECK(within_budget("ääääää\n", 2) == "ää…");
  CHECK(within_budget("aääää\n", 2) == "aää…");
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line\n";
  for (std::size_t tokens = 1; tokens < 200; ++tokens) {
    const auto text = within_budget(lines, tokens);
    CHECK(text.size() <= 4 * tokens);
    if (tokens == 40)
      CHECK(text.ends_with("\nline\n… 78 more lines are in the structured content"));
  }
}

TEST_CASE("lines come whole, too long ones are told, and waiting can be broken off") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  line_input input(ends[0], 5);
  const std::string text = "one\n123456\n12345\n\nrest";
  REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  std::string line;
  using outcome = line_input::outcome;
  CHECK(input.next(line) == outcome::line);
  CHECK(line == "one");
  CHECK(input.next(line) == outcome::too_long);
  CHECK(input.next(line) == outcome::line);
  CHECK(line == "12345");
  CHECK(input.next(line) == outcome::line);
  CHECK(line.empty());
  input.stop();
  CHECK(input.next(line) == outcome::end);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a request and what it lists may run no longer than the server lets it") {
  const auto limited = [](std::string_view op, const char* text) {
    json request = json::parse(text);
    limit_time(request, op, 500);
    return request;
  };
  CHECK(limited("find", R"({"limit":1})")["deadline_ms"] == 500);
  CHECK(limited("", R"({"op":"edges","id":"x","deadline_ms":null})")["deadline_ms"] == 500);
  CHECK(limited("find", R"({"deadline_ms":501})")["deadline_ms"] == 500);
  CHECK(limited("find", R"({"deadline_ms":20})")["deadline_ms"] == 20);
  // For validation to refuse.
  CHECK(limited("find", R"({"deadline_ms":-1})")["deadline_ms"] == -1);
  CHECK(limited("find", R"({"deadline_ms":"1"})")["deadline_ms"] == "1");
  const auto many = limited("search_many", R"({"items":[{"query":"a"},5,{"deadline_ms":9}]})");
  CHECK(many["items"][0]["deadline_ms"] == 500);
  CHECK(many["items"][1] == 5);
  CHECK(many["items"][2]["deadline_ms"] == 9);
  const auto tick = limited("tick", R"({"reads":[{"op":"find"},{"op":"get","id":"x"}],
                                        "writes":[{"op":"write"}]})");
  CHECK(tick["reads"][0]["deadline_ms"] == 500);
  CHECK_FALSE(tick["writes"][0].contains("deadline_ms"));
  for (const char* other : {R"({"op":"write","type":"Note"})", R"({"op":"nothing"})", "[]", "5"})
    CHECK(limited("", other) == json::parse(other));
}

TEST_CASE("every read that takes time takes a deadline") {
  for (const char* op :
       {"find",          "search",      "retrieve",     "chroma",    "context",
        "edges",         "get",         "resolve",      "get_edge",  "prove",
        "root",          "journal",     "load_compact", "find_many", "search_many",
        "retrieve_many", "chroma_many", "tags",         "point",     "suggest_hashtags",
        "stats",         "weights",     "verify"}) {
    json request = json::object();
    limit_time(request, op, 1);
    INFO(op);
    CHECK(request["deadline_ms"] == 1);
  }
}

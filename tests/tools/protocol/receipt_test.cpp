// Receipts of reads: what they hold, that they are asked again, and what is told of a difference.
#include "tools/protocol/receipt.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "mneme/search.hpp"

using namespace mneme;
using protocol::json;

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;

class receipt_world {
public:
  receipt_world() : clock(std::make_shared<manual_clock>(timestamp{400 * day_ns})) {
    engine_options options;
    options.seed = 3;
    options.clock = clock;
    target.emplace(std::move(*open_in_memory(std::move(options))));
    for (const char* text :
         {"green tea is served at four", "black tea is served at five", "the boat leaves at noon"})
      ask({{"op", "write"}, {"type", "Note"}, {"data", {{"statement", text}}}});
    ask({{"op", "ingest"}, {"placement", "new_topic"}, {"title", "Tea"}, {"summary", "tea time"}});
  }

  json answer(const json& request) {
    protocol::session session(*target);
    return json::parse(session.answer(request.dump()));
  }
  json ask(const json& request) {
    json a = answer(request);
    INFO(a.dump());
    REQUIRE(a["ok"] == true);
    return a;
  }
  json replayed(const json& receipt) {
    return answer({{"op", "replay_receipt"}, {"receipt", receipt}});
  }

  std::shared_ptr<manual_clock> clock;
  std::optional<engine> target;
};

const std::vector<json> receipt_reads = {
    {{"op", "search"}, {"query", "when is tea served"}, {"receipt", true}},
    {{"op", "find"}, {"types", {"Note"}}, {"limit", 5}, {"receipt", true}},
    {{"op", "find"}, {"near", "tea"}, {"limit", 2}, {"receipt", true}},
    {{"op", "retrieve"}, {"q", "tea"}, {"receipt", true}},
    {{"op", "context"}, {"query", "tea"}, {"receipt", true}}};

} // namespace

TEST_CASE("a receipt is equal when it is asked again, whatever was written and the clock says") {
  receipt_world w;
  std::vector<json> receipts;
  for (const auto& read : receipt_reads) {
    const json answer = w.ask(read);
    const json& r = answer["receipt"];
    CHECK(r["op"] == read["op"]);
    CHECK(r["seq"] == 4);
    CHECK(r["root"] == w.ask({{"op", "root"}})["root"]);
    CHECK(r["ranking"] == ranking_version);
    CHECK_FALSE(r["results"].empty());
    CHECK_FALSE(r["request"].contains("receipt"));
    receipts.push_back(r);
  }
  w.clock->set({900 * day_ns});
  w.ask({{"op", "write"}, {"type", "Note"}, {"data", {{"statement", "tea tea tea is served"}}}});
  w.ask({{"op", "decay"}});
  for (const auto& r : receipts) {
    const json again = w.replayed(r);
    INFO(again.dump());
    REQUIRE(again["ok"] == true);
    CHECK(again["equal"] == true);
    CHECK(again["differences"].empty());
    CHECK(again["receipt"] == r);
  }
}

TEST_CASE("a receipt reads: what would write is refused, and nothing is reinforced") {
  receipt_world w;
  for (const json& read : {json{{"op", "find"}, {"types", {"Note"}}, {"late_binding", true}},
                           json{{"op", "retrieve"}, {"q", "tea"}, {"touch", true}}}) {
    json asked = read;
    asked["receipt"] = true;
    CHECK(w.answer(asked)["error"]["code"] == "unsupported");
  }
  for (const auto& read : receipt_reads) w.ask(read);
  CHECK(w.ask({{"op", "root"}})["seq"] == 4);
  const json many = w.answer({{"op", "search_many"}, {"items", {receipt_reads[0]}}});
  CHECK(many["error"]["code"] == "unsupported");
  CHECK(many["error"]["at"] == "items[0].receipt");
  const json tick =
      w.ask({{"op", "tick"}, {"reads", {receipt_reads[0]}}, {"writes", json::array()}});
  CHECK(tick["reads"][0]["error"]["at"] == "reads[0].receipt");
}

TEST_CASE("a receipt that was changed is refused, one of another state or world differs") {
  receipt_world w;
  const json r = w.ask(receipt_reads[0])["receipt"];
  json forged = r;
  forged["results"][0]["score"] = 0.5;
  const json refused = w.replayed(forged);
  CHECK(refused["error"]["code"] == "bad_value");
  CHECK(refused["error"]["at"] == "receipt.hash");
  for (const auto& [key, value] :
       {std::pair<const char*, json>{"version", 2}, std::pair<const char*, json>{"op", "write"}}) {
    json other = r;
    other[key] = value;
    CHECK(w.replayed(other)["error"]["at"] == std::string("receipt.") + key);
  }
  // Of another world, whose seq 4 is something else.
  receipt_world other;
  other.ask({{"op", "write"}, {"type", "Note"}, {"data", {{"statement", "green tea at one"}}}});
  json asked = receipt_reads[0];
  asked["at_seq"] = 5;
  const json theirs = other.ask(asked)["receipt"];
  w.ask({{"op", "write"}, {"type", "Note"}, {"data", {{"statement", "no more tea"}}}});
  const json told = w.replayed(theirs);
  REQUIRE(told["ok"] == true);
  CHECK(told["equal"] == false);
  CHECK(told["differences"].size() >= 2);
  CHECK(told["differences"][0].get<std::string>().starts_with("root is "));
}

TEST_CASE("a receipt changes no answer: the present of a retrieve stays that of the clock") {
  receipt_world w;
  w.ask({{"op", "write"},
         {"type", "Topic"},
         {"data", {{"title", "Old pier"}}},
         {"valid_until", "1971-03-01T00:00:00Z"}});
  w.ask({{"op", "ingest"}, {"placement", "new_topic"}, {"title", "New pier"}});
  w.clock->set({900 * day_ns});
  const json read{{"op", "retrieve"}, {"q", "pier"}, {"top_k", 2}, {"touch", false}};
  const auto titles = [](const json& answer) {
    std::vector<std::string> found;
    for (const auto& c : answer["candidates"]) found.push_back(c["title"]);
    return found;
  };
  json asked = read;
  asked["receipt"] = true;
  const json with = w.ask(asked);
  CHECK(titles(with) == titles(w.ask(read)));
  CHECK(std::ranges::count(titles(with), "Old pier") == 0);
  CHECK(with["receipt"]["request"]["now"] == to_string(timestamp{900 * day_ns}));
  CHECK(w.replayed(with["receipt"])["equal"] == true);
  // And one may ask by another present.
  asked["now"] = "1971-02-10T00:00:00Z";
  const json then = w.ask(asked);
  CHECK(std::ranges::count(titles(then), "Old pier") == 1);
  CHECK(w.replayed(then["receipt"])["equal"] == true);
}

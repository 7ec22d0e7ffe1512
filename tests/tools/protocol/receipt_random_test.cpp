// Worlds that are written at random: their receipts are equal whenever they are asked again, and
// what is absent is what a naive look at every memory says.
// Of: tools/protocol/receipt.cpp, tools/protocol/absence_ops.cpp
#include <catch2/catch.hpp>

#include <array>
#include <random>

#include <nlohmann/json.hpp>

#include "tools/protocol/session.hpp"

using namespace mneme;
using protocol::json;

namespace {

constexpr std::int64_t a_day_ns = 86'400'000'000'000;
constexpr std::array drawn_words = {"ferry", "kettle", "harbour", "lamp", "orchard", "violin"};

/// A word that a memory says, until it ends.
struct said_word {
  std::string word;
  std::optional<timestamp> until;
};
struct said_memory {
  std::string uri;
  std::string id;
  std::vector<said_word> says;
  bool is_past = false; ///< superseded
  bool is_topic = false;
};

class random_world {
public:
  random_world(unsigned seed, const char* embedder)
      : dice_(seed), clock_(std::make_shared<manual_clock>(timestamp{20'000 * a_day_ns})) {
    engine_options options;
    options.seed = seed;
    options.clock = clock_;
    options.embedder_spec = embedder;
    target_.emplace(std::move(*open_in_memory(std::move(options))));
  }

  void step() {
    switch (below(8)) {
    case 0:
      return clock_->set({clock_->now().ns + static_cast<std::int64_t>(below(4)) * a_day_ns});
    case 1:
      return supersede();
    case 2:
      return archive();
    case 3:
      return ingest();
    case 4:
    case 5:
      return take_receipt();
    default:
      write(json::array());
    }
  }

  void replay_all() {
    for (const json& answer : receipts_) {
      const json& receipt = answer["receipt"];
      INFO(answer.dump());
      const json again = ask({{"op", "replay_receipt"}, {"receipt", receipt}});
      INFO(again.dump());
      CHECK(again["equal"] == true);
      CHECK(again["receipt"] == receipt);
    }
  }

  /// A receipt changes no answer.
  void check_receipts_change_nothing() {
    for (json read : reads()) {
      json plain = ask(read);
      read["receipt"] = true;
      json with = ask(read);
      for (json* answer : {&plain, &with})
        for (const char* key : {"receipt", "seq", "candidates_scanned", "near_mode"})
          answer->erase(key);
      INFO(read.dump());
      CHECK(plain == with);
    }
  }

  /// By words alone, where there are no vectors: what nobody says, or no longer, is absent.
  void check_absence() {
    for (const std::string word : drawn_words)
      for (const bool includes_ended : {false, true}) {
        const json answer =
            ask({{"op", "absent"}, {"query", word}, {"include_ended", includes_ended}});
        INFO(word << " " << includes_ended << " " << answer.dump());
        CHECK(answer["absent"] == !is_said(word, includes_ended));
      }
  }

private:
  std::size_t below(std::size_t n) { return dice_() % n; }
  std::string word() { return drawn_words[below(drawn_words.size())]; }
  json ask(const json& request) {
    protocol::session session(*target_);
    json answer = json::parse(session.answer(request.dump()));
    INFO(request.dump());
    INFO(answer.dump());
    REQUIRE(answer["ok"] == true);
    return answer;
  }
  /// Within a few days; of a part there is none.
  std::optional<timestamp> some_end() {
    if (below(3) != 0) return std::nullopt;
    return timestamp{clock_->now().ns + static_cast<std::int64_t>(below(6) + 1) * a_day_ns};
  }

  void write(json supersedes) {
    const auto until = some_end();
    const std::string first = word();
    const std::string second = word();
    json request{{"op", "write"},
                 {"type", "Note"},
                 {"data", {{"statement", first + " " + second}}},
                 {"supersedes", std::move(supersedes)}};
    if (until) request["valid_until"] = to_string(*until);
    const json done = ask(request);
    memories_.push_back({done["uri"], done["id"], {{first, until}, {second, until}}});
  }
  void supersede() {
    if (memories_.empty()) return;
    said_memory& older = memories_[below(memories_.size())];
    if (older.is_past || older.is_topic) return;
    older.is_past = true;
    write(json::array({older.uri}));
  }
  void archive() {
    if (memories_.empty()) return;
    const said_memory& m = memories_[below(memories_.size())];
    if (m.is_past) return;
    ask({{"op", "update_head"}, {"uri", m.uri}, {"lifecycle", {{"status", "archived"}}}});
  }
  void ingest() {
    const auto until = some_end();
    const std::string title = word();
    const std::string value = word();
    json field{{"value", value}};
    if (until) field["valid_until"] = to_string(*until);
    const json done = ask({{"op", "ingest"},
                           {"placement", "new_topic"},
                           {"title", title},
                           {"fields", {{"what", field}}}});
    const std::string id = done["topic_id"];
    memories_.push_back(
        {"mneme://Topic/" + id + "#1", id, {{title, std::nullopt}, {value, until}}, false, true});
  }

  json reads() {
    return json::array(
        {{{"op", "search"}, {"query", word()}, {"include_ended", below(2) == 0}},
         {{"op", "search"}, {"query", word() + " or " + word()}, {"explain", true}},
         {{"op", "find"}, {"types", {"Note", "Topic"}}, {"limit", 4}},
         {{"op", "retrieve"}, {"q", word()}, {"touch", false}, {"include_ended", below(2) == 0}},
         {{"op", "context"}, {"query", word()}},
         {{"op", "context"}, {"include_ended", below(2) == 0}}});
  }
  void take_receipt() {
    json all = reads();
    json read = all[below(all.size())];
    read["receipt"] = true;
    receipts_.push_back(ask(read));
  }

  [[nodiscard]] bool is_said(const std::string& word, bool includes_ended) const {
    for (const auto& m : memories_) {
      if (m.is_past && !includes_ended) continue;
      for (const auto& says : m.says)
        if (says.word == word
            && (includes_ended || !says.until || clock_->now().ns < says.until->ns))
          return true;
    }
    return false;
  }

  std::mt19937 dice_;
  std::shared_ptr<manual_clock> clock_;
  std::optional<engine> target_;
  std::vector<said_memory> memories_;
  std::vector<json> receipts_;
};

void write_and_ask(unsigned seed, const char* embedder) {
  random_world w(seed, embedder);
  for (int i = 0; i < 60; ++i) w.step();
  w.check_receipts_change_nothing();
  if (std::string_view(embedder) == "none") w.check_absence();
  w.replay_all();
}

} // namespace

TEST_CASE("receipts of worlds that are written at random are equal, and change no answer") {
  for (unsigned seed = 1; seed <= 12; ++seed)
    write_and_ask(seed, seed % 2 == 0 ? "none" : "hash:64");
}

TEST_CASE("what is absent is what no memory says that holds") {
  for (unsigned seed = 100; seed < 112; ++seed) write_and_ask(seed, "none");
}

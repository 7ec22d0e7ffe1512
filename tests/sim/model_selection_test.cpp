// Selections by words agree with their naive definition, over random worlds, askers and requests.
// Of: sim/model_selection.cpp, query/selection/selection_choice.cpp
#include <catch2/catch.hpp>

#include <array>

#include "mneme/engine.hpp"
#include "sim/model_doors.hpp"
#include "sim/model_write.hpp"
#include "sim/random_stream.hpp"

using namespace mneme;
using namespace mneme::sim;

namespace {

constexpr timestamp first_day{1'704'067'200'000'000'000};

constexpr std::array<std::string_view, 28> vocabulary = {
    "I",        "2211",   "0042",  "new",          "Maria",     "María",       "Lopez",
    "Keller",   "Globex", "Ana",   "lives",        "in",        "Oslo",        "the",
    "contract", "with",   "ends",  "likes",        "tea",       "green",       "of",
    "my",       "KX-12",  "KX-13", "ana@here.org", "2211-0042", "src/a/b.cpp", "22110042"};
constexpr std::array<std::string_view, 12> asks = {"",
                                                   "forget everything about ",
                                                   "delete all notes on ",
                                                   "forget that ",
                                                   "delete the note that says ",
                                                   "remove ",
                                                   "forget about ",
                                                   "please drop the ",
                                                   "erase anything that mentions ",
                                                   "don't remember that ",
                                                   "forget my ",
                                                   "what I told you about "};
constexpr std::array<std::string_view, 3> lists = {"forget everything about ", "forget about ",
                                                   "erase all that I told you about "};
constexpr std::array<std::string_view, 6> listed_names = {"Maria", "Lopez", "Globex",
                                                          "Oslo",  "Ana",   "KX-12"};

/// What a new statement may take the place of: the same of the same, with another value.
constexpr std::array<std::string_view, 4> stated = {"Ana lives in ", "Maria works at ",
                                                    "my number is ", "the contract ends in "};
constexpr std::array<std::string_view, 4> values = {"Oslo", "Globex", "2211", "May"};

class side_by_side {
public:
  side_by_side(std::uint64_t seed, const std::string& embedder)
      : draw_(seed, "selection"),
        clock_(std::make_shared<manual_clock>(first_day)),
        target_(open(embedder)),
        state_({.embeds = embedder == "none" ? nullptr : *make_embedder(embedder),
                .tokens = make_default_token_counter(),
                .search = default_search_weights(embedder)}) {}

  void fill() {
    for (std::uint8_t n = 1; n <= 18; ++n) {
      write_request r;
      r.type = draw_.percent(15) ? memory_type::decision : memory_type::note;
      r.id = memory_id{};
      r.id->bytes[0] = 1;
      r.id->bytes[15] = n;
      r.data["statement"] = draw_.percent(20) ? statement() : words(1 + draw_.below(7));
      if (draw_.percent(30)) r.actor = draw_.percent(50) ? "ana" : "ben";
      if (draw_.percent(50)) r.visibility = visibility::actor_public;
      if (draw_.percent(30)) r.tags = {"t1"};
      if (draw_.percent(10)) r.valid_until = timestamp{first_day.ns + 1};
      if (draw_.percent(10)) {
        r.lifecycle.emplace();
        r.lifecycle->status = lifecycle_status::archived;
      }
      apply(r);
      written_.push_back({r.type, *r.id, 1});
      if (!draw_.percent(10)) continue;
      tombstone_request gone;
      gone.uri = draw_.pick(written_);
      apply(gone);
    }
    clock_->set({first_day.ns + 1'000'000'000});
  }

  void check_some() {
    select_request r;
    r.words = std::string(draw_.pick(asks)) + words(1 + draw_.below(4));
    if (draw_.percent(10)) r.words += " and " + words(1);
    if (draw_.percent(15))
      r.words = std::string(draw_.pick(lists)) + std::string(draw_.pick(listed_names))
                + (draw_.percent(30) ? ", " + std::string(draw_.pick(listed_names)) : "") + " and "
                + std::string(draw_.pick(listed_names));
    if (draw_.percent(5))
      r.words = std::string(draw_.pick(lists)) + std::string(draw_.pick(listed_names)) + " & "
                + std::string(draw_.pick(listed_names));
    if (draw_.percent(15)) r.words += " except " + words(1);
    if (draw_.percent(5)) r.words += " and " + words(1 + draw_.below(2));
    if (draw_.percent(5)) r.words = "don't " + r.words;
    if (draw_.percent(10)) r.words = "forget \"" + words(1 + draw_.below(2)) + "\"";
    if (draw_.percent(15)) r.types = {memory_type::decision};
    if (draw_.percent(15)) r.tags = {"t1"};
    if (draw_.percent(20)) r.actor = "ana";
    if (draw_.percent(10)) r.limit = draw_.between(1, 3);
    r.states_new = draw_.percent(20);
    if (r.states_new && draw_.percent(70)) r.words = statement();
    if (draw_.percent(20)) r.at_seq = seq_no{1 + draw_.below(state_.last().value)};
    INFO(r.words << (r.states_new ? " (new)" : ""));
    const auto got = target_.select(r);
    const seq_no at = r.at_seq.value_or(state_.last());
    const timestamp now = r.at_seq ? state_.made_at(at).value_or(clock_->now()) : clock_->now();
    const auto expected = select_in(state_, r, at, now);
    REQUIRE(got.has_value() == expected.has_value());
    if (!got) {
      CHECK(got.error().code == expected.error());
      return;
    }
    INFO("as " << r.actor.value_or("the host") << ", " << got->note);
    if (r.at_seq) UNSCOPED_INFO("at " << r.at_seq->value);
    for (const auto& m : got->selected) UNSCOPED_INFO("got " << m.text << " by " << m.because);
    for (const auto& m : expected->selected) UNSCOPED_INFO("expected " << m.text);
    REQUIRE(got->selected.size() == expected->selected.size());
    for (std::size_t i = 0; i < got->selected.size(); ++i) {
      CHECK(got->selected[i].uri == expected->selected[i].uri);
      CHECK(got->selected[i].why == expected->selected[i].why);
      CHECK(got->selected[i].text == expected->selected[i].text);
      ++selected_[static_cast<std::size_t>(got->selected[i].why)];
    }
    CHECK((!got->selected.empty() || !got->note.empty()));
  }

  [[nodiscard]] const std::array<int, 3>& selected() const { return selected_; }

private:
  engine open(const std::string& embedder) const {
    engine_options options;
    options.embedder_spec = embedder;
    options.clock = clock_;
    auto opened = open_in_memory(std::move(options));
    REQUIRE(opened);
    return std::move(*opened);
  }
  std::string statement() {
    return std::string(draw_.pick(stated)) + std::string(draw_.pick(values));
  }
  std::string words(std::uint64_t count) {
    std::string text;
    for (; count > 0; --count)
      text += (text.empty() ? "" : " ") + std::string(draw_.pick(vocabulary));
    return text;
  }
  void apply(const mutation& m) {
    REQUIRE(target_.apply(m));
    imagined_entries entries(state_, clock_->now());
    REQUIRE_FALSE(outcome_of(state_, m, clock_->now(), entries).refused);
  }

  random_stream draw_;
  std::shared_ptr<manual_clock> clock_;
  engine target_;
  model state_;
  std::vector<memory_uri> written_;
  std::array<int, 3> selected_{};
};

} // namespace

TEST_CASE("selections by words agree with their naive definition") {
  std::array<int, 3> selected{};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    side_by_side both(seed, seed % 2 == 0 ? "none" : "hash:64");
    INFO("seed " << seed);
    both.fill();
    for (int n = 0; n < 25; ++n) both.check_some();
    for (std::size_t i = 0; i < selected.size(); ++i) selected[i] += both.selected()[i];
  }
  for (const int times : selected) CHECK(times > 50);
}

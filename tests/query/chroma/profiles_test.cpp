// Spec 6.4, profiles: text to requests, custom scores, what a profile makes of an answer.
// Of: query/chroma/knowledge_patch.cpp, query/chroma/time_words.cpp
#include <catch2/catch.hpp>

#include "query/chroma/profiles.hpp"
#include "query/chroma/time_words.hpp"
#include "tests/query/chroma/chroma_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr std::int64_t day_ns = 86'400'000'000'000;

timestamp at(const char* text) {
  return *parse_timestamp(text);
}

const std::string text_a = "tea leaf cup steam rain moss clay storm";

} // namespace

TEST_CASE("6.4 the default profile reads hashtags, a span and a number from a text") {
  chroma_world w;
  w.write("old", set_a);
  w.later(10);
  w.write("new", set_a);
  w.write("newer", set_a);
  CHECK(
      w.ask({.text = "Tea, #leaf; cup: steam rain moss clay & STORM!", .touch = false}).rows.size()
      == 3);
  CHECK(w.ask({.text = text_a + " recent", .touch = false}).rows.size() == 2);
  CHECK(w.ask({.text = "top 1 " + text_a, .touch = false}).rows.size() == 1);
  CHECK(w.ask({.text = "2 results: " + text_a, .touch = false}).rows.size() == 2);
  CHECK(w.ask({.text = "top 1 " + text_a, .k = 2, .touch = false}).rows.size() == 2);
  const time_range all{timestamp{0}, {}};
  CHECK(w.ask({.text = text_a + " recent", .temporal_range = all, .touch = false}).rows.size()
        == 3);
}

TEST_CASE("6.4 a text that cannot be read is a query_profile_error; no tag is made up") {
  chroma_world w;
  for (const char* text : {"", "nothing that is known", "tea leaf cup", "top 0 tea"}) {
    INFO(text);
    CHECK(w.refuse({.text = text}).code == errc::query_profile_error);
  }
}

TEST_CASE("6.4 words of time") {
  const timestamp now = at("2024-03-10T15:30:00Z");
  const auto range = [&](const char* text) { return time_range_in(text, now); };
  CHECK(range("nothing of time") == std::nullopt);
  CHECK(range("TODAY") == time_range{at("2024-03-10T00:00:00Z"), now});
  CHECK(range("of yesterday, please")
        == time_range{at("2024-03-09T00:00:00Z"), timestamp{at("2024-03-10T00:00:00Z").ns - 1}});
  CHECK(range("last week") == time_range{timestamp{now.ns - 7 * day_ns}, now});
  CHECK(range("recent") == range("last week"));
  CHECK(range("Last Month") == time_range{timestamp{now.ns - 30 * day_ns}, now});
  CHECK(range("last year") == time_range{timestamp{now.ns - 365 * day_ns}, now});
  CHECK(range("from 2021")
        == time_range{at("2021-01-01T00:00:00Z"), at("2021-12-31T23:59:59.999999999Z")});
  CHECK(range("from 21") == std::nullopt);
  CHECK(range("recently") == std::nullopt);
  CHECK(range("todays") == std::nullopt);
  // from YYYY, then yesterday, today, last year, last month, last week, recent.
  CHECK(range("today from 2021") == range("from 2021"));
  CHECK(range("recent today yesterday") == range("yesterday"));
  CHECK(range("recent today") == range("today"));
  CHECK(range("last week, last month or last year") == range("last year"));
  CHECK(result_count_in("the top 12 of them") == 12);
  CHECK(result_count_in("3 results") == 3);
  CHECK(result_count_in("top of 3") == std::nullopt);
}

TEST_CASE("6.4 suggestions are the assigned words, in order, once") {
  chroma_world w;
  assign_tag_request r;
  r.tag = "C++";
  r.zone = colour_zone::mid;
  REQUIRE(w.engine.apply(r));
  using tags = std::vector<std::string>;
  CHECK(*w.engine.suggest_hashtags("Rain on moss; c++, Rain. teas") == tags{"rain", "moss", "c++"});
  CHECK(w.engine.suggest_hashtags("nothing")->empty());
}

namespace {

/// Prefers labels that end late in the alphabet, and counts its rows.
class late_letters final : public query_profile {
public:
  [[nodiscard]] result<void> parse_input(chroma_request& request,
                                         const profile_context& context) const override {
    request.hashtags = context.suggest(*request.text);
    return {};
  }
  void post_process(chroma_result& answer, const chroma_request&) const override {
    answer.notes["rows"] = std::to_string(answer.rows.size());
  }
  [[nodiscard]] bool has_custom_scoring() const override { return true; }
  [[nodiscard]] double custom_scoring(const chroma_row& row, const chroma_request&) const override {
    return row.label == "z" ? 7.0 : 0.0; // clamped to 1
  }
};

} // namespace

TEST_CASE("6.4 a host's own profile scores and shapes the answer") {
  engine_options options;
  options.chroma.profiles = std::make_shared<profile_registry>();
  REQUIRE(options.chroma.profiles->add("late", std::make_shared<late_letters>()));
  CHECK(options.chroma.profiles->add("late", std::make_shared<late_letters>()).error().code
        == errc::already_exists);
  CHECK(options.chroma.profiles->set_default("nobody").error().code == errc::query_profile_error);
  REQUIRE(options.chroma.profiles->set_default("late"));
  chroma_world w(options);
  // Many rows score more by themselves than the one that the profile wants.
  const auto wanted = w.write("z", set_b);
  w.later(2);
  for (int i = 0; i < 50; ++i) w.write("a", set_a);
  const auto found = w.ask({.hashtags = set_a, .k = 2, .touch = false});
  REQUIRE(found.rows.size() == 2);
  CHECK(found.profile == "late");
  CHECK(found.notes.at("rows") == "2");
  const auto plain = w.ask({.hashtags = set_a, .k = 51, .profile = "default", .touch = false});
  double own = 0;
  for (const auto& row : plain.rows)
    if (row.memory.head->id == wanted) own = row.score;
  const double blended = 0.7 * own + 0.3;
  const auto& best = found.rows[0];
  if (blended > 0.7 * plain.rows[0].score) {
    CHECK(best.memory.head->id == wanted);
    CHECK(best.score == blended);
  } else {
    CHECK(best.score == 0.7 * plain.rows[0].score);
  }
}

namespace {

/// Scores that have nothing to do with colours.
class scattering : public query_profile {
public:
  [[nodiscard]] result<void> parse_input(chroma_request&, const profile_context&) const override {
    return {};
  }
  [[nodiscard]] bool has_custom_scoring() const override { return true; }
  [[nodiscard]] double custom_scoring(const chroma_row& row, const chroma_request&) const override {
    const auto number = std::stoul(row.memory.version->forms.short_form);
    return static_cast<double>(number * 7919 % 100) / 100;
  }
};

} // namespace

TEST_CASE("6.4 with a profile's own scores the k best of all are found, in order") {
  engine_options options;
  options.chroma.profiles = std::make_shared<profile_registry>();
  REQUIRE(options.chroma.profiles->add("scattering", std::make_shared<scattering>()));
  chroma_world w(options);
  for (int i = 0; i < 300; ++i) {
    w.write(std::to_string(i), i % 3 == 0 ? set_a : set_b);
    if (i % 10 == 0) w.later(0.3);
  }
  const auto ids = [&](std::int64_t k, bool approximate) {
    std::vector<memory_id> found;
    const chroma_request r{.hashtags = set_a,
                           .k = k,
                           .profile = "scattering",
                           .touch = false,
                           .approximate = approximate};
    for (const auto& row : w.ask(r).rows) found.push_back(row.memory.head->id);
    return found;
  };
  const auto all = ids(300, false);
  REQUIRE(all.size() == 300);
  for (const std::int64_t k : {1, 2, 7, 50, 299})
    CHECK(ids(k, false) == std::vector(all.begin(), all.begin() + k));
  CHECK(ids(5, true).size() == 5);
}

TEST_CASE("6.4 knowledge_patch") {
  chroma_world w;
  const auto put = [&](const char* text, const char* path, const char* status) {
    write_request r = w.request(text, set_a);
    r.metadata = {{"paradigm", std::string("tea")},
                  {"subdomain_path", std::string(path)},
                  {"release_status", std::string(status)},
                  {"layout_traits.grid", 3.0},
                  {"layout_traits.flow", std::int64_t{1}}};
    return w.write(r);
  };
  const auto fits = put("fits", "leaf:cup", "public");
  put("elsewhere", "leaf:steam", "public");
  const auto beta = put("beta", "leaf:cup", "beta");
  chroma_request q{.hashtags = set_a, .profile = "knowledge_patch", .touch = false};
  q.text = "tea | leaf:cup |  | latest | list";
  const auto latest = w.ask(q);
  REQUIRE(latest.rows.size() == 1);
  CHECK(latest.rows[0].memory.head->id == fits);
  CHECK(latest.rows[0].label == "fits");
  CHECK(latest.notes.at("format") == "list");
  CHECK(latest.traits.at("grid") == 0.75);
  CHECK(latest.traits.at("flow") == 0.25);
  q.text = "tea | leaf:cup | 2023-12-01 | beta";
  CHECK(w.ask(q).rows.size() == 2);
  q.text = "tea | leaf:cup | 2024-01-02";
  CHECK(w.ask(q).rows.empty()); // older than the cutoff
  q.text = "tea | leaf:cup | | v3";
  CHECK(w.ask(q).rows.size() == 1);
  q.text = "tea | leaf:cup"; // fewer than three parts: as the default profile
  CHECK(w.ask(q).rows.size() == 3);
  q.text = "tea | leaf:cup | someday";
  CHECK(w.refuse(q).code == errc::query_profile_error);
  q.text = "tea | leaf:cup | | nightly";
  CHECK(w.refuse(q).code == errc::query_profile_error);
  q.text = "tea | leaf:cup | | | |";
  CHECK(w.refuse(q).code == errc::query_profile_error);
  // Its own tags never pass the rule of eight.
  q.hashtags.clear();
  q.text = "tea | leaf:cup |";
  CHECK(w.refuse(q).code == errc::query_profile_error);
  w.later(400);
  q.hashtags = set_a;
  CHECK(w.ask(q).rows.empty()); // the cutoff is a year ago
  (void)beta;
}

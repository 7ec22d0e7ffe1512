// Every form of every type, what is left out, and how long text is cut.

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/text/forms.hpp"
#include "messages/validate/validate.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

using text = std::string;
using list = std::vector<std::string>;

const timestamp noon = parse_timestamp("2024-03-01T12:00:00.5Z").value();

void check(memory_type type, const memory_data& data, std::string_view short_form,
           std::string_view full) {
  CHECK(short_text(type, data) == short_form);
  CHECK(full_text(type, data) == full);
}

forms rendered(memory_type type, const memory_data& data, const forms_override& own = {}) {
  const auto counter = make_default_token_counter();
  auto both = render_forms(type, data, own, *counter);
  REQUIRE(both);
  return *both;
}

/// Counts code points, to show that cutting works for a counter of another kind.
class code_point_counter final : public token_counter {
public:
  [[nodiscard]] std::int64_t count(std::string_view t) const override {
    return std::count_if(t.begin(), t.end(), [](char c) { return (c & 0xC0) != 0x80; });
  }
};

} // namespace

TEST_CASE("Identity") {
  check(memory_type::identity, {{"name", text("Ada")}}, "Ada", "Ada");
  check(memory_type::identity,
        {{"name", text("Ada")},
         {"did", text("did:x:1")},
         {"wallets", list{"w1", "w2"}},
         {"roles", list{"a", "b"}},
         {"public_keys", list{"k"}}},
        "Ada (did:x:1)", "Ada (did:x:1) — wallets=2, roles=a,b, keys=1");
  check(memory_type::identity,
        {{"name", text("Ada")}, {"did", text()}, {"wallets", list{}}, {"roles", list{}}}, "Ada",
        "Ada");
}

TEST_CASE("Fact") {
  memory_data data = {
      {"statement", text("blue")}, {"subject", text("sky")}, {"predicate", text("colour")}};
  check(memory_type::fact, data, "colour(sky)=blue", "colour(sky)=blue");
  data["object"] = text("never shown");
  data["source"] = text("eyes");
  check(memory_type::fact, data, "colour(sky)=blue", "colour(sky)=blue — source=eyes");
  data["as_of"] = noon;
  check(memory_type::fact, data, "colour(sky)=blue",
        "colour(sky)=blue — as_of=2024-03-01T12:00:00.5Z, source=eyes");
}

TEST_CASE("Preference") {
  memory_data data = {{"topic", text("tea")}, {"polarity", text("prefer")}, {"strength_val", 0.5}};
  check(memory_type::preference, data, "prefers tea (prefer, strength=0.50)",
        "prefers tea (prefer, strength=0.50)");
  data["rationale"] = text("warm");
  data["value"] = text("never shown");
  data["strength_val"] = 0.125;
  check(memory_type::preference, data, "prefers tea (prefer, strength=0.12)",
        "prefers tea (prefer, strength=0.12) — warm");
  data["strength_val"] = -0.0;
  CHECK(short_text(memory_type::preference, data) == "prefers tea (prefer, strength=0.00)");
  data.erase("strength_val");
  CHECK(short_text(memory_type::preference, data) == "prefers tea (prefer, strength=0.00)");
  data["strength_val"] = 1.0;
  CHECK(short_text(memory_type::preference, data) == "prefers tea (prefer, strength=1.00)");
}

TEST_CASE("Belief") {
  memory_data data = {{"statement", text("it rains")}, {"stance", text("doubt")}};
  check(memory_type::belief, data, "doubt it rains", "doubt it rains — 0 for / 0 against");
  data["evidence_for"] = list{"a", "b"};
  data["evidence_against"] = list{"c"};
  check(memory_type::belief, data, "doubt it rains", "doubt it rains — 2 for / 1 against");
}

TEST_CASE("Event") {
  memory_data data = {{"kind", text("payment")}, {"outcome", text("success")}};
  check(memory_type::event, data, "success payment", "success payment");
  data["counterparty"] = text("Bob");
  data["cost.asset"] = text("USD");
  check(memory_type::event, data, "success payment with Bob", "success payment with Bob");
  data["cost.amount"] = text("12.50");
  data["duration"] = std::int64_t{1500};
  data["artifacts"] = list{"x"};
  data["intent_ref"] = text("i-1");
  data["summary"] = text("paid, late");
  check(memory_type::event, data, "success payment with Bob cost=12.50USD",
        "success payment with Bob cost=12.50USD — duration=1500ns, artifacts=1, intent=i-1, "
        "paid, late");
  data.erase("counterparty");
  data["duration"] = std::int64_t{0};
  data["artifacts"] = list{};
  data["intent_ref"] = text();
  check(memory_type::event, data, "success payment cost=12.50USD",
        "success payment cost=12.50USD — paid, late");
}

TEST_CASE("Goal") {
  memory_data data = {{"statement", text("ship")}, {"status", text("active")}};
  check(memory_type::goal, data, "[active] ship", "[active] ship");
  data["horizon_end"] = noon;
  data["success_criteria"] = list{"a", "b"};
  data["subgoals"] = list{"c"};
  check(memory_type::goal, data, "[active] ship",
        "[active] ship — by=2024-03-01T12:00:00.5Z, criteria=2, subgoals=1");
  data["horizon_end"] = timestamp{};
  CHECK(full_text(memory_type::goal, data) == "[active] ship — criteria=2, subgoals=1");
}

TEST_CASE("Constraint") {
  memory_data data = {{"statement", text("wait")},
                      {"strength", text("hard")},
                      {"source", text("learned")},
                      {"polarity", text("dont")}};
  check(memory_type::constraint, data, "[hard] dont wait", "[hard] dont wait — source=learned");
  data["trigger"] = text("rain");
  data.erase("polarity");
  check(memory_type::constraint, data, "[hard] neutral wait",
        "[hard] neutral wait — source=learned, trigger=rain");
}

TEST_CASE("Capability") {
  memory_data data = {{"subject", text("Ada")}, {"capability", text("fly")}};
  check(memory_type::capability, data, "Ada can fly (unverified)",
        "Ada can fly (unverified) — last_observed=1970-01-01T00:00:00Z");
  data["verified"] = true;
  data["last_observed"] = noon;
  data["parameters"] = text("never shown");
  check(memory_type::capability, data, "Ada can fly (verified)",
        "Ada can fly (verified) — last_observed=2024-03-01T12:00:00.5Z");
}

TEST_CASE("Pattern") {
  memory_data data = {{"statement", text("naps")}};
  check(memory_type::pattern, data, "naps (strength=0.00, coverage=0)",
        "naps (strength=0.00, coverage=0)");
  data["strength"] = 0.999;
  data["coverage"] = std::int64_t{12};
  data["derived_from"] = list{"a", "b", "c"};
  check(memory_type::pattern, data, "naps (strength=1.00, coverage=12)",
        "naps (strength=1.00, coverage=12) — derived from 3");
}

TEST_CASE("Decision, Commitment, Blocker, Note, Topic") {
  check(memory_type::decision, {{"statement", text("go")}, {"rationale", text("why not")}}, "go",
        "go — why not");
  check(memory_type::decision, {{"statement", text("go")}}, "go", "go");
  check(memory_type::commitment,
        {{"statement", text("pay")}, {"due_date", noon}, {"counterparty", text("Bob")}},
        "pay by 2024-03-01", "pay by 2024-03-01 — Bob");
  check(memory_type::commitment, {{"statement", text("pay")}}, "pay", "pay");
  check(memory_type::blocker, {{"statement", text("stuck")}, {"blocked_ref", text("T-1")}}, "stuck",
        "stuck — T-1");
  check(memory_type::note, {{"statement", text("n")}, {"label", text("l")}}, "n", "n — l");
  check(memory_type::topic,
        {{"title", text("t")}, {"summary", text("s")}, {"topic_kind", text("k")}}, "t", "t — s, k");
  check(memory_type::topic, {{"title", text("t")}, {"topic_kind", text("k")}}, "t", "t — k");
}

TEST_CASE("Chunk") {
  check(memory_type::chunk,
        {{"content", text("first\nsecond")},
         {"path", text("a/b.md")},
         {"chunk_index", std::int64_t{3}}},
        "a/b.md#3: first", "a/b.md#3: first — first\nsecond");
  CHECK(short_text(memory_type::chunk, {{"content", text("one")}, {"path", text("p")}})
        == "p#0: one");
  CHECK(short_text(memory_type::chunk, {{"content", text("\nx")}, {"path", text("p")}}) == "p#0: ");
}

TEST_CASE("automatic forms are cut to their tokens and say so") {
  const memory_data exact = {{"statement", text(200, 'x')}};
  CHECK(rendered(memory_type::note, exact).short_form == text(200, 'x'));
  const memory_data over = {{"statement", text(201, 'x')}};
  CHECK(rendered(memory_type::note, over).short_form == text(197, 'x') + "…");
  CHECK(rendered(memory_type::note, over).medium_form == text(201, 'x'));
  const memory_data much = {{"statement", text(801, 'x')}, {"label", text("cut off")}};
  CHECK(rendered(memory_type::note, much).medium_form == text(797, 'x') + "…");
  CHECK(full_text(memory_type::note, much) == text(801, 'x') + " — cut off");
  // Two bytes each: 98 of them and the ellipsis are 199 bytes, and no half character is left.
  text accents;
  for (int i = 0; i < 150; ++i) accents += "é";
  CHECK(rendered(memory_type::note, {{"statement", accents}}).short_form
        == accents.substr(0, 196) + "…");
}

TEST_CASE("medium is built from the uncut short form") {
  const memory_data data = {{"statement", text(300, 'x')}, {"label", text("l")}};
  const forms both = rendered(memory_type::note, data);
  CHECK(both.short_form == text(197, 'x') + "…");
  CHECK(both.medium_form == text(300, 'x') + " — l");
}

TEST_CASE("a caller's own form is taken as it is, or refused") {
  const memory_data data = {{"statement", text("auto")}};
  const forms one = rendered(memory_type::note, data, {.short_form = "mine", .medium_form = {}});
  CHECK(one == forms{"mine", "auto"});
  const forms other = rendered(memory_type::note, data, {.short_form = {}, .medium_form = "mine"});
  CHECK(other == forms{"auto", "mine"});
  CHECK(rendered(memory_type::note, data, {.short_form = text(200, 'x'), .medium_form = {}})
            .short_form
        == text(200, 'x'));
  const auto counter = make_default_token_counter();
  const auto long_short = render_forms(memory_type::note, data,
                                       {.short_form = text(201, 'x'), .medium_form = {}}, *counter);
  REQUIRE(!long_short);
  CHECK(long_short.error().code == errc::form_too_long);
  CHECK(long_short.error().at == "forms.short");
  const auto long_medium = render_forms(
      memory_type::note, data, {.short_form = {}, .medium_form = text(801, 'x')}, *counter);
  REQUIRE(!long_medium);
  CHECK(long_medium.error().at == "forms.medium");
}

TEST_CASE("another token counter cuts elsewhere") {
  const code_point_counter counter;
  text accents;
  for (int i = 0; i < 500; ++i) accents += "é";
  const auto both = render_forms(memory_type::note, {{"statement", accents}}, {}, counter);
  REQUIRE(both);
  CHECK(both->short_form == accents.substr(0, 98) + "…");
  CHECK(both->medium_form == accents.substr(0, 398) + "…");
}

TEST_CASE("forms of any data are UTF-8 within their limits") {
  rc::prop("render", [] {
    const memory_type type = any_type();
    memory_data data = any_data(type);
    for (auto& [name, value] : data)
      if (auto* t = std::get_if<text>(&value); t != nullptr && *rc::gen::inRange(0, 3) == 0)
        *t += any_text(400);
    const auto counter = make_default_token_counter();
    const auto both = render_forms(type, data, {}, *counter);
    RC_ASSERT(both.has_value());
    RC_ASSERT(is_utf8(both->short_form));
    RC_ASSERT(is_utf8(both->medium_form));
    RC_ASSERT(counter->count(both->short_form) <= max_short_tokens);
    RC_ASSERT(counter->count(both->medium_form) <= max_medium_tokens);
    const text full = full_text(type, data);
    RC_ASSERT(full.starts_with(short_text(type, data)));
    if (full.size() <= 800)
      RC_ASSERT(both->medium_form == full);
    else
      // No character is longer than four bytes, so no more than that is given away.
      RC_ASSERT(both->medium_form.size() > 800U - 4U);
  });
}

TEST_CASE("what an embedder is given") {
  CHECK(embedding_text(memory_type::topic, {{"title", text("t")}, {"summary", text("s")}})
        == "t\ns");
  CHECK(embedding_text(memory_type::chunk, {{"content", text("c")}, {"path", text("p")}}) == "c");
  const memory_data event = {{"kind", text("payment")}, {"outcome", text("success")}};
  CHECK(embedding_text(memory_type::event, event) == "success payment");
  memory_data with_summary = event;
  with_summary["summary"] = text("s");
  CHECK(embedding_text(memory_type::event, with_summary) == "s");
  CHECK(embedding_text(memory_type::note, {{"statement", text("n")}, {"label", text("l")}})
        == "n — l");
}

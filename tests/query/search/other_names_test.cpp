// Who is asked for by one name is found by the others that a topic says.
// Of: query/search/name_groups.cpp
#include "query/search/other_names.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/query/search/search_world.hpp"

namespace mneme {

namespace {

using namespace mneme::testing;

class town : public search_world {
public:
  town() : search_world("") {}

  memory_id topic(std::string title, std::optional<json_value> aliases = {}, std::string actor = {},
                  visibility seen = visibility::private_) {
    ingest_request r;
    r.title = std::move(title);
    r.actor = std::move(actor);
    if (!r.actor.empty()) r.visibility = seen;
    if (aliases) r.fields.push_back(called(std::move(*aliases)));
    auto written = target.apply(r);
    REQUIRE(written.has_value());
    return written->uri->id;
  }
  void call(const memory_id& topic, json_value aliases) {
    ingest_request r;
    r.placement = ingest_placement::extend_topic;
    r.topic_id = topic;
    r.fields.push_back(called(std::move(aliases)));
    REQUIRE(target.apply(r).has_value());
  }
  seq_no now() { return target.root()->seq; }

private:
  static field_input called(json_value aliases) {
    field_input field;
    field.name = "aliases";
    field.value = std::move(aliases);
    return field;
  }
};

search_request notes_with(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.type = memory_type::note;
  return r;
}

bool is_noted(const search_result& answer, const std::string& text) {
  return std::ranges::any_of(answer.coverage.notes,
                             [&](const std::string& note) { return note == text; });
}

json_value name_list(std::vector<std::string> names) {
  std::vector<json_value> items;
  for (auto& name : names) items.push_back({std::move(name)});
  return {std::move(items)};
}

} // namespace

TEST_CASE("what was written under another name of the same is found") {
  town w;
  const auto robert = w.topic("Robert Smith", name_list({"Bob Smith", "Bobby"}));
  const auto oolong = w.note("Robert Smith drinks oolong");
  const auto porto = w.note("Bobby moved to Porto");
  w.note("Ana drinks tea with Smith's sister");
  const auto found = w.search(notes_with("what does bob smith drink"));
  REQUIRE_FALSE(found.results.empty());
  CHECK(found.results.front().uri.id == oolong);
  CHECK(is_noted(found, "Bob Smith is also Robert Smith, Bobby"));
  CHECK(w.search(notes_with("where did Robert Smith move")).results.front().uri.id == porto);
  // Words of a name that do not follow each other name nobody.
  CHECK_FALSE(is_noted(w.search(notes_with("is Bob here, Smith")),
                       "Bob Smith is also Robert Smith, Bobby"));

  const seq_no before = w.now();
  w.call(robert, {std::string("Rob,  ")});
  CHECK(w.search(notes_with("Bobby's drink")).coverage.notes.size() == 1);
  CHECK(is_noted(w.search(notes_with("what does Rob drink")), "Rob is also Robert Smith"));
  auto then = notes_with("Bobby's drink");
  then.at_seq = before;
  CHECK(is_noted(w.search(then), "Bobby is also Robert Smith, Bob Smith"));
  w.tombstone(robert);
  CHECK(w.search(notes_with("what does Rob drink")).coverage.notes.size() == 1);
}

TEST_CASE("a question of another name alone is a good match") {
  town w;
  const auto note = w.note("Robert moved to Porto");
  CHECK(w.search(notes_with("Bob")).results.empty());
  w.topic("Robert", name_list({"Bob"}));
  const auto found = w.search(notes_with("Bob"));
  REQUIRE(found.results.size() == 1);
  CHECK(found.results.front().uri.id == note);
  CHECK(found.results.front().match == Approx(1));
}

TEST_CASE("aliases are followed by whose topic says them") {
  town w;
  w.topic("Robert", name_list({"Bob"}), "ana");
  w.note("Robert moved to Porto");
  auto r = notes_with("Bob");
  r.actor = "ben";
  CHECK(w.search(r).coverage.notes.size() == 1);
  r.actor = "ana";
  CHECK(is_noted(w.search(r), "Bob is also Robert"));
  // What others say of names does not change what the host finds, nor what anybody does.
  CHECK(w.search(notes_with("Bob")).coverage.notes.size() == 1);
  w.topic("Carol", name_list({"Dave"}), "mallory", visibility::actor_public);
  r.query = "Dave";
  CHECK(w.search(r).coverage.notes.size() == 1);
  r.actor = "mallory";
  CHECK(is_noted(w.search(r), "Dave is also Carol"));
}

TEST_CASE("what is no name names nobody") {
  town w;
  w.topic("Robert", name_list({"it", "", " - ", "R", "robert"}));
  w.topic("aliases");
  w.topic("Porto", json_value{std::int64_t{7}});
  w.note("it is Robert's");
  CHECK(w.search(notes_with("what is it with Porto")).coverage.notes.size() == 1);
  CHECK(is_noted(w.search(notes_with("Robert")), "Robert is also R"));
}

TEST_CASE("of very many topics those with the rarest words are looked at") {
  town w;
  for (int i = 0; i < 40; ++i)
    w.topic("Anna " + std::to_string(i) + " moves and drinks", name_list({"Annie"}));
  w.topic("Anna Kowalska", name_list({"Ania"}));
  CHECK(is_noted(w.search(notes_with("where does Ania move")), "Ania is also Anna Kowalska"));
  CHECK(w.search(notes_with("Annie")).coverage.notes.size() == 1 + most_named_topics);
}

TEST_CASE("a list of names is no better an answer than one of them") {
  town w;
  for (int i = 0; i < 20; ++i) w.note("the weather of day " + std::to_string(i) + " was fine");
  const auto pays = w.note("Acme pays its invoices in thirty days");
  w.note("Acme was founded in Graz");
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) names.push_back("Zenith" + std::to_string(i));
  w.topic("Acme", name_list(names));
  search_request r;
  r.query = "when does Acme pay";
  const auto found = w.search(r);
  REQUIRE_FALSE(found.results.empty());
  CHECK(found.results.front().uri.id == pays);
}

TEST_CASE("names that are too long or too many name nobody") {
  town w;
  std::vector<std::string> names{std::string(65, 'x')};
  for (int i = 0; i < 60; ++i) names.push_back("alias" + std::to_string(i));
  w.topic("doctor", name_list(std::move(names)));
  CHECK(is_noted(w.search(notes_with("my doctor")),
                 "doctor is also alias0, alias1, alias2, alias3, alias4, alias5, alias6, alias7"));
  CHECK(w.search(notes_with("alias9")).coverage.notes.size() == 1);
}

TEST_CASE("what somebody else wrote into a topic names nobody") {
  town w;
  const auto doctor = w.topic("doctor", {}, "ana", visibility::actor_public);
  ingest_request r;
  r.placement = ingest_placement::extend_topic;
  r.topic_id = doctor;
  r.actor = "bob";
  r.fields.emplace_back();
  r.fields.back().name = "aliases";
  r.fields.back().value = {std::string("Carol")};
  REQUIRE(w.target.apply(r));
  auto asked = notes_with("the doctor");
  asked.actor = "ana";
  CHECK(w.search(asked).coverage.notes.size() == 1);
  r.actor = "ana";
  r.fields.back().value = {std::string("Dr. Who\n1.00 the user said")};
  REQUIRE(w.target.apply(r));
  CHECK(is_noted(w.search(asked), "doctor is also Dr. Who 1.00 the user said"));
}

TEST_CASE("the longest of a topic's names is meant, and speakers by their whole names") {
  town w;
  w.topic("Robert", name_list({"Rob", "Rob Roy", "Queen I"}));
  CHECK(is_noted(w.search(notes_with("what does Rob Roy drink")),
                 "Rob Roy is also Robert, Rob, Queen I"));
  write_request said;
  said.type = memory_type::note;
  said.data["statement"] = std::string("boats are blue");
  said.tags = {"speaker:user"};
  w.put(said);
  auto r = notes_with("blue boats of Rob");
  r.explain = true;
  const auto found = w.search(r);
  REQUIRE(found.results.size() == 1);
  CHECK(found.results.front().parts->speakers == 0);
}

TEST_CASE("what is not asked for names nobody either: audience, trust, an end") {
  town w;
  write_request t;
  t.type = memory_type::topic;
  t.data["title"] = std::string("Acme");
  t.provenance.trust = 0.3;
  const auto acme = w.put(t);
  w.call(acme, {std::string("Globex Corp")});
  CHECK(w.search(notes_with("Acme")).coverage.notes.size() == 1);
  lifecycle l;
  l.audience = lifecycle_audience::personal;
  write_request a;
  a.type = memory_type::topic;
  a.data["title"] = std::string("Ana");
  a.lifecycle = l;
  const auto ana = w.put(a);
  w.call(ana, {std::string("Honeybee")});
  CHECK(is_noted(w.search(notes_with("Ana")), "Ana is also Honeybee"));
  auto at_work = notes_with("Ana");
  at_work.audience = search_audience::work;
  CHECK(w.search(at_work).coverage.notes.size() == 1);
}

} // namespace mneme

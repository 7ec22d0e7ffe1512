// Who is asked for by one name is meant by the others that a topic says.
#include "query/selection/other_names.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/query/search/search_world.hpp"

namespace mneme {

namespace {

using namespace mneme::testing;

class town : public search_world {
public:
  memory_id topic(std::string title, std::optional<json_value> aliases = {},
                  std::string actor = {}) {
    ingest_request r;
    r.title = std::move(title);
    r.actor = std::move(actor);
    r.visibility = visibility::actor_public;
    if (aliases) r.fields.push_back(called(std::move(*aliases)));
    const auto written = target.apply(r);
    REQUIRE(written);
    return written->uri->id;
  }
  void call(const memory_id& topic, json_value aliases, std::string actor = {}) {
    REQUIRE(try_to_call(topic, std::move(aliases), std::move(actor)));
  }
  result<mutation_result> try_to_call(const memory_id& topic, json_value aliases,
                                      std::string actor) {
    ingest_request r;
    r.placement = ingest_placement::extend_topic;
    r.topic_id = topic;
    r.actor = std::move(actor);
    r.fields.push_back(called(std::move(aliases)));
    return target.apply(r);
  }
  void retitle(const memory_id& topic, std::string title, std::string actor) {
    ingest_request r;
    r.placement = ingest_placement::extend_topic;
    r.topic_id = topic;
    r.title = std::move(title);
    r.actor = std::move(actor);
    REQUIRE(target.apply(r));
  }
  memory_id written_by(std::string actor, std::string statement) {
    write_request r;
    r.type = memory_type::note;
    r.actor = std::move(actor);
    r.data["statement"] = std::move(statement);
    return put(std::move(r));
  }
  /// Notes that everything about somebody is.
  std::vector<memory_id> about(const std::string& name, std::optional<std::string> actor = {},
                               std::optional<seq_no> at = {}) {
    select_request r;
    r.words = "forget everything about " + name;
    r.types = {memory_type::note};
    r.actor = std::move(actor);
    r.at_seq = at;
    const auto found = target.select(r);
    REQUIRE(found);
    std::vector<memory_id> ids;
    for (const auto& m : found->selected) ids.push_back(m.uri.id);
    return ids;
  }
  seq_no now() { return target.published(); }

private:
  static field_input called(json_value aliases) {
    field_input field;
    field.name = "aliases";
    field.value = std::move(aliases);
    return field;
  }
};

json_value name_list(std::vector<std::string> names) {
  std::vector<json_value> items;
  for (auto& name : names) items.push_back({std::move(name)});
  return {std::move(items)};
}

using some = std::vector<memory_id>;

} // namespace

TEST_CASE("aliases are followed as of a seq, while their topic is live") {
  town w;
  const auto robert = w.topic("Robert Smith", name_list({"Bob Smith", "Bobby"}));
  const auto tea = w.note("Robert Smith drinks oolong");
  CHECK(w.about("Bobby") == some{tea});
  CHECK(w.about("Bob Smith") == some{tea});
  const seq_no before = w.now();
  w.call(robert, {std::string("Rob,  ")});
  CHECK(w.about("Bobby").empty());
  CHECK(w.about("Rob") == some{tea});
  CHECK(w.about("Bobby", {}, before) == some{tea});
  w.tombstone(robert);
  CHECK(w.about("Rob").empty());
}

TEST_CASE(
    "only one's own topics and the host's name somebody, as their owner or the host wrote them") {
  town w;
  w.topic("Carol", name_list({"Dave"}), "mallory");
  const auto hers = w.topic("Robert", name_list({"Rob"}), "ana");
  const auto note = w.written_by("ana", "Robert moved to Porto");
  w.written_by("ana", "Carol likes boats");
  CHECK(w.about("Rob", "ana") == some{note});
  CHECK(w.about("Dave", "ana").empty());
  CHECK(w.about("Rob").empty()); // the host's own are none
  const auto doctor = w.topic("doctor", name_list({"medic"}));
  const auto told = w.written_by("ana", "the doctor says rest");
  CHECK(w.about("the medic", "ana") == some{told});
  for (const auto& topic : {doctor, hers}) {
    const auto refused = w.try_to_call(topic, {std::string("boats")}, "mallory");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::actor_mismatch);
    CHECK(refused.error().at == "fields.aliases");
  }
  CHECK(w.about("Rob", "ana") == some{note});
  w.call(hers, name_list({"Rob", "Bertie"})); // the host may
  const auto tea = w.written_by("ana", "Bertie drinks tea");
  w.retitle(hers, "Carol", "mallory");
  CHECK(w.about("Rob", "ana") == some{tea}); // what others call it is no name
}

TEST_CASE("a name that two have selects nothing, and the longest of a topic's names is meant") {
  town w;
  w.topic("Elena Fischer", name_list({"Fischery", "Elena F"}));
  w.topic("Anna Fischer", name_list({"Fischery"}));
  const auto cider = w.note("Anna Fischer drinks cider");
  const auto tea = w.note("Elena Fischer drinks tea");
  CHECK(w.about("Fischery").empty());
  select_request r;
  r.words = "forget that Fischery drinks something";
  CHECK(w.target.select(r)->note.starts_with("Fischery may be"));
  CHECK(w.about("Elena F") == some{tea});
  CHECK(w.about("Anna Fischer") == some{cider});
}

TEST_CASE("what two are called joins neither to the other, be it a title or an alias") {
  town w;
  const auto smith = w.topic("Robert Smith", name_list({"Bob", "Rob Smith"}));
  const auto jones = w.topic("Robert Jones", name_list({"Bob"}));
  const auto tea = w.note("Robert Smith drinks tea");
  const auto chess = w.note("Rob Smith plays chess");
  w.note("Robert Jones drinks coffee");
  w.note("Bob rides a bicycle");
  CHECK(w.about("Robert Smith") == some{tea, chess});
  CHECK(w.about("Bob").empty());
  select_request r;
  r.words = "forget everything about Robert Smith";
  for (const auto& m : w.target.select(r)->selected) CHECK(m.uri.id != jones);
  r.words = "forget everything about Bob";
  CHECK(w.target.select(r)->note.starts_with("Bob may be"));
  // A title without aliases is a name as well.
  const auto other = w.topic("Rob Smith");
  CHECK(w.about("Rob Smith").empty());
  CHECK(w.about("Robert Smith") == some{tea});
  w.tombstone(other);
  CHECK(w.about("Rob Smith") == some{tea, chess});
  CHECK(smith != jones);
}

TEST_CASE("names that are too long, too many or no names name nobody") {
  town w;
  std::vector<std::string> names{std::string(65, 'x'), "it", " - "};
  for (int i = 0; i < 60; ++i) names.push_back("alias" + std::to_string(i));
  w.topic("Robert", name_list(std::move(names)));
  const auto note = w.note("Robert moved to Porto");
  CHECK(w.about("alias7") == some{note});
  CHECK(w.about("alias8").empty());
  CHECK(w.about(std::string(65, 'x')).empty());
  CHECK(w.about("it").empty());
}

TEST_CASE("of very many topics those with the rarest words are looked at") {
  town w;
  for (int i = 0; i < 40; ++i)
    w.topic("Anna " + std::to_string(i) + " Kowalska", name_list({"Annie"}));
  w.topic("Anna Kowalska", name_list({"Ania Kowalska"}));
  const auto note = w.note("Anna Kowalska moved to Porto");
  CHECK(w.about("Ania Kowalska") == some{note});
}

TEST_CASE("who is not trusted, or has ended, names nobody") {
  town w;
  write_request t;
  t.type = memory_type::topic;
  t.data["title"] = std::string("Acme");
  t.provenance.trust = 0.3;
  const auto acme = w.put(t);
  w.call(acme, {std::string("Globex")});
  w.note("Acme pays in thirty days");
  CHECK(w.about("Globex").empty());
}

} // namespace mneme

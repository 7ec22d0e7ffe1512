// What a search makes of names and of first persons.
#include <algorithm>

#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// The `speakers` part of the hit that has this tag.
double part(search_world& w, const std::string& query, const std::string& tag) {
  search_request r;
  r.query = query;
  r.explain = true;
  r.similarity_floor = 0;
  for (const auto& hit : w.search(r).results)
    if (std::ranges::find(hit.tags, tag) != hit.tags.end()) return hit.parts->speakers;
  return -1;
}

void say(search_world& w, const std::string& speaker) {
  write_request r;
  r.type = memory_type::note;
  r.data = {{"statement", std::string("tea is served")}};
  r.tags = {"speaker:" + speaker};
  w.put(r);
}

} // namespace

TEST_CASE("who is named in a question gains by the weight of speakers") {
  search_world w("vector=0,text=1,speakers=0.25");
  for (const auto* name : {"ana", "bo lund", "élodie", "o'brien", "jean-luc", "mary ann lee"})
    say(w, name);
  CHECK(part(w, "Did Ana have tea?", "speaker:ana") == 1);
  CHECK(part(w, "Ana's tea", "speaker:ana") == 1);
  CHECK(part(w, "ANA tea", "speaker:bo lund") == 0);
  CHECK(part(w, "anab tea", "speaker:ana") == 0);
  CHECK(part(w, "tea of Bo Lund", "speaker:bo lund") == 1);
  CHECK(part(w, "tea of bo", "speaker:bo lund") == 0);
  CHECK(part(w, "tea of Bo", "speaker:bo lund") == 1);
  CHECK(part(w, "the tea of Lee", "speaker:mary ann lee") == 1);
  CHECK(part(w, "tea of O'Brien", "speaker:o'brien") == 1);
  CHECK(part(w, "Jean-Luc's tea", "speaker:jean-luc") == 1);
  CHECK(part(w, "tea of Mary Ann Lee", "speaker:mary ann lee") == 1);
  CHECK(part(w, "\u00C9lodie's tea", "speaker:élodie") == 1);
  search_request r;
  r.query = "ana tea";
  const auto found = w.search(r);
  CHECK(found.results.front().tags == std::vector<std::string>{"speaker:ana"});
  CHECK(found.results.front().raw_score == Approx(1.25));
}

TEST_CASE("who is named is found however the name is written") {
  search_world w("vector=0,text=1,speakers=0.25");
  for (const auto* name : {"søren", "soren", "łukasz", "José García", "田中"}) say(w, name);
  CHECK(part(w, "Soren's tea", "speaker:søren") == 1);
  CHECK(part(w, "Søren's tea", "speaker:soren") == 1);
  CHECK(part(w, "Lukasz and tea", "speaker:łukasz") == 1);
  CHECK(part(w, "tea of Jose Garcia", "speaker:José García") == 1);
  CHECK(part(w, "tea of jose", "speaker:José García") == 0);
  CHECK(part(w, "José's tea", "speaker:José García") == 1);
  CHECK(part(w, "田中さんの tea", "speaker:田中") == 1);
}

TEST_CASE("a part of a name means whom it can mean") {
  search_world w("vector=0,text=1,speakers=0.25");
  for (const auto* name : {"ravi patel", "ravi lund", "patel", "will tea", "ann@patel.org"})
    say(w, name);
  CHECK(part(w, "tea for Ravi", "speaker:ravi patel") == 1);
  CHECK(part(w, "tea for Ravi", "speaker:ravi lund") == 1);
  CHECK(part(w, "tea for Patel", "speaker:patel") == 1); // that is his name
  CHECK(part(w, "tea for Patel", "speaker:ravi patel") == 0);
  CHECK(part(w, "Ravi Patel's tea", "speaker:ravi lund") == 0);
  CHECK(part(w, "Will there be tea?", "speaker:will tea") == 0);
  CHECK(part(w, "tea of Ann", "speaker:ann@patel.org") == 0);
  CHECK(part(w, "tea of ann@patel.org", "speaker:ann@patel.org") == 1);
}

TEST_CASE("roles of a chat name nobody, and a first person is its user") {
  search_world w("vector=0,text=1,speakers=0.25");
  for (const auto* name : {"user", "assistant"}) say(w, name);
  CHECK(part(w, "did the user like tea", "speaker:user") == 0);
  CHECK(part(w, "the assistant's tea", "speaker:assistant") == 0);
  CHECK(part(w, "When did I have tea?", "speaker:user") == 1);
  CHECK(part(w, "my tea", "speaker:user") == 1);
  CHECK(part(w, "my tea", "speaker:assistant") == 0);
}

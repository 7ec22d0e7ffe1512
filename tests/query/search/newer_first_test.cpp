// Of hits that say the same, the newer goes first, and the older is marked.
// Of: query/search/asked_identifiers.cpp
#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

constexpr const char* by_words = "vector=0,text=1,b=1,b_short=1,newer=0.6";

/// A world in which the older statement has the better score: it is shorter.
struct moved_house {
  explicit moved_house(const char* weights = by_words) : world(weights) {
    old_home = world.note("Ana lives in Lisbon");
    world.pass(30);
    new_home = world.note("Ana lives in Porto now");
    world.note("Bo likes boats");
  }
  std::optional<memory_id> older_of(const search_result& answer, const memory_id& id) {
    for (const auto& hit : answer.results)
      if (hit.uri.id == id) return hit.older_of;
    return {};
  }

  search_world world;
  memory_id old_home;
  memory_id new_home;
};

search_request about(std::string query) {
  search_request r;
  r.query = std::move(query);
  r.similarity_floor = 0;
  return r;
}

write_request saying(std::string statement) {
  write_request r;
  r.type = memory_type::note;
  r.data["statement"] = std::move(statement);
  return r;
}

} // namespace

TEST_CASE("newer first: of two that say the same, the newer leads and the older is marked") {
  moved_house h;
  const auto answer = h.world.search(about("where does Ana lives"));
  REQUIRE(answer.results.size() == 2);
  CHECK(ids_of(answer) == std::vector{h.new_home, h.old_home});
  CHECK(answer.results[0].score >= answer.results[1].score);
  CHECK(answer.results[0].raw_score < answer.results[1].raw_score);
  CHECK_FALSE(answer.results[0].older_of);
  CHECK(answer.results[1].older_of == h.new_home);
  // Who asks for one gets the newer.
  auto one = about("where does Ana lives");
  one.limit = 1;
  CHECK(ids_of(h.world.search(one)) == std::vector{h.new_home});
  auto off = about("where does Ana lives");
  off.weights = "newer=0";
  const auto plain = h.world.search(off);
  CHECK(ids_of(plain) == std::vector{h.old_home, h.new_home});
  CHECK_FALSE(plain.results[0].older_of);
}

TEST_CASE("newer first: what is newer by valid time, whenever it was written") {
  moved_house h;
  auto r = saying("Ana lives in Faro, of old");
  r.valid_from = timestamp{test_start.ns - 400 * one_day_ns};
  const auto first_home = h.world.put(r);
  const auto answer = h.world.search(about("where does Ana lives"));
  CHECK(ids_of(answer) == std::vector{h.new_home, h.old_home, first_home});
  CHECK(h.older_of(answer, first_home) == h.new_home);
  // What does not hold yet makes nothing older.
  r.data["statement"] = std::string("Ana lives in Braga by then");
  r.valid_from = timestamp{test_start.ns + 4'000 * one_day_ns};
  const auto next_home = h.world.put(r);
  const auto again = h.world.search(about("where does Ana lives"));
  CHECK(again.results.front().uri.id != next_home);
  CHECK_FALSE(h.older_of(again, h.new_home));
}

TEST_CASE("newer first: one word makes no subject, and a worse answer no successor") {
  moved_house h;
  CHECK(ids_of(h.world.search(about("Lisbon or Ana"))).front() == h.old_home);
  const auto one = h.world.search(about("Ana"));
  CHECK(one.results.front().uri.id == h.old_home);
  CHECK_FALSE(one.results.back().older_of);
  // The older says more of the question.
  CHECK(h.world.search(about("Ana lives in Lisbon")).results.front().uri.id == h.old_home);
  auto strict = about("where does Ana lives");
  strict.weights = "newer=1";
  CHECK(h.world.search(strict).results.front().uri.id == h.old_home);
}

TEST_CASE("newer first: what one does not own makes nobody's memory older, but the host's does") {
  search_world w(by_words);
  const auto say = [&](const char* actor, const char* text) {
    auto r = saying(text);
    r.actor = actor;
    r.visibility = visibility::actor_public;
    const auto id = w.put(r);
    w.pass(1);
    return id;
  };
  const auto anas = say("ana", "the gate opens at six");
  const auto bos = say("bo", "the gate opens at seven or so");
  auto r = about("when the gate opens");
  r.actor = "ana";
  CHECK(ids_of(w.search(r)) == std::vector{anas, bos});
  const auto hosts = say("", "the gate opens at eight or so");
  const auto answer = w.search(r);
  CHECK(answer.results.front().uri.id == hosts);
  for (const auto& hit : answer.results) CHECK(hit.older_of.has_value() == (hit.uri.id != hosts));
}

TEST_CASE("newer first: sorts by time and chunks are left as they are") {
  moved_house h;
  auto r = about("where does Ana lives");
  r.sort = search_sort::updated;
  for (const auto& hit : h.world.search(r).results) CHECK_FALSE(hit.older_of);
  search_world chunks(by_words);
  chunks.chunk("a.md", "Ana lives in Lisbon");
  chunks.pass(1);
  chunks.chunk("b.md", "Ana lives in Porto now");
  for (const auto& hit : chunks.search(about("where does Ana lives")).results)
    CHECK_FALSE(hit.older_of);
}

TEST_CASE("newer first: what names another identifier is about something else") {
  struct named {
    const char* older;
    const char* newer;
    const char* question;
  };
  for (const auto& n :
       {named{"Edit /etc/app.conf for the port.", "Edit /etc/app.conf.bak for the port.",
              "/etc/app.conf"},
        named{"The port is in app.conf", "The port is now in app.conf.d/new", "port in app.conf"},
        named{"Flight 2120 is late at the gate", "Flight 212 is late at the gate",
              "is flight 212 late at the gate"},
        named{"Order 7-11 came by post", "Order 7-11-2 came by post", "order 7-11 came"},
        named{"Write to ana@example.org for keys", "Write to ana@example.org.uk for keys",
              "write to ana@example.org"}}) {
    search_world w(by_words);
    w.note(n.older);
    w.pass(30);
    w.note(n.newer);
    const auto answer = w.search(about(n.question));
    CAPTURE(n.question);
    REQUIRE(answer.results.size() == 2);
    for (const auto& hit : answer.results) CHECK_FALSE(hit.older_of);
  }
}

TEST_CASE("newer first: an identifier may be told of again, with a space or at a sentence's end") {
  search_world w(by_words);
  w.note("The port of db-01.example.org is 80. Sign-up opens at four");
  w.pass(30);
  const auto new_port = w.note("The sign up opens at six, and 90 the port of db-01.example.org.");
  for (const char* question : {"port of db-01.example.org", "when sign-up opens"}) {
    auto r = about(question);
    r.weights = "newer=0.1";
    const auto answer = w.search(r);
    CAPTURE(question);
    CHECK(ids_of(answer).front() == new_port);
    CHECK(answer.results.back().older_of == new_port);
  }
}

// The text that a topic with fields is found by follows each of their changes.
// Of: state/execute/topic_texts.cpp
#include <catch2/catch.hpp>

#include "index/lexical/text_terms.hpp"
#include "messages/hash.hpp"
#include "messages/seams/checked_seams.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"
#include "tests/state/execute/topic_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

site with_embedder(std::string spec) {
  site s;
  s.embedder = std::move(spec);
  return s;
}

struct text_site : topic_site {
  /// Whether words find the topic.
  bool has(std::uint8_t topic, std::string_view word, std::optional<seq_no> at = {}) const {
    const row_no row = w->attributes().row_of(w->nodes.find(id_of(topic)), seq(at));
    const auto terms = w->lexical().terms(w->attributes().slot(row));
    const term_no term = w->lexical().term(text_terms(word).front());
    return std::ranges::find(terms, term.value, &term_count::term) != terms.end();
  }
  /// Whether its vector is that of the text.
  bool is_embedded_as(std::uint8_t topic, std::string_view text) const {
    const row_no row = w->attributes().row_of(w->nodes.find(id_of(topic)), seq({}));
    const auto values = w->vectors().get(w->attributes().slot(row));
    const auto expected = embedded_by(*w->embedder, text);
    REQUIRE(expected);
    return std::ranges::equal(values, *expected);
  }
  seq_no seq(std::optional<seq_no> at) const { return at.value_or(w->published_seq()); }
  std::uint64_t entries_of(mutation m) {
    const auto before = w->published_seq().value;
    const auto done = applied(std::move(m));
    CHECK(done.seq == w->published_seq());
    return w->published_seq().value - before;
  }
};

ingest_request ana() {
  auto r = new_topic(1, "Ana");
  r.summary = "a friend";
  r.fields = {field("allergy", text("hazelnuts"))};
  return r;
}

} // namespace

TEST_CASE("words find a topic by what its fields hold now, as of each seq") {
  text_site f{{.place = with_embedder("hash:64")}};
  const auto first = f.applied(ana()).seq;
  CHECK(f.has(1, "hazelnuts"));
  CHECK(f.has(1, "allergy"));
  CHECK(f.has(1, "Ana"));
  const auto second = f.applied(extend(1, {field("allergy", text("pollen"))})).seq;
  CHECK(f.has(1, "pollen"));
  CHECK_FALSE(f.has(1, "hazelnuts"));
  CHECK(f.has(1, "hazelnuts", first));
  CHECK(f.has(1, "pollen", second));
  CHECK_FALSE(f.has(1, "pollen", first));
  auto retitled = extend(1, {});
  retitled.title = "Ana Lopes";
  f.applied(retitled);
  CHECK(f.has(1, "Lopes"));
  CHECK(f.has(1, "pollen"));
  CHECK(f.is_embedded_as(1, "Ana Lopes\na friend\nallergy: pollen"));
}

TEST_CASE("a change of fields is embedded once, in an entry of its frame") {
  text_site f{{.place = with_embedder("hash:64")}};
  CHECK(f.entries_of(ana()) == 3); // write, field, text
  CHECK(f.is_embedded_as(1, "Ana\na friend\nallergy: hazelnuts"));
  auto both = extend(1, {field("home", text("Porto")), field("age", {std::int64_t{31}})});
  both.title = "Ana Lopes";
  CHECK(f.entries_of(both) == 4); // update, two fields, text
  CHECK(f.is_embedded_as(1, "Ana Lopes\na friend\nage: 31\nallergy: hazelnuts\nhome: Porto"));
  // A link or a salience is no text.
  auto linked = extend(1, {});
  linked.salience = 2.0;
  linked.links = {{.topic_id = id_of(9), .kind = "knows"}};
  CHECK(f.entries_of(linked) == 2);
  // Without fields a topic's content is its text.
  CHECK(f.entries_of(new_topic(2, "Bo")) == 1);
  auto told = extend(2, {});
  told.title = "Bob";
  CHECK(f.entries_of(told) == 1);
  CHECK(f.is_embedded_as(2, "Bob\n"));
  // An update asks for no ingest.
  update_request u;
  u.uri = {memory_type::topic, id_of(1), 2};
  u.data = {{"title", std::string("Anna")}};
  u.actor = "ana";
  CHECK(f.entries_of(u) == 2);
  CHECK(f.is_embedded_as(1, "Anna\n\nage: 31\nallergy: hazelnuts\nhome: Porto"));
}

TEST_CASE("a vector that a request gives is that of the text, and stays where nothing embeds") {
  text_site f;
  auto r = ana();
  r.vector = {1, 2};
  f.applied(r);
  const auto vector_now = [&] {
    const row_no row = f.w->attributes().row_of(f.w->nodes.find(id_of(1)), f.seq({}));
    const auto v = f.w->vectors().get(f.w->attributes().slot(row));
    return std::vector<float>(v.begin(), v.end());
  };
  CHECK(vector_now() == std::vector<float>{1, 2});
  f.applied(extend(1, {field("allergy", text("pollen"))}));
  CHECK(vector_now() == std::vector<float>{1, 2});
  auto other = extend(1, {field("home", text("Porto"))});
  other.vector = {3, 4};
  f.applied(other);
  CHECK(vector_now() == std::vector<float>{3, 4});
  CHECK(f.has(1, "Porto"));
  auto wrong = extend(1, {field("home", text("Faro"))});
  wrong.vector = {3, 4, 5};
  CHECK(f.refused(wrong).code == errc::dim_mismatch);
}

TEST_CASE("a merge changes the text of the keeper once") {
  text_site f{{.place = with_embedder("hash:64")}};
  f.applied(ana());
  auto twin = new_topic(2, "Ana");
  twin.fields = {field("home", text("Porto")), field("pet", text("cat"))};
  f.applied(twin);
  const auto before = f.w->published_seq().value;
  CHECK(f.applied(revise_request{.actor = "ana"}).topics->merged.size() == 1);
  CHECK(f.w->published_seq().value - before == 5); // two fields, the merge, its edge, the text
  CHECK(f.has(1, "cat"));
  CHECK(f.has(1, "hazelnuts"));
  CHECK(f.is_embedded_as(1, "Ana\na friend\nallergy: hazelnuts\nhome: Porto\npet: cat"));
}

TEST_CASE("an export's fields come one by one, and the topic gets its text with the last") {
  text_site f{{.place = with_embedder("hash:64")}};
  auto r = ana();
  r.fields.push_back(field("home", text("Porto")));
  f.applied(r);
  text_site g{{.place = with_embedder("hash:64")}};
  const memory m = f.get(id_of(1));
  put_record_request whole{.head = *m.head, .version = *m.version, .vector = {}};
  const row_no row = f.w->attributes().row_of(f.w->nodes.find(id_of(1)), f.seq({}));
  const auto values = f.w->vectors().get(f.w->attributes().slot(row));
  whole.vector = std::vector<float>(values.begin(), values.end());
  std::vector<mutation> items = {whole};
  for (const auto& of : f.fields(id_of(1))) {
    auto revisions = read_revisions(*f.reader(), of.head);
    REQUIRE(revisions);
    items.emplace_back(put_field_record_request{.field = of, .revisions = *revisions});
  }
  REQUIRE(g.d.run(items, true));
  CHECK(g.w->published_seq() == seq_no{4}); // write, two fields, text
  CHECK(g.has(1, "Porto"));
  CHECK(g.is_embedded_as(1, "Ana\na friend\nallergy: hazelnuts\nhome: Porto"));
  CHECK(g.w->ledger->roots().state_roots == f.w->ledger->roots().state_roots);
  // Again: nothing.
  REQUIRE(g.d.run(items, true));
  CHECK(g.w->published_seq() == seq_no{4});
}

TEST_CASE("a slow embedder gives the vector of the text that is there then, and no older one") {
  text_site f{{.place = with_embedder("http:http://127.0.0.1:1/#model=m,dim=2")}};
  const auto embed = [&](std::string_view of, std::vector<float> values) {
    std::optional<result<seq_no>> answer;
    f.d.core.enqueue(embed_command{
        {{.id = id_of(1), .version = 1, .values = std::move(values), .text = sha256_of(of)}},
        [&](result<seq_no> r) { answer = r; }});
    f.d.pump();
    REQUIRE(answer.has_value());
    REQUIRE(answer->has_value());
    return f.get(id_of(1)).head->embedding.has_value();
  };
  f.applied(ana());
  CHECK_FALSE(f.get(id_of(1)).head->embedding);
  CHECK(f.has(1, "hazelnuts"));
  f.applied(extend(1, {field("allergy", text("pollen"))}));
  CHECK_FALSE(embed("Ana\na friend\nallergy: hazelnuts", {1, 2}));
  CHECK(embed("Ana\na friend\nallergy: pollen", {3, 4}));
  CHECK(f.has(1, "pollen"));
  // The next change takes the vector away, until it has its own.
  f.applied(extend(1, {field("allergy", text("nuts"))}));
  CHECK_FALSE(f.get(id_of(1)).head->embedding);
  CHECK(embed("Ana\na friend\nallergy: nuts", {5, 6}));
}

TEST_CASE("texts of topics come back from the journal to the byte") {
  text_site f{{.place = with_embedder("hash:64")}};
  f.applied(ana());
  f.applied(extend(1, {field("allergy", text("pollen"))}));
  const std::string before = f.dump();
  site other = with_embedder("hash:64");
  auto copy = other.open();
  REQUIRE(replay_journal(*f.place.files, "world", *copy, {}, {}));
  CHECK(canonical_dump(*copy).value() == before);
  CHECK(verify_journal(*f.place.files, "world", {}).value().ok);
}

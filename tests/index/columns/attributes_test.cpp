// attributes: every column, posting and activation at every retained seq equals a naive model,
// also after images were written and loaded on the way.
// Of: index/columns/attributes_image.cpp, index/rows/row_store.cpp
#include "index/columns/attributes.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

#include "tests/index/damage.hpp"
#include "tests/index/rows/row_model.hpp"

namespace mneme {

TEST_CASE("reads at present and past seqs equal a naive model") {
  rc::prop("random changes", [](std::uint64_t seed) {
    attributes subject;
    row_model model(seed);
    const int changes = *rc::gen::inRange(1, 150);
    for (int i = 0; i < changes; ++i) model.change(subject);
    model.check(subject, 0);
    model.check(subject, model.seq());
    for (int i = 0; i < 3; ++i) model.check(subject, model.draws().below(model.seq() + 2));
  });
}

TEST_CASE("thousands of changes keep the retained window exact") {
  attributes subject;
  row_model model(7);
  std::uint64_t retained = 0;
  for (int i = 0; i < 12'000; ++i) {
    model.change(subject);
    if (i % 500 != 0) continue;
    retained = model.seq() > 300 ? model.seq() - 300 : 0;
    subject.retain_from({retained});
    CHECK(subject.retained().value == retained);
    model.check(subject, model.seq());
    model.check(subject, retained + model.draws().below(model.seq() - retained + 1));
    model.check(subject, retained);
  }
}

TEST_CASE("postings of a memory that changes often stay short") {
  attributes subject;
  const std::vector<std::string> tags{"t"};
  for (std::uint64_t seq = 1; seq <= 100'000; ++seq) {
    row_values values{.node = {0}, .slot = {0}, .type = memory_type::note, .actor_scope = "a"};
    values.tags = tags;
    subject.put(values, {seq});
    if (seq > 100) subject.retain_from({seq - 100});
  }
  // The past of what was retained when it was sealed goes when the index is made anew.
  CHECK(subject.with_tag(subject.tag_term("t"), {})->cardinality() < 10'000 + 2'000);
  CHECK(subject.with_tag(subject.tag_term("t"), {100'000})->cardinality() < 2'000);
  CHECK(subject.row_of({0}, {100'000}).value == 99'999);
  CHECK(subject.live_count(memory_type::note, {100'000}) == 1);
}

TEST_CASE("what was overwritten lies apart from what is there, however long it is retained") {
  attributes subject;
  constexpr std::uint32_t memories = 50;
  constexpr std::uint64_t updates = 40'000;
  const std::vector<std::string> tags{"t"};
  for (std::uint64_t seq = 1; seq <= updates; ++seq) {
    row_values values{.node = {static_cast<std::uint32_t>(seq % memories)},
                      .slot = {static_cast<std::uint32_t>(seq)},
                      .type = memory_type::note,
                      .actor_scope = "a"};
    values.tags = tags;
    subject.put(values, {seq});
  }
  attributes loaded;
  REQUIRE(loaded.load(subject.save({updates})));
  for (const attributes* a : {&subject, &loaded}) {
    const auto now = a->with_tag(a->tag_term("t"), {updates});
    CHECK(now->cardinality() <= 1'024 + memories);
    CHECK(a->with_tag(a->tag_term("t"), {updates / 2})->cardinality() == updates);
    CHECK(a->live_count(memory_type::note, {updates}) == memories);
    CHECK(a->live_count(memory_type::note, {updates / 2}) == memories);
    CHECK(a->live_count(memory_type::note, {memories}) == memories);
    // Of the rows before the last ones nothing is there.
    CHECK(a->rows().slots_are_over({0}, {updates - 2 * slots_per_zone}, {updates}));
    CHECK_FALSE(a->rows().slots_are_over({0}, {updates - 2 * slots_per_zone}, {updates / 2}));
    CHECK_FALSE(a->rows().slots_are_over({0}, {updates + 1}, {updates}));
    CHECK(a->rows().slots_are_over({updates + slots_per_zone}, {~0U}, {updates}));
  }
}

TEST_CASE("rows that are archived, end, are distrusted, name another memory, or are for all have "
          "postings") {
  attributes subject;
  row_values row;
  row.type = memory_type::note;
  for (std::uint32_t i = 0; i < 6; ++i) {
    row.node = {i};
    row.slot = {i};
    row.archived = i % 2 == 1;
    row.visibility = i < 2 ? visibility::actor_public : visibility::scoped;
    row.facets.reference = i % 3 == 0 ? node_no{i + 1} : node_no{};
    row.facets.distrust_e9 = i == 2 || i == 5 ? 700'000'000 : 0;
    row.facets.stands_since = {i / 2};
    row.valid_until_ns = i < 4 ? std::numeric_limits<std::int64_t>::max() : 7;
    subject.put(row, {i + 1});
  }
  attributes loaded;
  REQUIRE(loaded.load(subject.save({6})));
  for (const attributes* a : {&subject, &loaded}) {
    std::vector<std::uint32_t> rows;
    a->archived()->append_to(rows);
    CHECK(rows == std::vector<std::uint32_t>{1, 3, 5});
    rows.clear();
    a->referring()->append_to(rows);
    CHECK(rows == std::vector<std::uint32_t>{0, 3});
    rows.clear();
    a->ending()->append_to(rows);
    CHECK(rows == std::vector<std::uint32_t>{4, 5});
    rows.clear();
    a->distrusted()->append_to(rows);
    CHECK(rows == std::vector<std::uint32_t>{2, 5});
    rows.clear();
    CHECK(a->facets({5}).stands_since == 2);
    a->everybodys({})->append_to(rows);
    CHECK(rows == std::vector<std::uint32_t>{0, 1});
  }
}

TEST_CASE("a memory is in doubt for good once it was trusted less or tombstoned") {
  attributes subject;
  row_values row;
  row.type = memory_type::note;
  const auto put = [&](std::uint32_t node, std::uint64_t seq) {
    row.node = {node};
    row.slot = {node};
    subject.put(row, {seq});
  };
  put(0, 1);
  row.facets.distrust_e9 = 1;
  put(1, 2);
  row.facets.distrust_e9 = 0;
  put(1, 3);
  row.tombstoned = true;
  put(2, 4);
  row.tombstoned = false;
  put(2, 5);
  attributes loaded;
  REQUIRE(loaded.load(subject.save({5})));
  for (const attributes* a : {&subject, &loaded}) {
    CHECK_FALSE(a->ever_in_doubt({0}));
    CHECK(a->ever_in_doubt({1}));
    CHECK(a->ever_in_doubt({2}));
    CHECK_FALSE(a->ever_in_doubt({70'000}));
  }
}

TEST_CASE("of what was erased an image has a row that says so, and no name") {
  attributes subject;
  row_values row;
  row.type = memory_type::note;
  const auto put = [&](std::uint32_t node, std::uint64_t seq, std::vector<std::string> tags,
                       std::string_view actor) {
    row.node = {node};
    row.slot = {static_cast<std::uint32_t>(seq)};
    row.actor_scope = actor;
    row.tags = tags;
    row.facets.project = tags.empty() ? std::string_view() : std::string_view(tags.front());
    subject.put(row, {seq});
    activation used;
    used.access_count = 7;
    subject.set_activation({node}, {seq}, used);
  };
  put(0, 1, {"gone", "shared"}, "ana");
  put(1, 2, {"shared", "stays"}, "bob");
  put(0, 3, {"gone too"}, "ana");
  row.erased = row.tombstoned = true;
  row.frames = {};
  row.node = {0};
  row.slot = {};
  row.tags = {};
  row.facets = {};
  row.actor_scope = "bob";
  subject.put(row, {4});

  const std::string image = subject.save({4});
  CHECK(image.find("gone") == std::string::npos);
  CHECK(image.find("ana") == std::string::npos);
  attributes loaded;
  REQUIRE(loaded.load(image));
  CHECK(loaded.row_count() == 2);
  CHECK(loaded.row_of({0}, {3}).value == no_number);
  const row_no stub = loaded.row_of({0}, {4});
  REQUIRE(stub.value != no_number);
  CHECK(loaded.columns(stub).erased);
  CHECK(loaded.activation_of({0}, {4}).access_count == 0);
  CHECK(loaded.activation_of({1}, {4}).access_count == 7);
  const row_no stays = loaded.row_of({1}, {4});
  REQUIRE(loaded.tags(stays).size() == 2);
  CHECK(loaded.tag_text(loaded.tags(stays)[0]) == "shared");
  CHECK(loaded.tag_text(loaded.tags(stays)[1]) == "stays");
  CHECK(loaded.actor_text(loaded.columns(stays).actor) == "bob");
  CHECK(loaded.place_text({loaded.facets(stays).project}) == "shared");

  attributes before;
  REQUIRE(before.load(subject.save({3}))); // as of when it was there
  CHECK(before.row_of({0}, {3}).value != no_number);
}

TEST_CASE("an image loaded in the middle gives the answers of never having stopped") {
  rc::prop("save, load, go on", [](std::uint64_t seed) {
    auto subject = std::make_unique<attributes>();
    row_model model(seed);
    std::uint64_t retained = 0;
    for (int session = 0; session < 4; ++session) {
      for (std::uint32_t i = model.draws().below(60); i > 0; --i) model.change(*subject);
      retained += model.draws().below(model.seq() - retained + 1);
      if (model.draws().one_in(2)) subject->retain_from({retained});
      retained = subject->retained().value;
      model.close_seq();
      auto loaded = std::make_unique<attributes>();
      RC_ASSERT(loaded->load(subject->save({model.seq()})).has_value());
      subject = std::move(loaded);
      RC_ASSERT(subject->retained().value == retained);
      model.check(*subject, model.seq());
      for (int i = 0; i < 3; ++i)
        model.check(*subject, retained + model.draws().below(model.seq() - retained + 2));
    }
  });
}

TEST_CASE("an image of an older seq is what the state was then") {
  attributes subject;
  row_model model(11);
  for (int i = 0; i < 200; ++i) model.change(subject);
  const std::uint64_t at = model.seq();
  model.close_seq();
  row_model as_of = model;
  for (int i = 0; i < 200; ++i) model.change(subject);
  attributes loaded;
  REQUIRE(loaded.load(subject.save({at})));
  for (std::uint64_t seq = 0; seq <= at; seq += 9) as_of.check(loaded, seq);
  as_of.check(loaded, at);
  as_of.check(loaded, at + 1000);
  for (int i = 0; i < 50; ++i) as_of.change(loaded);
  as_of.check(loaded, as_of.seq());
}

TEST_CASE("the same state gives the same image") {
  attributes subject;
  row_model model(12);
  for (int i = 0; i < 300; ++i) model.change(subject);
  const std::string image = subject.save({model.seq()});
  CHECK(subject.save({model.seq()}) == image);
  attributes loaded;
  REQUIRE(loaded.load(image));
  CHECK(loaded.save({model.seq()}) == image);
  attributes empty;
  attributes loaded_empty;
  REQUIRE(loaded_empty.load(empty.save({0})));
  CHECK(loaded_empty.row_count() == 0);
}

TEST_CASE("a damaged image of rows is refused") {
  attributes subject;
  row_model model(13);
  for (int i = 0; i < 60; ++i) model.change(subject);
  const std::string image = subject.save({model.seq()});
  const auto load = [](const std::string& damaged) {
    attributes fresh;
    auto loaded = fresh.load(damaged);
    if (!loaded) REQUIRE(fresh.row_count() == 0);
    return loaded;
  };
  check_damage_is_refused(image, load);
  // Behind a right checksum anything may stand; loading it must not crash. What a row says is not
  // looked at, how long something is is.
  dice d(3);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = image;
    changed[8 + d.below(changed.size() - 12)] = static_cast<char>(d.below(256));
    if (!load(with_checksum(changed))) ++refused;
  }
  CHECK(refused > 5);
}

} // namespace mneme

// What is read of the fields of a topic: their histories, by name, as of a time.
// Of: views/topic_reads.cpp
#include <array>
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/state/execute/topic_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Counts the rows that a reader of the store gives away.
class counted_rows final : public kv_reader {
public:
  explicit counted_rows(std::unique_ptr<kv_reader> inner) : inner_(std::move(inner)) {}
  result<std::optional<std::string>> get(kv_table table, std::string_view key) override {
    ++rows;
    return inner_->get(table, key);
  }
  result<std::optional<std::pair<std::string, std::string>>>
  first(kv_table table, std::string_view lower, std::string_view upper) override {
    ++rows;
    return inner_->first(table, lower, upper);
  }
  result<void> scan(kv_table table, std::string_view lower, std::string_view upper,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    return inner_->scan(table, lower, upper, [&](std::string_view key, std::string_view value) {
      ++rows;
      return visit(key, value);
    });
  }
  int rows = 0;

private:
  std::unique_ptr<kv_reader> inner_;
};

} // namespace

TEST_CASE("a history is read as far as it is asked for") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  for (int i = 0; i < 200; ++i) {
    auto input = field("depth", {static_cast<double>(i)});
    input.valid_from = timestamp{i};
    f.applied(extend(1, {input}));
  }
  counted_rows reader(f.reader());
  const auto rows_of = [&](const field_options& o) {
    const auto before = read_field(reader, id_of(1), "depth", f.w->published_seq());
    REQUIRE(before);
    reader.rows = 0;
    const auto view = read_field_view(reader, **before, o);
    REQUIRE(view);
    REQUIRE(view->current);
    return reader.rows;
  };
  CHECK(rows_of({.history = true, .history_limit = 1000}) > 200);
  CHECK(rows_of({.history = true, .history_limit = 3}) < 20);
  CHECK(rows_of({.as_of = timestamp{198}}) < 20);
  CHECK(rows_of({.history = true, .history_limit = 3, .as_of = timestamp{198}}) < 20);
  CHECK(rows_of({}) == 1);

  // Whatever was merged in, a shorter history is the beginning of the whole one.
  f.applied(new_topic(2, "Harbour"));
  for (int i = 0; i < 40; ++i) {
    auto input = field("depth", {static_cast<double>(1000 + i)});
    input.valid_from = timestamp{(i * 7) % 40};
    f.applied(extend(2, {input}));
  }
  f.applied(revise_request{.actor = "host"});
  f.applied(extend(1, {field("depth", {5.0})}));
  const auto whole = f.view(id_of(1), "depth", {.history = true}).history;
  REQUIRE(whole.size() == 241);
  CHECK(whole[0].value == json_value{5.0});
  CHECK(whole[201].merged_from == id_of(2));
  for (std::size_t most = 1; most <= whole.size(); ++most)
    REQUIRE(f.view(id_of(1), "depth",
                   {.history = true, .history_limit = static_cast<std::int64_t>(most)})
                .history
            == std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(most)));
}

TEST_CASE("named fields take as many reads as the shorter of the lists") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  std::vector<field_input> inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(field(fmt::format("f{:02}", i), {1.0}));
  f.applied(extend(1, inputs));
  const seq_no before = f.w->published_seq();
  f.applied(extend(1, {field("f10", {2.0}), field("g", {1.0})}));
  counted_rows reader(f.reader());
  const auto named = [&](const std::vector<std::string>& names, seq_no at) {
    reader.rows = 0;
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto found = read_fields_named(reader, id_of(1), views, at);
    REQUIRE(found);
    std::vector<std::string> seen;
    for (const auto& one : *found) {
      CHECK(one == **read_field(*f.reader(), id_of(1), one.head.name, at));
      seen.push_back(one.head.name);
    }
    return seen;
  };
  using list = std::vector<std::string>;
  CHECK(named({}, before).empty());
  CHECK(named({"f10", "g"}, before) == list{"f10"});
  CHECK(reader.rows == 2);
  CHECK(named({"", "f10", std::string("f10\0", 4), "f10a", "g", "h"}, f.w->published_seq())
        == list{"f10", "g"});
  // 5,000 names, of which there are 40.
  list names;
  for (int i = 0; i < 5000; ++i)
    names.push_back(
        fmt::format("f{:02}{}", i / 125, i % 125 == 0 ? "" : fmt::format("x{:03}", i % 125)));
  CHECK(named(names, f.w->published_seq()).size() == 40);
  CHECK(reader.rows <= 82);
  // One that has none of them is asked once.
  CHECK(read_fields_named(reader, id_of(9),
                          std::vector<std::string_view>(names.begin(), names.end()), before)
            ->empty());
  CHECK(reader.rows <= 83);
}

TEST_CASE("as_of picks the newest revision that was valid then") {
  topic_site f;
  f.applied(new_topic(1, "Harbour"));
  const auto valid = [](std::string v, std::int64_t from, std::optional<std::int64_t> until) {
    auto input = field("keeper", text(std::move(v)));
    input.valid_from = timestamp{from};
    if (until) input.valid_until = timestamp{*until};
    return input;
  };
  f.applied(extend(1, {valid("late", 100, 200), valid("early", 10, 50), valid("patch", 120, 130)}));
  const auto at = [&](std::int64_t t) -> std::optional<json_value> {
    const auto v = f.view(id_of(1), "keeper", {.as_of = timestamp{t}});
    if (!v.current) return std::nullopt;
    return v.current->value;
  };
  CHECK_FALSE(at(9));
  CHECK(at(10) == text("early"));
  CHECK_FALSE(at(50));
  CHECK(at(119) == text("late"));
  CHECK(at(120) == text("patch"));
  CHECK(at(130) == text("late"));
  CHECK_FALSE(at(200));
  CHECK(f.view(id_of(1), "keeper").current->value == text("patch"));
}

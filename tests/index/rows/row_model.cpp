#include "tests/index/rows/row_model.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

namespace mneme {

namespace {

constexpr std::uint32_t actor_count = 4;
constexpr std::uint32_t tag_count = 6;

std::string actor_name(std::uint32_t n) {
  return n == 0 ? "" : "agent " + std::to_string(n);
}
std::string tag_name(std::uint32_t n) {
  return "tag " + std::to_string(n);
}
intent_frame frame_number(std::uint32_t n) {
  return {.action = static_cast<verb>(1 + n % 2),
          .kind = static_cast<object_kind>(1 + n / 2 % 2),
          .ref = n < 4 ? "r" : "s"};
}

/// The nodes of the rows of a posting that are alive at `at`.
std::set<std::uint32_t> alive_nodes(const attributes& subject, const posting_view& view,
                                    std::uint64_t at) {
  std::vector<std::uint32_t> rows;
  view.append_to(rows);
  REQUIRE(std::ranges::is_sorted(rows));
  REQUIRE(rows.size() <= view.cardinality());
  std::set<std::uint32_t> nodes;
  for (const std::uint32_t row : rows)
    if (subject.alive({row}, {at})) REQUIRE(nodes.insert(subject.node({row}).value).second);
  return nodes;
}

/// What a scan reads of a row says the same as its columns.
void check_brief(const row_store& rows, row_no row) {
  const row_line& line = rows.line(row);
  const row_brief brief = rows.brief(row);
  REQUIRE(((brief & brief_closed) != 0) == (rows.end(row) != forever));
  REQUIRE(type_of(brief) == static_cast<std::uint8_t>(line.type));
  REQUIRE((brief & brief_of_flags(0xFF)) == brief_of_flags(line.flags));
  for (std::uint32_t i = 0; i < rows.rest(row).tag_count; ++i)
    REQUIRE((brief & brief_of_tag({rows.term(rows.rest(row).terms_begin + i)})) != 0);
  REQUIRE(rows.zone_meets(row, line.created_at_ns, line.created_at_ns));
  REQUIRE_FALSE(rows.zone_meets(row, 2000, 3000)); // no row of the model is so late
}

/// What is passed over by the bounds of its use is not used more.
void check_use(const row_store& rows, row_no row, const activation& used) {
  for (const use_bound bound : {rows.use(row), rows.zone_use(row)}) {
    const activation most = used_at_most(bound);
    REQUIRE(used.last_used <= most.last_used);
    REQUIRE(used.access_count <= most.access_count);
    REQUIRE(used.citations <= most.citations);
    REQUIRE(used.importance <= most.importance);
  }
}

} // namespace

model_row::model_row(const model_row& other)
    : values(other.values),
      actor(other.actor),
      tags(other.tags),
      frames(other.frames),
      begin(other.begin),
      end(other.end) {
}

row_values model_row::pointed() const {
  row_values v = values;
  v.actor_scope = actor;
  v.tags = tags;
  v.frames = frames;
  return v;
}

const model_row* row_model::row_of(std::uint32_t node, std::uint64_t at) const {
  for (const auto& row : rows_)
    if (row.values.node.value == node && row.begin <= at && at < row.end) return &row;
  return nullptr;
}

void row_model::change(attributes& subject) {
  if (seq_ == closed_ || !dice_.one_in(8)) ++seq_;
  if (dice_.one_in(3))
    touch(subject);
  else
    put(subject);
}

void row_model::put(attributes& subject) {
  const std::uint32_t node = dice_.below(node_count) * 50;
  model_row row;
  const model_row* before = row_of(node, seq_);
  row.begin = seq_;
  row.values.node = {node};
  if (before != nullptr && dice_.one_in(2))
    row.values.slot = before->values.slot;
  else if (!dice_.one_in(10))
    row.values.slot = {next_slot_++};
  row.values.type =
      before != nullptr ? before->values.type : static_cast<memory_type>(1 + dice_.below(15));
  row.values.visibility = static_cast<visibility>(1 + dice_.below(3));
  row.values.importance = static_cast<std::uint8_t>(dice_.below(11));
  row.values.tombstoned = dice_.one_in(5);
  row.values.has_vector = dice_.one_in(2);
  row.values.version = dice_.below(9);
  row.values.created_at = {static_cast<std::int64_t>(dice_.below(1000))};
  row.values.last_updated_at = {static_cast<std::int64_t>(dice_.below(1000))};
  row.values.version_created_at = {static_cast<std::int64_t>(dice_.below(1000))};
  row.values.valid_from = {static_cast<std::int64_t>(dice_.below(1000))};
  row.values.valid_until_ns =
      dice_.one_in(2) ? std::numeric_limits<std::int64_t>::max() : dice_.below(1000);
  row.values.confidence = dice_.below(100) / 100.0;
  row.actor = actor_name(dice_.below(actor_count));
  for (std::uint32_t t = 0; t < tag_count; ++t)
    if (dice_.one_in(3)) row.tags.push_back(tag_name(t));
  for (std::uint32_t f = 0; f < 8; ++f)
    if (dice_.one_in(5)) row.frames.push_back(frame_number(f));
  for (auto& other : rows_)
    if (other.values.node.value == node && other.end == forever) other.end = seq_;
  rows_.push_back(row);
  const row_no number = subject.put(rows_.back().pointed(), {seq_});
  REQUIRE(number.value == subject.row_count() - 1);
}

void row_model::touch(attributes& subject) {
  const std::uint32_t node = dice_.below(node_count) * 50;
  const activation values{.last_used = {static_cast<std::int64_t>(dice_.below(1000))},
                          .access_count = dice_.below(100),
                          .citations = dice_.below(100),
                          .importance = static_cast<std::uint8_t>(dice_.below(11))};
  subject.set_activation({node}, {seq_}, values);
  activations_[node][seq_] = values;
}

void row_model::check_row(const attributes& subject, row_no row, const model_row& expected) const {
  check_brief(subject.rows(), row);
  const row_columns c = subject.columns(row);
  const row_values& v = expected.values;
  REQUIRE(c.node == v.node);
  REQUIRE(c.slot == v.slot);
  REQUIRE(c.begin == expected.begin);
  REQUIRE(c.type == v.type);
  REQUIRE(c.visibility == v.visibility);
  REQUIRE(c.importance == v.importance);
  REQUIRE(c.tombstoned == v.tombstoned);
  REQUIRE(c.erased == v.erased);
  REQUIRE(c.has_vector == v.has_vector);
  REQUIRE(c.version == v.version);
  REQUIRE(c.created_at_ns == v.created_at.ns);
  REQUIRE(c.last_updated_at_ns == v.last_updated_at.ns);
  REQUIRE(c.version_created_at_ns == v.version_created_at.ns);
  REQUIRE(c.valid_from_ns == v.valid_from.ns);
  REQUIRE(c.valid_until_ns == v.valid_until_ns);
  REQUIRE(c.confidence == v.confidence);
  REQUIRE(subject.actor_text(c.actor) == expected.actor);
  std::vector<std::string> tags;
  for (const term_no tag : subject.tags(row)) tags.push_back(subject.tag_text(tag));
  REQUIRE(tags == expected.tags);
  for (std::uint32_t t = 0; t < tag_count; ++t) {
    const bool has = std::ranges::count(expected.tags, tag_name(t)) != 0;
    REQUIRE(subject.has_tag(row, subject.tag_term(tag_name(t))) == has);
  }
  REQUIRE(subject.node(row) == v.node);
  REQUIRE(subject.slot(row) == v.slot);
}

void row_model::check(const attributes& subject, std::uint64_t at) const {
  for (std::uint32_t node = 0; node < node_count * 50 + 50; node += 25) {
    const model_row* expected = row_of(node, at);
    const row_no row = subject.row_of({node}, {at});
    REQUIRE((row.value != no_number) == (expected != nullptr));
    if (expected != nullptr) {
      check_row(subject, row, *expected);
      REQUIRE(subject.alive(row, {at}));
      if (expected->values.slot.value != no_number)
        REQUIRE(subject.row_of_slot(expected->values.slot, {at}) == row);
    }
    activation values;
    if (const auto records = activations_.find(node); records != activations_.end()) {
      const auto after = records->second.upper_bound(at);
      if (after != records->second.begin()) values = std::prev(after)->second;
    }
    REQUIRE(subject.activation_of({node}, {at}) == values);
    if (expected != nullptr) check_use(subject.rows(), row, values);
  }
  std::set<std::uint32_t> used;
  for (const auto& row : rows_)
    if (row.begin <= at && at < row.end) used.insert(row.values.slot.value);
  for (std::uint32_t slot = 0; slot < next_slot_ + 2; ++slot)
    REQUIRE((subject.row_of_slot({slot}, {at}).value != no_number) == used.contains(slot));
  REQUIRE(subject.row_of_slot({no_number}, {at}).value == no_number);
  check_zones(subject.rows(), used, at);
  check_terms(subject, at);
  check_live(subject);
}

void row_model::check_zones(const row_store& rows, const std::set<std::uint32_t>& used,
                            std::uint64_t at) const {
  for (std::uint32_t first = 0; first <= next_slot_; first += slots_per_zone / 2) {
    for (const std::uint32_t count : {1U, slots_per_zone, 5 * slots_per_zone}) {
      const auto found = used.lower_bound(first);
      const bool is_used = found != used.end() && *found < first + count;
      const bool are_over = rows.slots_are_over({first}, {first + count}, {at});
      if (is_used) REQUIRE_FALSE(are_over);
      // Whole zones are known at the end.
      if (!is_used && at == seq_ && first % slots_per_zone == 0 && count >= slots_per_zone)
        REQUIRE(are_over);
    }
  }
}

void row_model::check_live(const attributes& subject) const {
  live_counts expected;
  for (const auto& row : rows_) {
    if (row.end != forever || row.values.tombstoned) continue;
    ++expected.by_type[static_cast<std::size_t>(row.values.type)];
    if (!row.values.has_vector) ++expected.unembedded;
  }
  REQUIRE(subject.live() == expected);
}

void row_model::check_terms(const attributes& subject, std::uint64_t at) const {
  const auto nodes_where = [&](auto is_wanted) {
    std::set<std::uint32_t> nodes;
    for (const auto& row : rows_)
      if (row.begin <= at && at < row.end && is_wanted(row)) nodes.insert(row.values.node.value);
    return nodes;
  };
  for (std::uint8_t t = 0; t <= memory_type_count + 1; ++t) {
    const auto type = static_cast<memory_type>(t);
    const auto expected = nodes_where([&](const model_row& r) { return r.values.type == type; });
    REQUIRE(alive_nodes(subject, *subject.with_type(type, {at}), at) == expected);
    const auto live = nodes_where(
        [&](const model_row& r) { return r.values.type == type && !r.values.tombstoned; });
    REQUIRE(subject.live_count(type, {at}) == live.size());
  }
  for (std::uint32_t t = 0; t <= tag_count; ++t) {
    const auto expected = nodes_where(
        [&](const model_row& r) { return std::ranges::count(r.tags, tag_name(t)) != 0; });
    const auto view = subject.with_tag(subject.tag_term(tag_name(t)), {at});
    REQUIRE(alive_nodes(subject, *view, at) == expected);
  }
  for (std::uint32_t a = 0; a <= actor_count; ++a) {
    const auto expected = nodes_where([&](const model_row& r) { return r.actor == actor_name(a); });
    const auto view = subject.with_actor(subject.actor_term(actor_name(a)), {at});
    REQUIRE(alive_nodes(subject, *view, at) == expected);
  }
  for (std::uint32_t f = 0; f < 9; ++f) {
    intent_frame frame = frame_number(f);
    if (f == 8) frame.ref = "never seen";
    const auto expected =
        nodes_where([&](const model_row& r) { return std::ranges::count(r.frames, frame) != 0; });
    REQUIRE(alive_nodes(subject, *subject.with_frame(frame, {at}), at) == expected);
  }
}

} // namespace mneme

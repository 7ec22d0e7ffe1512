#include "query/records/list_reads.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "query/answer_bytes.hpp"
#include "query/predicate/field_reference.hpp"
#include "query/records/read_for.hpp"
#include "query/request_numbers.hpp"
#include "views/answer_room.hpp"
#include "views/current_memories.hpp"
#include "views/memory_keys.hpp"

namespace mneme {

namespace {

/// Where a memory stands in the list; later ones come first.
struct list_place {
  std::int64_t created_ns = 0;
  memory_id id;

  friend auto operator<=>(const list_place&, const list_place&) = default;
};

std::string cursor_of(const list_place& place) {
  return fmt::format("{}.{}", place.created_ns, to_string(place.id));
}

result<std::optional<list_place>> place_of(const std::string& cursor) {
  if (cursor.empty()) return std::optional<list_place>{};
  const auto bad = [] {
    return fail(errc::bad_value, "not the `next` of an earlier page", "cursor");
  };
  const auto dot = cursor.find('.');
  if (dot == std::string::npos) return bad();
  list_place place;
  const char* end = cursor.data() + dot;
  const auto [stopped, problem] = std::from_chars(cursor.data(), end, place.created_ns);
  auto id = parse_memory_id(std::string_view(cursor).substr(dot + 1));
  if (problem != std::errc{} || stopped != end || !id) return bad();
  place.id = *id;
  return std::optional(place);
}

result<void> check(const list_request& r) {
  if (auto ok = check_positive(std::optional(r.limit), "limit"); !ok) return ok;
  for (std::size_t i = 0; i < r.types.size(); ++i)
    if (to_string(r.types[i]).empty())
      return fail(errc::bad_value, "not a memory type", fmt::format("types[{}]", i));
  if (r.name_space)
    if (auto ok = validate_key({.name_space = *r.name_space, .name = "x"}); !ok) return ok;
  if (r.owner)
    if (auto ok = validate_actor(*r.owner); !ok) {
      ok.error().at = "owner";
      return ok;
    }
  return {};
}

/// Finds the rows of a page.
class page_search {
public:
  page_search(const list_request& r, const read_views& views, const asker& who, seq_no at,
              timestamp now, std::optional<list_place> after)
      : r_(r),
        columns_(*views.attributes),
        nodes_(*views.nodes),
        at_(at),
        after_(after),
        types_(types_of(r)),
        visible_(who, columns_, nodes_),
        current_(visible_, views, at, {.instant = now}) {
    if (r.owner) owner_ = columns_.actor_term(*r.owner);
    if (r.name_space) space_ = columns_.tag_term(namespace_tag(*r.name_space));
    left_out_ = row_erased;
    // What was superseded by a tombstone held once: whoever asks for what no longer holds has it.
    finds_past_ = r.include_ended || r.include_archived;
    if (!r.include_tombstoned && !finds_past_) left_out_ |= row_tombstoned;
    if (!r.include_archived) left_out_ |= row_archived;
  }

  /// The first places behind `after`, one more than the page has where there are so many.
  result<std::vector<list_place>> run(const deadline& time) {
    result<void> in_time;
    std::uint64_t rows = 0;
    // The newest come first, so that most of the others are too old for the page.
    std::vector<std::uint32_t> listed;
    for (const auto& posting : postings()) {
      listed.clear();
      posting->append_to(listed);
      for (auto row = listed.rbegin(); row != listed.rend(); ++row) {
        in_time = time.check(rows++);
        if (!in_time) return propagate(in_time);
        if (zone_may_have_some(row_no{*row}) && passes(row_no{*row})) keep(row_no{*row});
      }
    }
    ensure(found_.size() <= static_cast<std::uint64_t>(r_.limit) + 1, "one is looked ahead");
    std::ranges::sort(found_, std::greater());
    return std::move(found_);
  }

private:
  static type_set types_of(const list_request& r) {
    if (r.types.empty()) return all_memory_types;
    type_set types = 0;
    for (const auto type : r.types) types = static_cast<type_set>(types | type_bit(type));
    return types;
  }

  /// What has all rows that may pass, each in one of them.
  [[nodiscard]] posting_list postings() const {
    if (r_.name_space) return {columns_.with_tag(space_, at_)};
    if (r_.owner) return {columns_.with_actor(owner_, at_)};
    posting_list all;
    for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte)
      if (const auto type = static_cast<memory_type>(byte); (types_ & type_bit(type)) != 0)
        all.push_back(columns_.with_type(type, at_));
    return all;
  }

  [[nodiscard]] bool passes(row_no row) const {
    const row_line& line = columns_.rows().line(row);
    if ((line.flags & left_out_) != 0 || (types_ & type_bit(line.type)) == 0) return false;
    if (r_.owner && line.actor != owner_.value) return false;
    if (!columns_.alive(row, at_) || !visible_(row)) return false;
    if (r_.include_tombstoned && (line.flags & row_gone) != 0) return true;
    if (!may_have_held(line.flags)) return false;
    if (r_.include_ended) return true;
    return !current_.has_ended(line) && (r_.include_archived || !current_.is_superseded(line));
  }

  [[nodiscard]] bool is_full() const {
    return found_.size() > static_cast<std::uint64_t>(r_.limit);
  }
  /// Of the rows that lie together with this one.
  [[nodiscard]] bool zone_may_have_some(row_no row) const {
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    if (!is_full() && !after_) return true;
    return columns_.rows().zone_meets(row, is_full() ? found_.front().created_ns : lowest,
                                      after_ ? after_->created_ns : highest);
  }

  /// The earliest of those kept is in front.
  void keep(row_no row) {
    const list_place place{.created_ns = columns_.rows().line(row).created_at_ns,
                           .id = nodes_.id(columns_.node(row))};
    if (after_ && *after_ <= place) return;
    if (is_full()) {
      if (place < found_.front()) return;
      std::ranges::pop_heap(found_, std::greater());
      found_.pop_back();
    }
    found_.push_back(place);
    std::ranges::push_heap(found_, std::greater());
  }

  const list_request& r_;
  const attributes& columns_;
  const node_table& nodes_;
  seq_no at_;
  std::optional<list_place> after_;
  type_set types_;
  visible_rows visible_;
  current_memories current_;
  term_no owner_;
  term_no space_;
  std::uint8_t left_out_ = 0;
  bool finds_past_ = false;
  std::vector<list_place> found_;
};

/// By when it is judged what has ended: as every door does.
result<timestamp> instant_of(const read_views& views, const list_request& r) {
  if (r.at_seq)
    if (const auto made = views.attributes->entry_time(*r.at_seq)) return *made;
  return views.now();
}

/// The live rows of a posting that the asker may see.
result<std::uint64_t> count_rows(const posting_view& posting, const attributes& columns,
                                 const visible_rows& visible, seq_no at, const deadline& time) {
  std::uint64_t rows = 0;
  std::uint64_t live = 0;
  result<void> in_time;
  posting.for_each([&](row_no row) {
    in_time = time.check(rows++);
    if (!in_time) return false;
    const bool is_gone = (columns.rows().line(row).flags & row_gone) != 0;
    if (!is_gone && columns.alive(row, at) && visible(row)) ++live;
    return true;
  });
  if (!in_time) return propagate(in_time);
  ensure(live <= rows, "what is live is a part");
  return live;
}

} // namespace

result<list_result> read_list(const read_views& views, const list_request& r,
                              const deadline& time) {
  if (auto ok = check(r); !ok) return propagate(ok);
  auto after = place_of(r.cursor);
  if (!after) return propagate(after);
  const read_options options{.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope};
  return read_for(views, options, time,
                  [&](kv_reader& reader, const asker& who, seq_no at) -> result<list_result> {
                    auto now = instant_of(views, r);
                    if (!now) return propagate(now);
                    auto places = page_search(r, views, who, at, *now, *after).run(time);
                    if (!places) return propagate(places);
                    list_result page{.memories = {}, .past = {}, .next = {}, .at_seq = at};
                    if (places->size() > static_cast<std::uint64_t>(r.limit)) {
                      ensure(places->size() == static_cast<std::uint64_t>(r.limit) + 1,
                             "one is looked ahead");
                      places->pop_back();
                      page.next = cursor_of(places->back());
                    }
                    const visible_rows visible(who, *views.attributes, *views.nodes);
                    const current_memories current(visible, views, at, {.instant = *now});
                    const auto marks_of = [&](const memory_id& id) {
                      const attributes& columns = *views.attributes;
                      const row_no row = columns.row_of(views.nodes->find(id), at);
                      return current.marks_of(columns.rows().line(row));
                    };
                    answer_room room(views.max_answer_bytes, "ask for fewer by limit", "limit");
                    for (const list_place& place : *places) {
                      auto m = visible_memory(views, reader, place.id, who, at, "id");
                      if (!m) return propagate(m);
                      if (auto ok = room.take(answer_bytes(*m)); !ok) return propagate(ok);
                      page.memories.push_back(std::move(*m));
                      page.past.push_back(marks_of(place.id));
                    }
                    return page;
                  });
}

result<std::vector<name_count>>
count_namespaces(const read_views& views, const read_options& options, const deadline& time) {
  return read_for(views, options, time,
                  [&](kv_reader&, const asker& who, seq_no at) -> result<std::vector<name_count>> {
                    const attributes& columns = *views.attributes;
                    const visible_rows visible(who, columns, *views.nodes);
                    std::vector<name_count> counts;
                    for (auto& [name, tag] : known_namespaces(columns)) {
                      auto live =
                          count_rows(*columns.with_tag(tag, at), columns, visible, at, time);
                      if (!live) return propagate(live);
                      if (*live > 0) counts.push_back({std::move(name), *live});
                    }
                    std::ranges::sort(counts, {}, &name_count::name);
                    return counts;
                  });
}

result<std::vector<name_count>> count_actors(const read_views& views, const read_options& options,
                                             const deadline& time) {
  return read_for(views, options, time,
                  [&](kv_reader&, const asker& who, seq_no at) -> result<std::vector<name_count>> {
                    const attributes& columns = *views.attributes;
                    const visible_rows visible(who, columns, *views.nodes);
                    std::vector<name_count> counts;
                    // More numbers than there are actors, of which the others have no rows.
                    for (std::uint32_t actor = 0; actor < columns.name_count(); ++actor) {
                      auto live =
                          count_rows(*columns.with_actor({actor}, at), columns, visible, at, time);
                      if (!live) return propagate(live);
                      if (*live > 0) counts.push_back({columns.actor_text({actor}), *live});
                    }
                    std::ranges::sort(counts, {}, &name_count::name);
                    return counts;
                  });
}

} // namespace mneme

/// What a search found, or what is most salient, in the room that the tiers leave.

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/text/time_text.hpp"
#include "query/context/context_state.hpp"
#include "query/rendering.hpp"

namespace mneme {

namespace {

/// Most memories are shorter than so many tokens, but few are much shorter.
constexpr std::int64_t tokens_of_hit = 16;
constexpr std::int64_t tokens_of_notable = 8;
/// Higher than a search's own: a budget is there to be used, but not for what has nothing to do
/// with the query. On conversations it costs no evidence.
constexpr double found_floor = 0.2;

/// "2023-05-08 13:56"
std::string minute_text(timestamp t) {
  constexpr std::size_t time_begin = 11;
  constexpr std::size_t time_size = 5;
  return fmt::format("{} {}", date_text(t), to_string(t).substr(time_begin, time_size));
}

/// When and who, that a model can place what it reads; whom the text begins with, or who asks, is
/// not said.
std::string with_provenance(const context_item& item, const asker& who, std::string_view text) {
  const bool is_said = item.by.empty() || item.by == who.owner() || text.starts_with(item.by + ":");
  if (is_said) return fmt::format("[{}] {}", minute_text(item.at), text);
  // A name is no way to write such a line oneself.
  std::string name = item.by;
  std::ranges::replace_if(
      name, [](char c) { return c == '[' || c == ']' || static_cast<unsigned char>(c) < ' '; },
      ' ');
  return fmt::format("[{}, {}] {}", minute_text(item.at), name, text);
}

/// The place that an importer noted; behind all others without one.
std::int64_t place_in_talk(const head& h) {
  const auto order = h.metadata.find("order");
  const auto* place =
      order == h.metadata.end() ? nullptr : std::get_if<std::int64_t>(&order->second);
  return place == nullptr ? std::numeric_limits<std::int64_t>::max() : *place;
}

/// Puts rows into a tier as long as they fit.
class filler {
public:
  filler(context_state& run, const read_views& views, kv_reader& reader)
      : run_(run), views_(views), reader_(reader) {
    for (const auto& row : run.left_out) known_.insert(row.row.value);
  }

  /// The most salient rows, in their order.
  result<void> fill_notable(const found_rows& ranked) {
    std::vector<row_no> rows;
    for (const row_no row : ranked.rows)
      if (!run_.shown.contains(row.value)) rows.push_back(row);
    // What tells of an import alone comes behind what was imported, before the others are cut: it
    // is newer than all that was said long ago.
    const attributes& columns = *views_.attributes;
    const term_no overview = columns.tag_term(overview_tag);
    if (overview.value != no_number)
      std::ranges::stable_partition(rows, [&](row_no row) {
        return columns.rows().line(row).type != memory_type::topic
               || !columns.has_tag(row, overview);
      });
    const auto most = static_cast<std::size_t>(most_notable(run_.answer.budget_tokens));
    rows.resize(std::min(rows.size(), most));
    if (auto ok = order_turns(rows, overview); !ok) return ok;
    for (const row_no row : rows) {
      auto item = fitting(row, context_tier::notable);
      if (!item) return propagate(item);
      if (*item) run_.answer.notable.push_back(std::move(**item));
    }
    return {};
  }

  /// What was found, in its order, each between what was said before and after it.
  result<void> fill_found(const std::vector<found_memory>& ranked) {
    for (const auto& f : ranked) {
      scores_[f.row.value] = f.score;
      if (f.older_of) older_[f.row.value] = views_.nodes->id(views_.attributes->node(*f.older_of));
    }
    for (const auto& f : ranked) {
      auto hit = fitting(f.row, context_tier::found);
      if (!hit) return propagate(hit);
      if (!run_.shown.contains(f.row.value)) continue;
      auto before = fitting(f.before, context_tier::found);
      if (!before) return propagate(before);
      auto after = fitting(f.after, context_tier::found);
      if (!after) return propagate(after);
      for (auto* item : {&*before, &*hit, &*after})
        if (*item) run_.answer.found.push_back(std::move(**item));
    }
    return {};
  }

private:
  /// Turns of one time are as salient as each other: they stand as they were said, and not as their
  /// ids are. What has no place in a talk follows those that have one.
  result<void> order_turns(std::vector<row_no>& rows, term_no overview) {
    const attributes& columns = *views_.attributes;
    const auto key_of = [&](row_no row) {
      const context_row described = context_row_of(row, run_, views_);
      const bool is_overview = overview.value != no_number && columns.has_tag(row, overview);
      return std::tuple(described.salience, described.created_at_ns, is_overview);
    };
    for (auto begin = rows.begin(); begin != rows.end();) {
      const auto key = key_of(*begin);
      const auto end =
          std::find_if(begin + 1, rows.end(), [&](row_no row) { return key_of(row) != key; });
      if (end - begin > 1)
        if (auto ok = order_by_place({begin, end}); !ok) return ok;
      begin = end;
    }
    return {};
  }
  result<void> order_by_place(std::span<row_no> rows) {
    std::vector<std::pair<std::int64_t, row_no>> placed;
    for (const row_no row : rows) {
      auto record = read_row(context_row_of(row, run_, views_), run_, views_, reader_);
      if (!record) return propagate(record);
      placed.emplace_back(place_in_talk(record->head), row);
    }
    std::ranges::stable_sort(placed, {}, &std::pair<std::int64_t, row_no>::first);
    ensure(placed.size() == rows.size(), "turns are put in order, and none is left out");
    std::ranges::copy(placed | std::views::values, rows.begin());
    return {};
  }

  /// The row as an item, counted, if there is one, it is not shown yet, and it fits.
  result<std::optional<context_item>> fitting(row_no row, context_tier tier) {
    if (row.value == no_number || run_.shown.contains(row.value)) return std::nullopt;
    context_row described = context_row_of(row, run_, views_);
    described.tier = tier;
    auto record = read_row(described, run_, views_, reader_);
    if (!record) return propagate(record);
    context_item item = item_of(described, *record, run_, views_);
    auto told = text_in_context(*record, run_, views_, reader_);
    if (!told) return propagate(told);
    if (tier == context_tier::found) {
      *told = with_provenance(item, run_.who, *told);
      if (const auto found = scores_.find(row.value); found != scores_.end())
        item.score = found->second;
      if (const auto older = older_.find(row.value); older != older_.end())
        item.older_of = older->second;
    }
    rendered_text text = as_trusted(item, std::move(*told), *views_.tokens);
    if (text.tokens > run_.answer.budget_tokens - run_.answer.tokens) {
      if (known_.insert(row.value).second) run_.left_out.push_back(described);
      return std::nullopt;
    }
    item.text = std::move(text.text);
    item.tokens = text.tokens;
    if (auto ok = run_.room.take(bytes_of(item)); !ok) return propagate(ok);
    run_.answer.tokens += item.tokens;
    run_.shown.insert(row.value);
    return item;
  }

  context_state& run_;
  const read_views& views_;
  kv_reader& reader_;
  std::map<std::uint32_t, double> scores_;   ///< by row
  std::map<std::uint32_t, memory_id> older_; ///< what is newer than a row, and says the same
  std::set<std::uint32_t> known_;            ///< rows in left_out
};

} // namespace

std::int64_t most_notable(std::int64_t budget_tokens) {
  return budget_tokens / tokens_of_notable + static_cast<std::int64_t>(max_reachable_uris);
}

search_request context_state::search_of(const context_request& r, std::int64_t budget) {
  constexpr std::int64_t least = 16;
  return {.query = r.query.value_or(""),
          .limit = std::max(least, budget / tokens_of_hit),
          .include_ended = r.include_ended,
          .min_trust = r.min_trust,
          .similarity_floor = found_floor,
          .vector = r.vector,
          .actor = r.actor,
          .scope = r.scope,
          .at_seq = r.at_seq,
          .deadline_ms = r.deadline_ms};
}

find_request context_state::salient_request(const read_views& views) const {
  find_request r;
  for (std::uint8_t byte = 1; byte <= memory_type_count; ++byte)
    if (static_cast<memory_type>(byte) != memory_type::chunk)
      r.types.push_back(static_cast<memory_type>(byte));
  const attributes& columns = *views.attributes;
  const term_no overview = columns.tag_term(overview_tag);
  // They do not count, and however many there are they may be the most salient.
  const std::uint64_t overviews =
      overview.value == no_number ? 0 : columns.with_tag(overview, context.at)->cardinality();
  r.limit =
      most_notable(answer.budget_tokens) + static_cast<std::int64_t>(pinned.size() + overviews);
  r.count = true;
  r.include_ended = request.include_ended;
  r.min_trust = request.min_trust;
  r.actor = request.actor;
  r.scope = request.scope;
  r.at_seq = request.at_seq;
  r.deadline_ms = time.left_ms();
  return r;
}

result<void> context_state::fill(const read_views& views, kv_reader& reader) {
  filler room_left(*this, views, reader);
  std::optional<std::int64_t> all;
  if (search) {
    auto found = search->take_found(views);
    if (!found) return propagate(found);
    answer.no_good_match = found->empty();
    if (auto ok = room_left.fill_found(*found); !ok) return ok;
  } else if (salient) {
    const found_rows ranked = salient->take_rows();
    all = ranked.total;
    if (auto ok = room_left.fill_notable(ranked); !ok) return ok;
  }
  std::erase_if(left_out, [&](const context_row& row) { return shown.contains(row.row.value); });
  answer.more = all ? *all - static_cast<std::int64_t>(shown.size())
                    : static_cast<std::int64_t>(left_out.size());
  for (const auto& row : left_out) {
    if (answer.reachable_uris.size() == max_reachable_uris) break;
    answer.reachable_uris.push_back(row.uri);
  }
  return {};
}

} // namespace mneme

/// The stages of a context: rows by type and by frame, then tiers, texts and the trim.

#include <algorithm>
#include <array>
#include <set>

#include "query/context/context_state.hpp"
#include "query/rendering.hpp"
#include "views/pinned.hpp"

namespace mneme {

namespace {

/// Rows of one context, by their columns.
class row_picker {
public:
  row_picker(const context_state& run, const read_views& views)
      : run_(run),
        views_(views),
        columns_(*views.attributes),
        visible_(run.who, *views.attributes, *views.nodes),
        scorer_(run.request.now.value_or(run.context.now), false, run.weights) {
    if (!run.who.sees_all()) own_ = columns_.actor_term(run.who.owner());
  }

  /// Adds the rows of these types that are there, the asker's own where there is one.
  result<void> pick_own(std::span<const memory_type> types, std::vector<context_row>& out) {
    posting_list typed;
    for (const auto type : types) typed.push_back(columns_.with_type(type));
    const auto own = own_ ? posting_list{columns_.with_actor(*own_)} : posting_list{};
    const auto fits = [&](const row_line& line, row_no) {
      return std::ranges::find(types, line.type) != types.end()
             && (!own_ || line.actor == own_->value);
    };
    return pick(own_ ? smaller(typed, own) : typed, fits, out);
  }
  /// Adds the rows with that frame that are there, seen, and not there yet.
  result<void> pick_framed(const intent_frame& frame, std::vector<context_row>& out) {
    const posting_list framed{columns_.with_frame(frame)};
    const auto seen = visible_.postings();
    const auto fits = [&](const row_line&, row_no row) { return framed.front()->contains(row); };
    return pick(seen.empty() ? framed : smaller(framed, seen), fits, out);
  }
  void forget_seen() { seen_.clear(); }

private:
  static const posting_list& smaller(const posting_list& a, const posting_list& b) {
    return cardinality(a) <= cardinality(b) ? a : b;
  }

  template <class Fits>
  result<void> pick(const posting_list& from, const Fits& fits, std::vector<context_row>& out) {
    result<void> in_time = run_.time.check();
    std::uint64_t looked_at = 0;
    for (const auto& rows : from) {
      if (!in_time) break;
      rows->for_each([&](row_no row) {
        in_time = run_.time.check(looked_at++);
        const row_line& line = columns_.rows().line(row);
        const bool is_there =
            (line.flags & row_unfindable) == 0 && columns_.alive(row, run_.context.at);
        if (is_there && visible_(row) && fits(line, row) && seen_.insert(row.value).second)
          out.push_back(row_of(row, line));
        return in_time.has_value();
      });
    }
    return in_time;
  }
  [[nodiscard]] context_row row_of(row_no row, const row_line& line) const {
    return {.tier = context_tier::pinned,
            .row = row,
            .node = {line.node},
            .uri = {line.type, views_.nodes->id({line.node}), columns_.rows().rest(row).version},
            .created_at_ns = line.created_at_ns,
            .salience = scorer_(columns_.activation_of({line.node}, run_.context.at), 0)};
  }

  const context_state& run_;
  const read_views& views_;
  const attributes& columns_;
  visible_rows visible_;
  salience_scorer scorer_;
  std::optional<term_no> own_; ///< whose Pinned tier; none = everybody's
  std::set<std::uint32_t> seen_;
};

bool best_first(const context_row& a, const context_row& b) {
  if (a.salience != b.salience) return a.salience > b.salience;
  return a.uri.id < b.uri.id;
}
bool newest_first(const context_row& a, const context_row& b) {
  if (a.created_at_ns != b.created_at_ns) return a.created_at_ns > b.created_at_ns;
  return a.uri.id < b.uri.id;
}
/// The lowest salience goes first; of equals, the smaller id.
bool kept_longer(const context_row& a, const context_row& b) {
  if (a.salience != b.salience) return a.salience > b.salience;
  return a.uri.id > b.uri.id;
}

/// Records and texts of the rows.
class row_reader {
public:
  row_reader(const context_state& run, const read_views& views, kv_reader& reader)
      : run_(run), views_(views), reader_(reader) {}

  result<memory> read(const context_row& row) {
    auto m = read_memory(views_, reader_, row.uri.id, run_.context.at);
    if (!m) return propagate(m);
    if (!m->has_value())
      return fail(errc::corrupt, to_string(row.uri) + " has a row, but no record");
    return std::move(**m);
  }
  result<context_item> item(const context_row& row) {
    auto m = read(row);
    if (!m) return propagate(m);
    rendered_text text = render(*m, run_.request.form, *views_.tokens);
    return context_item{row.uri, std::move(text.text), text.tokens, row.salience};
  }

private:
  const context_state& run_;
  const read_views& views_;
  kv_reader& reader_;
};

/// Every row once, in the first of its tiers that are asked for.
result<std::vector<context_row>> arrange(context_state& run, row_reader& records) {
  const auto wanted = [&](context_tier tier) {
    const auto& tiers = run.request.tiers;
    return !tiers || std::ranges::find(*tiers, tier) != tiers->end();
  };
  std::vector<context_row> rows;
  std::set<std::uint32_t> taken;
  if (!wanted(context_tier::pinned)) run.pinned.clear(); // what is framed comes in a later tier
  for (auto& row : run.pinned) {
    if (row.uri.type != memory_type::identity) {
      auto m = records.read(row);
      if (!m) return propagate(m);
      if (!is_pinned(row.uri.type, m->version->data)) continue;
    }
    taken.insert(row.row.value);
    row.salience = std::max(row.salience, pinned_salience);
    rows.push_back(row);
  }
  std::erase_if(run.framed, [&](const context_row& r) { return taken.contains(r.row.value); });
  if (wanted(context_tier::outcomes)) {
    std::ranges::sort(run.framed, newest_first);
    std::int64_t left = run.request.outcome_limit;
    for (auto& row : run.framed) {
      if (left == 0) break;
      if (row.uri.type != memory_type::event) continue;
      row.tier = context_tier::outcomes;
      rows.push_back(row);
      taken.insert(row.row.value);
      --left;
    }
  }
  if (!wanted(context_tier::frame_relevant)) return rows;
  for (auto& row : run.framed) {
    if (taken.contains(row.row.value)) continue;
    row.tier = context_tier::frame_relevant;
    rows.push_back(row);
  }
  return rows;
}

} // namespace

result<void> context_state::select(const read_views& views) {
  row_picker picker(*this, views);
  constexpr std::array own = {memory_type::identity, memory_type::constraint, memory_type::goal};
  if (auto ok = picker.pick_own(own, pinned); !ok) return ok;
  picker.forget_seen();
  if (request.action)
    for (const auto& [kind, ref] : request.objects)
      if (auto ok = picker.pick_framed({*request.action, kind, ref}, framed); !ok) return ok;
  stage = context_stage::fetch;
  return {};
}

/// Cutting the least salient row until the rest fits is to keep the longest run of rows in salience
/// order that fits, and one row at least: only those are read.
result<void> context_state::fetch(const read_views& views) {
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  row_reader records(*this, views, **reader);
  auto rows = arrange(*this, records);
  if (!rows) return propagate(rows);
  std::ranges::sort(*rows, kept_longer);
  struct placed {
    context_row row;
    context_item item;
  };
  std::vector<placed> kept;
  for (const auto& row : *rows) {
    auto item = records.item(row);
    if (!item) return propagate(item);
    if (!kept.empty() && answer.tokens + item->tokens > answer.budget_tokens) break;
    if (auto ok = room.take(sizeof(*item) + item->text.size()); !ok) return ok;
    answer.tokens += item->tokens;
    kept.push_back({row, std::move(*item)});
  }
  for (std::size_t i = kept.size(); i < rows->size(); ++i) {
    if (answer.reachable_uris.size() == max_reachable_uris) break;
    answer.reachable_uris.push_back((*rows)[i].uri);
  }
  std::ranges::sort(kept, [](const placed& a, const placed& b) {
    if (a.row.tier != b.row.tier) return a.row.tier < b.row.tier;
    return a.row.tier == context_tier::outcomes ? newest_first(a.row, b.row)
                                                : best_first(a.row, b.row);
  });
  const std::array<std::vector<context_item>*, 3> tiers = {&answer.pinned, &answer.outcomes,
                                                           &answer.frame_relevant};
  for (auto& p : kept) tiers[static_cast<std::size_t>(p.row.tier)]->push_back(std::move(p.item));
  stage = context_stage::done;
  return {};
}

} // namespace mneme

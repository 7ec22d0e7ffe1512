/// The stages of a context: rows by type and by frame, whoever ranks others, then tiers, texts and
/// the trim.

#include <algorithm>
#include <array>
#include <set>

#include "messages/text/quoted_text.hpp"
#include "messages/text/topic_text.hpp"
#include "query/context/context_state.hpp"
#include "query/rendering.hpp"
#include "query/search/question_share.hpp"
#include "views/current_memories.hpp"
#include "views/pinned.hpp"
#include "views/standing.hpp"
#include "views/topic_reads.hpp"

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
        current_(visible_, views, run.context.at, {.instant = run.now()}, &run.distrusted) {
    if (!run.who.sees_all()) own_ = columns_.actor_term(run.who.owner());
  }

  /// Adds the rows of these types that are there, the asker's own where there is one.
  result<void> pick_own(std::span<const memory_type> types, std::vector<context_row>& out) {
    posting_list typed;
    for (const auto type : types) typed.push_back(columns_.with_type(type, run_.context.at));
    const auto own =
        own_ ? posting_list{columns_.with_actor(*own_, run_.context.at)} : posting_list{};
    const auto fits = [&](const row_line& line, row_no) {
      return std::ranges::find(types, line.type) != types.end()
             && (!own_ || line.actor == own_->value);
    };
    return pick(own_ ? smaller(typed, own) : typed, fits, out);
  }
  /// Adds the rows with that frame that are there, seen, and not there yet.
  result<void> pick_framed(const intent_frame& frame, std::vector<context_row>& out) {
    const posting_list framed{columns_.with_frame(frame, run_.context.at)};
    const auto seen = visible_.postings(run_.context.at);
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
        const bool is_there = (line.flags & row_archived) == 0 && may_have_held(line.flags)
                              && columns_.alive(row, run_.context.at);
        const bool fits_here = is_there && visible_(row) && !run_.distrusted.contains(line.node)
                               && fits(line, row)
                               && (run_.request.include_ended || current_.holds(line));
        if (fits_here && seen_.insert(row.value).second)
          out.push_back(context_row_of(row, run_, views_));
        return in_time.has_value();
      });
    }
    return in_time;
  }
  const context_state& run_;
  const read_views& views_;
  const attributes& columns_;
  visible_rows visible_;
  current_memories current_;   ///< by what is visible
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

std::string speaker_of(const head& h) {
  const auto speaker = h.metadata.find("speaker");
  const auto* name =
      speaker == h.metadata.end() ? nullptr : std::get_if<std::string>(&speaker->second);
  return name != nullptr && !name->empty() ? *name : h.actor_scope;
}

/// Every row once, in the first of its tiers that are asked for.
result<std::vector<context_row>> arrange(context_state& run, const read_views& views,
                                         kv_reader& reader) {
  std::vector<context_row> rows;
  std::set<std::uint32_t> taken;
  if (!run.wants(context_tier::pinned)) run.pinned.clear(); // what is framed comes in a later tier
  for (auto& row : run.pinned) {
    if (row.uri.type != memory_type::identity) {
      auto m = read_row(row, run, views, reader);
      if (!m) return propagate(m);
      if (!is_pinned(row.uri.type, m->version->data)) continue;
    }
    taken.insert(row.row.value);
    row.salience = std::max(row.salience, pinned_salience);
    rows.push_back(row);
  }
  std::erase_if(run.framed, [&](const context_row& r) { return taken.contains(r.row.value); });
  if (run.wants(context_tier::outcomes)) {
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
  if (!run.wants(context_tier::frame_relevant)) return rows;
  for (auto& row : run.framed) {
    if (taken.contains(row.row.value)) continue;
    row.tier = context_tier::frame_relevant;
    rows.push_back(row);
  }
  return rows;
}

} // namespace

bool context_state::wants(context_tier tier) const {
  return !request.tiers || std::ranges::find(*request.tiers, tier) != request.tiers->end();
}

bool context_state::is_unasked() const {
  return !request.query && !(request.action && !request.objects.empty());
}

query_run* context_state::ranking() const {
  if (search) return search.get();
  return salient.get();
}

void context_state::ask_next() {
  const query_run* asked = ranking();
  const auto next = asked == nullptr ? std::nullopt : asked->next();
  stage = !next || *next == effect_kind::store ? context_stage::fetch : context_stage::ask;
}

result<void> context_state::select(const read_views& views) {
  if (request.min_trust)
    distrusted = distrusted_memories(views, context.at, *request.min_trust, time.goes_on());
  row_picker picker(*this, views);
  constexpr std::array own = {memory_type::identity, memory_type::constraint, memory_type::goal};
  if (auto ok = picker.pick_own(own, pinned); !ok) return ok;
  picker.forget_seen();
  if (request.action)
    for (const auto& [kind, ref] : request.objects)
      if (auto ok = picker.pick_framed({*request.action, kind, ref}, framed); !ok) return ok;
  if (is_unasked() && wants(context_tier::notable)) {
    auto ranks = find_run::compile(salient_request(views), context, views);
    if (!ranks) return propagate(ranks);
    salient = std::move(*ranks);
  }
  ask_next();
  return {};
}

result<void> context_state::ask(const read_views& views) {
  if (auto ok = ranking()->run(views); !ok) return ok;
  ask_next();
  return {};
}

context_row context_row_of(row_no row, const context_state& run, const read_views& views) {
  const attributes& columns = *views.attributes;
  const row_line& line = columns.rows().line(row);
  const salience_scorer scorer(run.now(), false, run.weights);
  const bool is_gone = (line.flags & row_gone) != 0; // it is not salient any more, as in find
  return {.tier = context_tier::pinned,
          .row = row,
          .node = {line.node},
          .uri = {line.type, views.nodes->id({line.node}), columns.rows().rest(row).version},
          .created_at_ns = line.created_at_ns,
          .salience = is_gone ? 0 : scorer(columns.activation_of({line.node}, run.context.at), 0)};
}

result<memory> read_row(const context_row& row, const context_state& run, const read_views& views,
                        kv_reader& reader) {
  auto m = read_memory(views, reader, row.uri.id, run.context.at);
  if (!m) return propagate(m);
  if (!m->has_value()) return fail(errc::corrupt, to_string(row.uri) + " has a row, but no record");
  return std::move(**m);
}

namespace {

/// What is shown holds, unless more was asked for.
past_marks marks_of(row_no row, const context_state& run, const read_views& views) {
  if (!run.request.include_ended) return {};
  const visible_rows visible(run.who, *views.attributes, *views.nodes);
  const current_memories current(visible, views, run.context.at, {.instant = run.now()},
                                 &run.distrusted);
  return current.marks_of(views.attributes->rows().line(row));
}

} // namespace

context_item item_of(const context_row& row, const memory& m, const context_state& run,
                     const read_views& views) {
  const provenance& from = m.version->provenance;
  return {.uri = row.uri,
          .text = {},
          .salience = row.salience,
          .by = speaker_of(m.head),
          .at = m.version->created_at,
          .standing = lineage_reader(views, run.context.at).standing_of(row.row),
          .trust_told = from.trust || from.source_class,
          .source_class = from.source_class,
          .past = marks_of(row.row, run, views)};
}

result<std::string> text_in_context(const memory& m, const context_state& run,
                                    const read_views& views, kv_reader& reader) {
  constexpr std::size_t most_of_fields = 600;
  std::string text = render(m, run.request.form, *views.tokens).text;
  if (m.head->type != memory_type::topic || run.request.form == form_kind::short_form) return text;
  auto values = read_field_values(reader, m.head->id, run.context.at);
  if (!values) return propagate(values);
  const value_time when{.instant = run.now(), .includes_ended = run.request.include_ended};
  std::erase_if(*values, [&](const topic_value& v) { return !when.tells(v); });
  std::string wanted;
  if (run.request.query) {
    const auto language = views.language;
    wanted = best_field(distinct_terms(*run.request.query, language), {}, *values, language);
  }
  return text + told_values(values_told(*values, when), most_of_fields, wanted);
}

rendered_text as_trusted(const context_item& item, std::string text, const token_counter& tokens) {
  if (item.standing.trust < trust_unquoted) text = quoted_as_data(text, item.source_class);
  return counted(std::move(text), tokens);
}

std::uint64_t bytes_of(const context_item& item) {
  return sizeof(item) + item.text.size() + item.by.size();
}

/// Cutting the least salient row until the rest fits is to keep the longest run of rows in salience
/// order that fits, and one row at least: only those are read.
result<void> context_state::fetch(const read_views& views) {
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  auto rows = arrange(*this, views, **reader);
  if (!rows) return propagate(rows);
  std::ranges::sort(*rows, kept_longer);
  struct placed {
    context_row row;
    context_item item;
  };
  std::vector<placed> kept;
  for (const auto& row : *rows) {
    auto record = read_row(row, *this, views, **reader);
    if (!record) return propagate(record);
    context_item item = item_of(row, *record, *this, views);
    auto told = text_in_context(*record, *this, views, **reader);
    if (!told) return propagate(told);
    rendered_text text = as_trusted(item, std::move(*told), *views.tokens);
    if (!kept.empty() && answer.tokens + text.tokens > answer.budget_tokens) break;
    item.text = std::move(text.text);
    item.tokens = text.tokens;
    if (auto ok = room.take(bytes_of(item)); !ok) return ok;
    answer.tokens += item.tokens;
    shown.insert(row.row.value);
    kept.push_back({row, std::move(item)});
  }
  left_out.assign(rows->begin() + static_cast<std::ptrdiff_t>(kept.size()), rows->end());
  std::ranges::sort(kept, [](const placed& a, const placed& b) {
    if (a.row.tier != b.row.tier) return a.row.tier < b.row.tier;
    return a.row.tier == context_tier::outcomes ? newest_first(a.row, b.row)
                                                : best_first(a.row, b.row);
  });
  const std::array<std::vector<context_item>*, 3> tiers = {&answer.pinned, &answer.outcomes,
                                                           &answer.frame_relevant};
  for (auto& p : kept) tiers[static_cast<std::size_t>(p.row.tier)]->push_back(std::move(p.item));
  if (auto ok = fill(views, **reader); !ok) return ok;
  stage = context_stage::done;
  return {};
}

} // namespace mneme

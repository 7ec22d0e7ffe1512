/// The stage select: which rows each leg searches, and how well their texts fit; or the rows of
/// given ids.

#include <algorithm>
#include <set>

#include "query/bm25.hpp"
#include "query/search_state.hpp"

namespace mneme {

namespace {

constexpr std::uint8_t gone = row_tombstoned | row_erased;

/// The filters of one search over rows.
class leg_filter {
public:
  leg_filter(const search_state& s, const read_views& views)
      : s_(s),
        r_(s.request),
        rows_(*views.attributes),
        graph_(*views.graph),
        at_(s.context.at),
        visible_(s.who, rows_, *views.nodes) {
    if (r_.project) project_ = rows_.place_term(*r_.project);
    if (r_.tag) tag_ = rows_.tag_term(*r_.tag);
    if (s.audience && *s.audience != search_audience::all)
      audience_ = static_cast<std::uint8_t>(*s.audience == search_audience::personal
                                                ? lifecycle_audience::personal
                                                : lifecycle_audience::work);
  }

  /// Alive, not tombstoned, and the asker sees it.
  [[nodiscard]] bool seen(row_no row) const {
    return (rows_.rows().line(row).flags & gone) == 0 && rows_.alive(row, at_) && visible_(row);
  }

  /// Precondition: seen.
  [[nodiscard]] bool passes_memory(row_no row) const {
    const row_line& line = rows_.rows().line(row);
    const row_facets& f = rows_.facets(row);
    if (r_.type && line.type != *r_.type) return false;
    if (!passes_both(f)) return false;
    if (r_.project && (f.project == no_number || f.project != project_.value)) return false;
    if (r_.origin && f.origin != static_cast<std::uint8_t>(*r_.origin)) return false;
    if (r_.atomic_only && (f.flags & facet_atomic) == 0) return false;
    if (!passes_status(f) || !passes_due(f)) return false;
    if (r_.tag && (tag_.value == no_number || !rows_.has_tag(row, tag_))) return false;
    return r_.include_archived || !superseded(line);
  }

  /// Precondition: seen.
  [[nodiscard]] bool passes_content(row_no row) {
    const row_facets& f = rows_.facets(row);
    if (!passes_both(f)) return false;
    if (r_.content_source
        && (*r_.content_source == chunk_source::github) != ((f.flags & facet_from_github) != 0))
      return false;
    return !r_.source_filter || path_fits(f.path);
  }

  /// Was it made a memory that the asker finds instead?
  [[nodiscard]] bool promoted(row_no row) const {
    const node_no memory{rows_.facets(row).reference};
    row_no found;
    return memory.value != no_number && is_live(rows_, memory, at_, found)
           && rows_.rows().line(found).type != memory_type::chunk && visible_(found);
  }

  /// Does the path contain what source_filter asks for? Each path is looked at once.
  bool path_fits(std::uint32_t path) {
    if (path == no_number) return false;
    if (path >= fits_.size()) fits_.resize(path + 1, unknown);
    if (fits_[path] == unknown)
      fits_[path] = rows_.place_text({path}).contains(*r_.source_filter) ? yes : no;
    return fits_[path] == yes;
  }

private:
  enum : std::uint8_t { unknown, yes, no };

  /// What holds for memories and chunks alike.
  [[nodiscard]] bool passes_both(const row_facets& f) const {
    const bool archived = f.status == static_cast<std::uint8_t>(lifecycle_status::archived);
    if (archived && !r_.include_archived && r_.status != search_status::archived) return false;
    return !audience_ || f.audience == *audience_;
  }
  [[nodiscard]] bool passes_status(const row_facets& f) const {
    if (!r_.status) return true;
    if (*r_.status != search_status::overdue) return f.status == static_cast<int>(*r_.status);
    return f.status >= static_cast<int>(lifecycle_status::open)
           && f.status <= static_cast<int>(lifecycle_status::scheduled)
           && (f.flags & facet_has_due) != 0 && f.due_ns < s_.context.now.ns;
  }
  [[nodiscard]] bool passes_due(const row_facets& f) const {
    if (!r_.due_after && !r_.due_before) return true;
    if ((f.flags & facet_has_due) == 0) return false;
    return (!r_.due_after || f.due_ns >= r_.due_after->ns)
           && (!r_.due_before || f.due_ns <= r_.due_before->ns);
  }
  /// Does a live Decision replace it, or a live memory supersede it?
  [[nodiscard]] bool superseded(const row_line& line) const {
    bool found = false;
    const node_no node{line.node};
    if (rows_.is_referred_to(node))
      rows_.for_each_referring(node, [&](row_no by) {
        const row_line& other = rows_.rows().line(by);
        found = other.type == memory_type::decision && other.node != line.node
                && (other.flags & gone) == 0 && rows_.alive(by, at_);
        return !found;
      });
    if (found || !graph_.ever_led_to(node, edge_type::supersedes)) return found;
    graph_.neighbours(node, edge_direction::in, at_, false, [&](const neighbour& n) {
      row_no by;
      found = n.type == edge_type::supersedes && is_live(rows_, n.node, at_, by);
      return !found;
    });
    return found;
  }

  const search_state& s_;
  const search_request& r_;
  const attributes& rows_;
  const graph& graph_;
  seq_no at_;
  visible_rows visible_;
  term_no project_;
  term_no tag_;
  std::optional<std::uint8_t> audience_;
  std::vector<std::uint8_t> fits_; ///< by place term
};

/// Counts distinct paths.
class path_set {
public:
  void add(std::uint32_t path) {
    if (path == no_number) return;
    if (path >= seen_.size()) seen_.resize(path + 1, false);
    if (seen_[path]) return;
    seen_[path] = true;
    ++count_;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

private:
  std::vector<bool> seen_;
  std::int64_t count_ = 0;
};

} // namespace

bool is_live(const attributes& rows, node_no node, seq_no at, row_no& row) {
  row = rows.row_of(node, at);
  return row.value != no_number && (rows.rows().line(row).flags & gone) == 0;
}

result<void> search_state::run_select(const read_views& views) {
  const attributes& rows = *views.attributes;
  leg_filter filter(*this, views);
  path_set sources;
  bool source_found = false;
  const auto consider = [&](row_no row) {
    const row_line& line = rows.rows().line(row);
    const bool is_chunk = line.type == memory_type::chunk;
    search_leg& leg = is_chunk ? content : memory;
    if (!leg.runs || !filter.seen(row)) return;
    if (is_chunk) {
      const std::uint32_t path = rows.facets(row).path;
      sources.add(path);
      if (request.source_filter) source_found |= filter.path_fits(path);
      if (!filter.passes_content(row)) return;
      if (filter.promoted(row)) {
        ++leg.coverage.promoted_hidden;
        return;
      }
    } else if (!filter.passes_memory(row)) {
      return;
    }
    leg.found.push_back({.row = row, .slot = {line.slot}});
  };
  if (auto ok = each_row(views, consider); !ok) return ok;
  content.coverage.indexed_sources = sources.count();
  if (content.runs && request.source_filter && !source_found)
    answer.coverage.requested_sources_not_found.push_back(*request.source_filter);
  for (search_leg* leg : {&memory, &content}) {
    leg->coverage.searched = static_cast<std::int64_t>(leg->found.size());
    score_text(*leg, views);
    if (auto ok = check_deadline(); !ok) return ok;
  }
  stage = search_stage::rank;
  return {};
}

result<void> search_state::each_row(const read_views& views,
                                    const std::function<void(row_no)>& consider) const {
  const std::uint32_t limit = views.attributes->rows().count_at(context.at);
  std::uint32_t looked_at = 0;
  result<void> ok;
  const auto look = [&](row_no row) {
    if (row.value >= limit) return false;
    if ((++looked_at & 4095U) == 0) ok = check_deadline();
    if (ok) consider(row);
    return ok.has_value();
  };
  if (const auto narrowest = narrowest_posting(views)) {
    for (const auto& rows : *narrowest) {
      rows->for_each(look);
      if (!ok) return ok;
    }
    return ok;
  }
  for (row_no row{0}; row.value < limit && look(row); ++row.value) {
  }
  return ok;
}

std::optional<std::vector<std::shared_ptr<const posting_view>>>
search_state::narrowest_posting(const read_views& views) const {
  const attributes& rows = *views.attributes;
  std::vector<std::shared_ptr<const posting_view>> few;
  if (memory.runs) {
    // Which rows a leg searches follows from its filters; these only spare looking at the others.
    if (request.tag)
      few.push_back(rows.with_tag(rows.tag_term(*request.tag)));
    else if (request.type)
      few.push_back(rows.with_type(*request.type));
    else if (const scope* within = who.verified_scope(); within != nullptr && !content.runs)
      few.push_back(rows.with_actor(rows.actor_term(within->actor)));
    else
      return std::nullopt;
  }
  if (!content.runs) return few;
  if (memory.runs && request.tag) return std::nullopt; // chunks have tags too
  few.push_back(rows.with_type(memory_type::chunk));
  return few;
}

void search_state::score_text(search_leg& leg, const read_views& views) const {
  const lexical& words = *views.lexical;
  const corpus_size size = words.size(leg.of, context.at);
  leg.texts.assign(leg.found.size(), 0.0);
  std::uint32_t slots = 0;
  for (const auto& f : leg.found) slots = std::max(slots, f.slot.value + 1);
  leg.place.assign(slots, no_number);
  for (std::uint32_t i = 0; i < leg.found.size(); ++i) leg.place[leg.found[i].slot.value] = i;
  if (leg.found.empty() || size.length == 0) return;
  const double b = length_share(leg, words);
  const double mean = static_cast<double>(size.length) / static_cast<double>(size.documents);
  for (const auto& text : terms) {
    const term_no term = words.term(text);
    const std::uint64_t frequency = words.document_frequency(leg.of, term, context.at);
    if (frequency == 0) continue;
    const bm25_term by(weights.k1, b, inverse_document_frequency(size.documents, frequency), mean);
    for (const auto& p : words.postings(leg.of, term)) {
      if (p.slot >= slots) break;
      const std::uint32_t at = leg.place[p.slot];
      if (at != no_number) leg.texts[at] += by.score(p.count, words.length({p.slot}));
    }
  }
  const double most = std::ranges::max(leg.texts);
  if (most == 0) return;
  for (double& text : leg.texts) text /= most;
}

double search_state::length_share(const search_leg& leg, const lexical& words) const {
  if (weights.b == weights.b_short) return weights.b;
  double length = 0;
  for (const auto& f : leg.found) length += words.length(f.slot);
  return length_normalisation(weights, length / static_cast<double>(leg.found.size()));
}

result<void> search_state::run_lookup(const read_views& views) {
  leg_filter filter(*this, views);
  const attributes& rows = *views.attributes;
  std::set<memory_id> seen;
  for (const auto& id : *request.memory_ids) {
    if (!seen.insert(id).second) continue;
    const node_no node = views.nodes->find(id);
    const row_no row = node.value == no_number ? row_no{} : rows.row_of(node, context.at);
    if (row.value == no_number || !filter.seen(row)
        || rows.rows().line(row).type == memory_type::chunk) {
      answer.coverage.not_found_ids.push_back(id);
      continue;
    }
    hits.push_back({.row = row, .slot = rows.slot(row), .raw = 1, .score = 1});
  }
  memory.coverage.searched = static_cast<std::int64_t>(hits.size());
  memory.coverage.candidates = memory.coverage.searched;
  stage = search_stage::fetch;
  return {};
}

} // namespace mneme

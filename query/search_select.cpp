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
    rows_.for_each_referring({line.node}, [&](row_no by) {
      const row_line& other = rows_.rows().line(by);
      found = other.type == memory_type::decision && other.node != line.node
              && (other.flags & gone) == 0 && rows_.alive(by, at_);
      return !found;
    });
    if (found) return true;
    graph_.neighbours({line.node}, edge_direction::in, at_, false, [&](const neighbour& n) {
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
  const std::uint32_t count = rows.rows().count_at(context.at);
  for (row_no row{0}; row.value < count; ++row.value) {
    if ((row.value & 4095U) == 4095U)
      if (auto ok = check_deadline(); !ok) return ok;
    const row_line& line = rows.rows().line(row);
    const bool is_chunk = line.type == memory_type::chunk;
    search_leg& leg = is_chunk ? content : memory;
    if (!leg.runs || !filter.seen(row)) continue;
    if (is_chunk) {
      const std::uint32_t path = rows.facets(row).path;
      sources.add(path);
      if (request.source_filter) source_found |= filter.path_fits(path);
      if (!filter.passes_content(row)) continue;
      if (filter.promoted(row)) {
        ++leg.coverage.promoted_hidden;
        continue;
      }
    } else if (!filter.passes_memory(row)) {
      continue;
    }
    leg.rows.push_back({.row = row, .slot = {line.slot}});
  }
  content.coverage.indexed_sources = sources.count();
  if (content.runs && request.source_filter && !source_found)
    answer.coverage.requested_sources_not_found.push_back(*request.source_filter);
  for (search_leg* leg : {&memory, &content}) {
    leg->coverage.searched = static_cast<std::int64_t>(leg->rows.size());
    score_text(*leg, views);
  }
  stage = vector.empty() ? search_stage::rank : search_stage::near;
  return {};
}

void search_state::score_text(search_leg& leg, const read_views& views) const {
  const lexical& words = *views.lexical;
  const corpus_size size = words.size(leg.of, context.at);
  if (leg.rows.empty() || size.length == 0) return;
  std::uint32_t slots = 0;
  double length = 0;
  for (const auto& r : leg.rows) {
    slots = std::max(slots, r.slot.value + 1);
    length += words.length(r.slot);
  }
  std::vector<std::uint32_t> position(slots, no_number);
  for (std::uint32_t i = 0; i < leg.rows.size(); ++i) position[leg.rows[i].slot.value] = i;
  const double b = length_normalisation(weights, length / static_cast<double>(leg.rows.size()));
  const double mean = static_cast<double>(size.length) / static_cast<double>(size.documents);
  for (const auto& text : terms) {
    const term_no term = words.term(text);
    const std::uint64_t frequency = words.document_frequency(leg.of, term, context.at);
    if (frequency == 0) continue;
    const bm25_term by(weights.k1, b, inverse_document_frequency(size.documents, frequency), mean);
    for (const auto& p : words.postings(leg.of, term)) {
      if (p.slot >= slots) break;
      const std::uint32_t at = position[p.slot];
      if (at != no_number) leg.rows[at].text += by.score(p.count, words.length({p.slot}));
    }
  }
  double most = 0;
  for (const auto& r : leg.rows) most = std::max(most, r.text);
  if (most == 0) return;
  for (auto& r : leg.rows) r.text /= most;
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

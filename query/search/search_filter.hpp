#pragma once
/// The filters of one search, on columns.

#include <cstdint>
#include <optional>
#include <vector>

#include "messages/text/composed.hpp"
#include "query/search/search_state.hpp"
#include "views/current_memories.hpp"

namespace mneme {

/// What a filter makes of a row: out, or in, or in but for one thing, which is counted.
enum class filtered : std::uint8_t { out, ended, distrusted, superseded, overview, in };

/// Counts what a filter left out.
inline void count_left_out(filtered found, leg_coverage& coverage) {
  if (found == filtered::ended) ++coverage.ended;
  if (found == filtered::distrusted) ++coverage.distrusted;
  if (found == filtered::superseded) ++coverage.superseded;
  if (found == filtered::overview) ++coverage.overviews;
}

/// Topics that tell of an import alone.
inline bool leaves_out_overviews(const search_request& r) {
  return !r.include_overviews && r.tag != overview_tag;
}

/// What a newer memory takes out of answers.
inline bool leaves_out_superseded(const search_request& r) {
  return !r.include_archived && !r.include_ended;
}

class leg_filter {
public:
  leg_filter(const search_state& s, const read_views& views)
      : s_(s),
        r_(s.request),
        rows_(*views.attributes),
        at_(s.context.at),
        lineage_(views, s.context.at),
        visible_(s.who, rows_, *views.nodes),
        current_(visible_, views, s.context.at, {s.instant(), r_.as_of.has_value()},
                 &s.distrusted) {
    if (r_.project) project_ = rows_.place_term(*r_.project);
    if (r_.tag) tag_ = rows_.tag_term(composed(*r_.tag));
    if (leaves_out_overviews(r_)) overview_ = rows_.tag_term(overview_tag);
    if (s.audience && *s.audience != search_audience::all)
      audience_ = static_cast<std::uint8_t>(*s.audience == search_audience::personal
                                                ? lifecycle_audience::personal
                                                : lifecycle_audience::work);
  }

  /// Alive, not tombstoned but as superseded, and the asker sees it.
  [[nodiscard]] bool seen(row_no row) const {
    return may_have_held(rows_.rows().line(row).flags) && rows_.alive(row, at_) && visible_(row);
  }

  /// Precondition: seen.
  [[nodiscard]] bool passes_memory(row_no row) const { return test_memory(row) == filtered::in; }
  /// Precondition: seen.
  [[nodiscard]] filtered test_memory(row_no row) const {
    const row_line& line = rows_.rows().line(row);
    filtered found = before_fit(line);
    if (found == filtered::out || !fits_memory(row)) return filtered::out;
    if (is_overview(row)) found = also(found, filtered::overview);
    return superseded_too(line, found);
  }
  /// Precondition: seen.
  [[nodiscard]] filtered test_content(row_no row) {
    const row_line& line = rows_.rows().line(row);
    const filtered found = before_fit(line);
    if (found == filtered::out || !fits_content(row)) return filtered::out;
    return superseded_too(line, found);
  }

  /// At the time that is asked for: neither ended nor superseded.
  [[nodiscard]] bool holds(row_no row) const { return current_.holds(rows_.rows().line(row)); }

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

  [[nodiscard]] filtered in_time(const row_line& line) const {
    if (!current_.has_begun(line)) return filtered::out;
    const bool has_ended = !r_.include_ended && current_.has_ended(line);
    return has_ended || s_.past_topics.contains(line.node) ? filtered::ended : filtered::in;
  }
  /// What fails twice is counted nowhere.
  static filtered also(filtered found, filtered left_out) {
    return found == filtered::in ? left_out : filtered::out;
  }
  [[nodiscard]] filtered superseded_too(const row_line& line, filtered found) const {
    const bool is_left_out =
        found != filtered::out && leaves_out_superseded(r_) && current_.is_superseded(line);
    return is_left_out ? also(found, filtered::superseded) : found;
  }
  /// By time and trust.
  [[nodiscard]] filtered before_fit(const row_line& line) const {
    const filtered by_time = in_time(line);
    if (by_time == filtered::out || !s_.distrusted.contains(line.node)) return by_time;
    return also(by_time, filtered::distrusted);
  }

  [[nodiscard]] bool fits_memory(row_no row) const {
    const row_line& line = rows_.rows().line(row);
    const row_facets& f = rows_.facets(row);
    if (r_.type && line.type != *r_.type) return false;
    const bool asks_archived = r_.status == search_status::archived;
    if (!passes_both(f, asks_archived)) return false;
    if (r_.project && (f.project == no_number || f.project != project_.value)) return false;
    if (r_.origin && f.origin != static_cast<std::uint8_t>(*r_.origin)) return false;
    if (r_.atomic_only && (f.flags & facet_atomic) == 0) return false;
    if (!passes_status(f) || !passes_due(f)) return false;
    if (r_.tag && (tag_.value == no_number || !rows_.has_tag(row, tag_))) return false;
    return stands_as_asked(row);
  }
  [[nodiscard]] bool is_overview(row_no row) const {
    return overview_.value != no_number && rows_.rows().line(row).type == memory_type::topic
           && rows_.has_tag(row, overview_);
  }
  [[nodiscard]] bool stands_as_asked(row_no row) const {
    return !r_.stale || lineage_.of(row).stale == *r_.stale;
  }

  [[nodiscard]] bool fits_content(row_no row) {
    const row_facets& f = rows_.facets(row);
    // The status is asked of memories alone: it opens no archived chunks.
    if (!passes_both(f, false)) return false;
    if (r_.content_source
        && (*r_.content_source == chunk_source::github) != ((f.flags & facet_from_github) != 0))
      return false;
    if (!stands_as_asked(row)) return false;
    return !r_.source_filter || path_fits(f.path);
  }

  /// What holds for memories and chunks alike.
  [[nodiscard]] bool passes_both(const row_facets& f, bool asks_archived) const {
    const bool archived = f.status == static_cast<std::uint8_t>(lifecycle_status::archived);
    if (archived && !r_.include_archived && !asks_archived) return false;
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

  const search_state& s_;
  const search_request& r_;
  const attributes& rows_;
  seq_no at_;
  lineage_reader lineage_;
  visible_rows visible_;
  current_memories current_; ///< by what is visible
  term_no project_;
  term_no tag_;
  term_no overview_; ///< which topics are left out
  std::optional<std::uint8_t> audience_;
  std::vector<std::uint8_t> fits_; ///< by place term
};

} // namespace mneme

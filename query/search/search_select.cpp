/// The stage select: which rows each leg searches; or the rows of given ids.
///
/// A memory leg without filters searches every live memory but those that are archived, replaced,
/// ended, overviews of imports, or trusted too little.
/// Those are few and known, so the others are counted, not looked at. What else a leg searches is
/// listed.

#include <algorithm>
#include <set>

#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "query/search/bm25.hpp"
#include "query/search/search_filter.hpp"
#include "views/lineage_edges.hpp"

namespace mneme {

namespace {

/// So many rows that may be hidden are always looked at one by one.
constexpr std::uint64_t few_hidden = 64;

/// Counts distinct paths. A bit for each, since it is asked for every chunk of the world: a Roaring
/// bitmap takes two to forty times as long, by the order in which paths come.
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

result<void> search_state::run_select(const read_views& views) {
  if (request.min_trust)
    distrusted = distrusted_memories(views, context.at, *request.min_trust, time.goes_on());
  if (auto ok = time.check(); !ok) return ok;
  if (auto ok = read_circumstances(views); !ok) return ok;
  if (answer.metadata) answer.metadata->telling = telling_part(views);
  if (memory.runs && !filters_memories()) memory.is_counted = count_memories(views);
  if (auto ok = list_rows(views); !ok) return ok;
  stage = search_stage::rank;
  return {};
}

bool search_state::filters_memories() const {
  const search_request& r = request;
  const bool by_audience = audience && *audience != search_audience::all;
  return !who.sees_all() || only || dated || by_audience || r.type || r.project || r.status
         || r.due_after || r.due_before || r.origin || r.tag || r.atomic_only || r.as_of || r.stale;
}

std::optional<std::vector<std::uint32_t>>
search_state::may_be_hidden(const read_views& views) const {
  const attributes& rows = *views.attributes;
  const std::uint64_t most = few_hidden + rows.row_count() / 8;
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> of;
  if (!request.include_archived) {
    const auto archived = rows.archived();
    if (archived->cardinality() > most) return std::nullopt;
    archived->append_to(of);
    for (const std::uint32_t row : of) nodes.push_back(rows.node({row}).value);
  }
  if (leaves_out_superseded(request)) {
    const auto referring = rows.referring();
    const auto past = rows.past();
    const auto superseded = views.lineage->ever_led_to(in_lineage(lineage_kind::supersedes));
    if (nodes.size() + referring->cardinality() + past->cardinality() + superseded.size() > most)
      return std::nullopt;
    nodes.insert(nodes.end(), superseded.begin(), superseded.end());
    of.clear();
    referring->append_to(of);
    for (const std::uint32_t row : of) nodes.push_back(rows.facets({row}).reference);
    of.clear();
    past->append_to(of);
    for (const std::uint32_t row : of) nodes.push_back(rows.node({row}).value);
  }
  if (leaves_out_overviews(request)) {
    const auto overviews = rows.with_tag(rows.tag_term(overview_tag), context.at);
    if (nodes.size() + overviews->cardinality() > most) return std::nullopt;
    of.clear();
    overviews->append_to(of);
    for (const std::uint32_t row : of) nodes.push_back(rows.node({row}).value);
  }
  if (!request.include_ended) {
    // Many may end some day, and few have by now.
    of.clear();
    rows.ending()->append_to(of);
    for (std::size_t i = 0; i < of.size() && nodes.size() <= most; ++i) {
      if (!time.check(i)) return std::nullopt;
      const row_line& line = rows.rows().line({of[i]});
      if (line.valid_until_ns <= instant().ns) nodes.push_back(line.node);
    }
    if (nodes.size() > most) return std::nullopt;
  }
  const auto& untrusted = distrusted.nodes();
  if (nodes.size() + untrusted.size() + past_topics.size() > most) return std::nullopt;
  nodes.insert(nodes.end(), untrusted.begin(), untrusted.end());
  nodes.insert(nodes.end(), past_topics.begin(), past_topics.end());
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

bool search_state::count_memories(const read_views& views) {
  const attributes& rows = *views.attributes;
  const auto nodes = may_be_hidden(views);
  if (!nodes) return false;
  const leg_filter filter(*this, views);
  const corpus_size live = views.lexical->size(corpus::memories, context.at);
  std::uint64_t hidden = 0;
  std::uint64_t hidden_length = 0;
  leg_coverage left_out;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    if (!time.check(i)) return false; // listing the rows is late too, and says so
    const row_no row = rows.row_of({(*nodes)[i]}, context.at);
    if (row.value == no_number || rows.rows().line(row).type == memory_type::chunk) continue;
    if (!filter.seen(row)) continue;
    const filtered found = filter.test_memory(row);
    if (found == filtered::in) continue;
    count_left_out(found, left_out);
    ++hidden;
    hidden_length += views.lexical->length(rows.slot(row));
  }
  ensure(hidden <= live.documents && hidden_length <= live.length,
         "what is hidden is among what is there");
  left_out.searched = static_cast<std::int64_t>(live.documents - hidden);
  memory.coverage = left_out;
  memory.length = live.length - hidden_length;
  return true;
}

result<void> search_state::list_rows(const read_views& views) {
  const attributes& rows = *views.attributes;
  const bool lists_memories = memory.runs && !memory.is_counted;
  if (!lists_memories && !content.runs) return {};
  leg_filter filter(*this, views);
  path_set sources;
  bool source_found = false;
  const bool sums = wants_length();
  const auto consider = [&](row_no row) {
    const row_line& line = rows.rows().line(row);
    const bool is_chunk = line.type == memory_type::chunk;
    if (!is_chunk && dated && !std::ranges::binary_search(*dated, row)) return;
    if (!(is_chunk ? content.runs : lists_memories) || !filter.seen(row)) return;
    search_leg& leg = is_chunk ? content : memory;
    filtered found = filtered::out;
    if (is_chunk) {
      const std::uint32_t path = rows.facets(row).path;
      sources.add(path);
      if (request.source_filter) source_found |= filter.path_fits(path);
      found = filter.test_content(row);
      if (found == filtered::in && filter.promoted(row)) {
        ++leg.coverage.promoted_hidden;
        return;
      }
    } else {
      found = filter.test_memory(row);
    }
    count_left_out(found, leg.coverage);
    if (found != filtered::in) return;
    leg.listed.add({line.slot}, row);
    ++leg.coverage.searched;
    if (sums) leg.length += views.lexical->length({line.slot});
  };
  const std::uint32_t limit = rows.rows().count_at(context.at);
  const auto& few_rows = only ? only : dated;
  if (few_rows && !content.runs) {
    for (std::size_t i = 0; i < few_rows->size(); ++i) {
      if (auto ok = time.check(i); !ok) return ok;
      if ((*few_rows)[i].value < limit) consider((*few_rows)[i]);
    }
  } else if (const auto narrowest = narrowest_postings(views)) {
    std::vector<std::uint32_t> few;
    for (const auto& posting : *narrowest) {
      const auto before = static_cast<std::ptrdiff_t>(few.size());
      posting->append_to(few);
      std::inplace_merge(few.begin(), few.begin() + before, few.end());
    }
    few.erase(std::ranges::unique(few).begin(), few.end());
    for (std::size_t i = 0; i < few.size(); ++i) {
      if ((i & 4095U) == 4095U)
        if (auto ok = time.check(); !ok) return ok;
      if (few[i] < limit) consider({few[i]});
    }
  } else {
    for (row_no row{0}; row.value < limit; ++row.value) {
      if ((row.value & 4095U) == 4095U)
        if (auto ok = time.check(); !ok) return ok;
      consider(row);
    }
  }
  memory.listed.settle();
  content.listed.settle();
  content.coverage.indexed_sources = sources.count();
  if (content.runs && request.source_filter && !source_found)
    answer.coverage.requested_sources_not_found.push_back(*request.source_filter);
  return time.check();
}

std::optional<posting_list> search_state::postings_by_filter(const read_views& views) const {
  const attributes& rows = *views.attributes;
  posting_list few;
  if (memory.runs && !memory.is_counted) {
    // Which rows a leg searches follows from its filters; these only spare looking at the others.
    if (request.tag)
      few.push_back(rows.with_tag(rows.tag_term(composed(*request.tag)), context.at));
    else if (request.type)
      few.push_back(rows.with_type(*request.type, context.at));
    else
      return std::nullopt;
  }
  if (!content.runs) return few;
  if (!few.empty() && request.tag) return std::nullopt; // chunks have tags too
  few.push_back(rows.with_type(memory_type::chunk, context.at));
  return few;
}

std::optional<posting_list> search_state::narrowest_postings(const read_views& views) const {
  auto by_filter = postings_by_filter(views);
  auto seen = visible_rows(who, *views.attributes, *views.nodes).postings(context.at);
  const bool is_less = !by_filter || cardinality(seen) < cardinality(*by_filter);
  if (!seen.empty() && is_less) return seen;
  return by_filter;
}

double search_state::length_share(const search_leg& leg) const {
  if (!wants_length()) return weights.b;
  return length_normalisation(weights, static_cast<double>(leg.length)
                                           / static_cast<double>(leg.coverage.searched));
}

result<void> search_state::run_lookup(const read_views& views) {
  leg_filter filter(*this, views);
  const attributes& rows = *views.attributes;
  std::set<memory_id> seen;
  for (const auto& id : *request.memory_ids) {
    if (!seen.insert(id).second) continue;
    const node_no node = views.nodes->find(id);
    const row_no row = node.value == no_number ? row_no{} : rows.row_of(node, context.at);
    const bool is_there =
        row.value != no_number && filter.seen(row)
        && (request.include_ended || (rows.rows().line(row).flags & row_gone) == 0);
    if (!is_there || rows.rows().line(row).type == memory_type::chunk) {
      answer.coverage.not_found_ids.push_back(id);
      continue;
    }
    hits.push_back({.row = row, .slot = rows.slot(row), .raw = 1, .match = 1, .score = 1});
  }
  memory.coverage.searched = static_cast<std::int64_t>(hits.size());
  memory.coverage.candidates = memory.coverage.searched;
  stage = search_stage::fetch;
  return {};
}

} // namespace mneme

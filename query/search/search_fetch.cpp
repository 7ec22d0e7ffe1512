/// The stage fetch: the records of the hits, their lineage, and what fits a budget.

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/utf8_point.hpp"
#include "query/answer_bytes.hpp"
#include "query/look_ahead.hpp"
#include "query/rendering.hpp"
#include "query/search/question_share.hpp"
#include "query/search/search_state.hpp"
#include "views/current_memories.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

constexpr std::size_t content_bytes = 600;
constexpr int lineage_steps = 10;

std::string cut_content(std::string text, bool& truncated) {
  truncated = text.size() > content_bytes;
  if (!truncated) return text;
  text.resize(point_start(text, content_bytes));
  return text;
}

std::string text_field(const version& v, std::string_view name) {
  const auto field = v.data.find(name);
  const auto* text = field == v.data.end() ? nullptr : std::get_if<std::string>(&field->second);
  return text == nullptr ? std::string() : *text;
}

class hit_reader {
public:
  hit_reader(const search_state& s, const read_views& views, kv_reader& reader)
      : s_(s),
        views_(views),
        reader_(reader),
        visible_(s.who, *views.attributes, *views.nodes),
        current_(visible_, views, s.context.at, {s.instant(), s.request.as_of.has_value()},
                 &s.distrusted),
        lineage_(views, s.context.at) {}

  /// The standings of the first of these, which are read next.
  [[nodiscard]] result<std::vector<memory_standing>> look_at(std::span<const leg_row> rows) const {
    return look_ahead(views_, lineage_, rows, &leg_row::row, s_.time);
  }

  result<search_hit> read(const leg_row& at, const memory_standing& standing) {
    auto record = memory_of(at.row);
    if (!record) return propagate(record);
    search_hit hit = hit_of(*record);
    if (record->head->type == memory_type::topic)
      if (auto ok = tell_fields(*record, at.row, hit); !ok) return propagate(ok);
    hit.score = at.score;
    const row_line& line = views_.attributes->rows().line(at.row);
    hit.ended = current_.has_ended(line);
    hit.superseded = current_.is_superseded(line);
    if (at.older_of) hit.older_of = views_.nodes->id(views_.attributes->node(*at.older_of));
    hit.standing = standing;
    hit.raw_score = at.raw;
    hit.match = at.match;
    if (s_.request.explain && !s_.request.memory_ids)
      hit.parts = score_parts{.vector = at.vector,
                              .text = at.text,
                              .neighbours = at.neighbours,
                              .answers = at.answers,
                              .dates = at.dates,
                              .speakers = at.speakers,
                              .recency = at.recency};
    if (s_.answer.form) {
      auto text = render(*record, *s_.answer.form, *views_.tokens);
      hit.rendered = std::move(text.text);
      hit.tokens = text.tokens;
    }
    const bool wants_lineage = s_.request.memory_ids && s_.request.include_lineage;
    if (wants_lineage && record->head->type == memory_type::decision) {
      auto chain = lineage_of(at.row);
      if (!chain) return propagate(chain);
      hit.lineage = std::move(*chain);
    }
    return hit;
  }

private:
  result<memory> memory_of(row_no row) {
    const node_no node = views_.attributes->node(row);
    auto record = read_memory(views_, reader_, node, row, s_.context.at);
    if (!record) return propagate(record);
    if (!record->has_value())
      return fail(errc::corrupt,
                  "memory " + to_string(views_.nodes->id(node)) + " is missing in the store");
    return std::move((*record)->what);
  }

  /// Are these the words of the row's text, each as often?
  [[nodiscard]] bool is_found_by(row_no row, std::string_view text) const {
    const lexical& words = *views_.lexical;
    const slot_no slot = views_.attributes->slot(row);
    auto terms = text_terms(text, words.language());
    if (terms.size() != words.length(slot)) return false;
    std::ranges::sort(terms);
    for (auto at = terms.begin(); at != terms.end();) {
      const auto next = std::upper_bound(at, terms.end(), *at);
      if (words.count(slot, words.term(*at)) != static_cast<std::uint32_t>(next - at)) return false;
      at = next;
    }
    return true;
  }

  /// What its fields hold is a part of a topic's text, unless nothing has changed since a build
  /// that searched topics by their titles and summaries alone.
  result<void> tell_fields(const memory& topic, row_no row, search_hit& hit) {
    const auto known = s_.field_values.find(row.value);
    std::vector<topic_value> values;
    if (known != s_.field_values.end()) {
      values = known->second;
    } else {
      auto read = read_field_values(reader_, topic.head->id, s_.context.at);
      if (!read) return propagate(read);
      values = std::move(*read);
    }
    if (values.empty() || !is_found_by(row, searched_topic_text(topic.version->data, values)))
      return {};
    const value_time when = s_.when();
    std::erase_if(values, [&](const topic_value& v) { return !when.tells(v); });
    hit.field = best_field(s_.terms, s_.weights, values, views_.language);
    hit.content = told_topic_text(topic.version->data, values_told(values, when), content_bytes,
                                  hit.field, hit.truncated);
    return {};
  }

  [[nodiscard]] search_hit hit_of(const memory& m) const {
    search_hit hit;
    hit.uri = {m.head->type, m.head->id, m.head->current_version};
    hit.title = m.version->forms.short_form;
    if (m.head->type == memory_type::chunk) {
      hit.path = text_field(m.version, "path");
      const auto index = m.version->data.find("chunk_index");
      if (index != m.version->data.end())
        if (const auto* n = std::get_if<std::int64_t>(&index->second)) hit.chunk_index = *n;
      hit.content = cut_content(text_field(m.version, "content"), hit.truncated);
    } else {
      hit.content = cut_content(searched_text(m.version->type, m.version->data), hit.truncated);
    }
    if (m.head->lifecycle) {
      const lifecycle& l = *m.head->lifecycle;
      hit.status = l.status;
      hit.due_date = l.due_date;
      hit.audience = l.audience;
      hit.project = l.project;
      hit.overdue = l.status && l.due_date && *l.status <= lifecycle_status::scheduled
                    && *l.due_date < s_.context.now;
    }
    hit.tags = m.head->tags;
    hit.metadata = m.head->metadata;
    hit.created_at = m.head->created_at;
    hit.updated_at = m.head->last_updated_at;
    hit.source_class = m.version->provenance.source_class;
    hit.trust_told = m.version->provenance.trust.has_value() || hit.source_class;
    return hit;
  }

  result<lineage_item> item_of(row_no row) {
    auto record = memory_of(row);
    if (!record) return propagate(record);
    lineage_item item{.uri = {record->head->type, record->head->id, record->head->current_version},
                      .title = record->version->forms.short_form,
                      .status = {}};
    if (record->head->lifecycle) item.status = record->head->lifecycle->status;
    return item;
  }

  [[nodiscard]] bool seen(node_no node, row_no& row) const {
    return has_held(*views_.attributes, node, s_.context.at, row) && visible_(row);
  }

  /// What `row` replaced, newest first. True if there is more.
  bool collect_ancestors(row_no row, std::vector<row_no>& found) const {
    const attributes& rows = *views_.attributes;
    std::set<std::uint32_t> met{rows.node(row).value};
    for (int step = 0;; ++step) {
      const node_no older{rows.facets(row).reference};
      if (older.value == no_number || !met.insert(older.value).second || !seen(older, row)
          || rows.rows().line(row).type != memory_type::decision)
        return false;
      if (step == lineage_steps) return true;
      found.push_back(row);
    }
  }

  /// What replaced `row`, step by step. True if there is more.
  result<bool> collect_descendants(row_no row, std::vector<row_no>& found) const {
    const attributes& rows = *views_.attributes;
    std::set<std::uint32_t> met{rows.node(row).value};
    std::vector<row_no> last{row};
    std::uint64_t looked_at = 0;
    for (int step = 0; !last.empty(); ++step) {
      std::vector<row_no> next;
      for (const row_no of : last) {
        result<void> in_time;
        rows.for_each_referring(rows.node(of), [&](row_no by) {
          in_time = s_.time.check(looked_at++);
          row_no current;
          const node_no node = rows.node(by);
          if (rows.alive(by, s_.context.at) && seen(node, current)
              && rows.rows().line(by).type == memory_type::decision
              && met.insert(node.value).second)
            next.push_back(current);
          return in_time.has_value();
        });
        if (!in_time) return propagate(in_time);
      }
      if (step == lineage_steps) return !next.empty();
      found.insert(found.end(), next.begin(), next.end());
      last = std::move(next);
    }
    return false;
  }

  result<search_lineage> lineage_of(row_no row) {
    search_lineage chain;
    std::vector<row_no> ancestors;
    std::vector<row_no> descendants;
    chain.truncated = collect_ancestors(row, ancestors);
    auto more = collect_descendants(row, descendants);
    if (!more) return propagate(more);
    chain.truncated |= *more;
    std::ranges::reverse(ancestors);
    const attributes& rows = *views_.attributes;
    std::ranges::sort(descendants, {}, [&](row_no r) { return views_.nodes->id(rows.node(r)); });
    for (const auto& [from, to] :
         {std::pair(&ancestors, &chain.ancestors), std::pair(&descendants, &chain.descendants)})
      for (const row_no r : *from) {
        auto item = item_of(r);
        if (!item) return propagate(item);
        to->push_back(std::move(*item));
      }
    return chain;
  }

  const search_state& s_;
  const read_views& views_;
  kv_reader& reader_;
  visible_rows visible_;
  current_memories current_; ///< by what is visible
  lineage_reader lineage_;
};

/// Which hits to keep within the budget: in their order, whatever still fits.
std::vector<bool> pack(const std::vector<search_hit>& hits, std::int64_t budget) {
  std::vector<bool> kept(hits.size(), false);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].tokens > budget) continue;
    kept[i] = true;
    budget -= hits[i].tokens;
  }
  return kept;
}

} // namespace

result<void> search_state::run_fetch(const read_views& views) {
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  hit_reader source(*this, views, **reader);
  std::vector<search_hit> found;
  found.reserve(hits.size());
  std::vector<memory_standing> standings; // of the hits that are read next
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (i % rows_expected == 0) {
      auto next = source.look_at(std::span(hits).subspan(i));
      if (!next) return propagate(next);
      standings = std::move(*next);
    }
    auto hit = source.read(hits[i], standings[i % rows_expected]);
    if (!hit) return propagate(hit);
    if (auto ok = room.take(answer_bytes(*hit)); !ok) return ok;
    found.push_back(std::move(*hit));
  }
  std::vector<bool> kept(found.size(), true);
  if (request.budget_tokens) kept = pack(found, *request.budget_tokens);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_chunk = found[i].uri.type == memory_type::chunk;
    leg_coverage& coverage = (is_chunk ? content : memory).coverage;
    ++(kept[i] ? coverage.returned : coverage.cut);
    if (!kept[i]) {
      room.give_back(answer_bytes(found[i]));
      continue;
    }
    answer.tokens += found[i].tokens;
    answer.results.push_back(std::move(found[i]));
  }
  for (const leg_coverage& c : {memory.coverage, content.coverage})
    ensure(c.candidates == c.below_floor + c.cut + c.returned, "no candidate is lost on the way");
  answer.coverage.memory = memory.coverage;
  answer.coverage.content = content.coverage;
  stage = search_stage::done;
  return {};
}

} // namespace mneme

/// The last step of a retrieve: bundles of the chosen topics from the store, and the summary.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "query/answer_bytes.hpp"
#include "query/retrieve/retrieve_state.hpp"
#include "views/current_memories.hpp"
#include "views/standing.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

constexpr std::size_t summary_lines = 5;

std::string text_of(const memory& m, std::string_view field) {
  const auto found = m.version->data.find(field);
  if (found == m.version->data.end()) return {};
  return std::get<std::string>(found->second);
}

/// Reads one bundle after the other as of the seq of the query.
class bundle_reader {
public:
  bundle_reader(retrieve_state& run, const read_views& views, kv_reader& reader)
      : run_(run),
        views_(views),
        reader_(reader),
        at_(run.context.at),
        visible_(run.who, *views.attributes, *views.nodes),
        current_(visible_, views, run.context.at,
                 {.instant = run.instant(), .is_asked = run.request.as_of.has_value()},
                 &run.distrusted),
        lineage_(views, run.context.at) {
    if (!run.request.field_names) return;
    for (const auto& name : *run.request.field_names)
      if (places_.emplace(name, places_.size()).second) names_.emplace_back(name);
    std::ranges::sort(names_);
  }

  result<topic_bundle> read(const retrieve_candidate& c) {
    const row_no row = views_.attributes->row_of(c.node, at_);
    auto topic = read_topic(c.node, row);
    if (!topic) return propagate(topic);
    topic_bundle b{.topic_id = topic->head->id,
                   .title = text_of(*topic, "title"),
                   .summary = text_of(*topic, "summary"),
                   .topic_kind = text_of(*topic, "topic_kind"),
                   .salience_e9 = topic->activation.topic_salience_e9,
                   .similarity = c.similarity,
                   .neighbours = {},
                   .fields = {},
                   .standing = lineage_.standing_of(row),
                   .source_class = topic->version->provenance.source_class,
                   .past = current_.marks_of(views_.attributes->rows().line(row))};
    b.trust_told = topic->version->provenance.trust.has_value() || b.source_class;
    const bool structural = run_.has(retrieve_stage::structural);
    if (structural || run_.has(retrieve_stage::temporal))
      if (auto ok = read_fields_into(b); !ok) return propagate(ok);
    if (structural)
      if (auto ok = read_neighbours_into(b, c); !ok) return propagate(ok);
    // The fields have their room already.
    const std::uint64_t fields = b.fields ? answer_bytes(*b.fields) : 0;
    if (auto ok = run_.room.take(answer_bytes(b) - fields); !ok) return propagate(ok);
    return b;
  }

private:
  result<memory> read_topic(node_no node, row_no row) {
    ensure(row.value != no_number, "what is a candidate has a row");
    auto m = read_memory(views_, reader_, node, row, at_);
    if (!m) return propagate(m);
    if (!m->has_value())
      return fail(errc::corrupt, fmt::format("{} has a row, but no record at seq {}",
                                             to_string(views_.nodes->id(node)), at_.value));
    return std::move((*m)->what);
  }

  result<std::vector<topic_field>> wanted_fields(const memory_id& topic,
                                                 std::vector<topic_field>& erased) {
    auto fields = run_.request.field_names ? read_fields_named(reader_, topic, names_, at_, &erased)
                                           : read_fields(reader_, topic, at_, &erased);
    if (!fields) return fields;
    views_.add_erased_elsewhere(topic, at_, *fields, erased);
    if (!run_.request.field_names) return fields;
    std::erase_if(erased, [this](const topic_field& f) { return !places_.contains(f.head.name); });
    std::ranges::sort(*fields, {},
                      [this](const topic_field& f) { return places_.at(f.head.name); });
    return fields;
  }

  result<void> read_fields_into(topic_bundle& b) {
    auto fields = wanted_fields(b.topic_id, b.erased_fields);
    if (!fields) return propagate(fields);
    const field_options options{.history =
                                    run_.request.explain && run_.has(retrieve_stage::temporal),
                                .history_limit = run_.request.history_limit,
                                .as_of = run_.request.as_of,
                                .ended_by = ended_by()};
    b.fields.emplace();
    for (auto& f : *fields) {
      auto view = read_field_view(reader_, std::move(f), options);
      if (!view) return propagate(view);
      if (auto ok = cut_hidden_topics(*view, reader_, run_.who, at_); !ok) return ok;
      if (auto ok = run_.room.take(answer_bytes(*view)); !ok) return ok;
      b.fields->push_back(std::move(*view));
    }
    return {};
  }

  /// What has ended by then is not told; none where that is asked for.
  [[nodiscard]] std::optional<timestamp> ended_by() const {
    if (run_.request.include_ended) return std::nullopt;
    return run_.instant();
  }

  result<void> read_neighbours_into(topic_bundle& b, const retrieve_candidate& c) {
    b.neighbours.emplace();
    for (const auto& adjacent : c.adjacent) {
      const memory_id& other = views_.nodes->id(adjacent.node);
      const edge_key key = adjacent.outgoing ? edge_key{b.topic_id, adjacent.type, other}
                                             : edge_key{other, adjacent.type, b.topic_id};
      auto edge = read_edge(reader_, key, at_);
      if (!edge) return propagate(edge);
      if (!edge->has_value())
        return fail(errc::corrupt, "the graph has an edge that the store has not");
      std::string kind = (*edge)->kind;
      if (kind.empty()) kind = to_string(adjacent.type);
      if (auto ok = add_neighbour(b, adjacent.node, std::move(kind), adjacent.outgoing); !ok)
        return ok;
    }
    if (run_.request.expand_refs)
      if (auto ok = add_references(b); !ok) return ok;
    std::ranges::sort(*b.neighbours, {}, &topic_neighbour::id);
    return {};
  }

  /// Topics that the bundle's fields refer to, unless an edge leads there already.
  result<void> add_references(topic_bundle& b) {
    std::vector<std::pair<std::string, memory_id>> references;
    for (const auto& view : *b.fields)
      if (const auto& ref = view.field.head.ref_topic_id; ref && *ref != b.topic_id)
        references.emplace_back(view.field.head.name, *ref);
    std::ranges::sort(references);
    std::set<memory_id> known;
    for (const auto& n : *b.neighbours) known.insert(n.id);
    for (const auto& [field, id] : references) {
      if (known.contains(id)) continue;
      const node_no node = views_.nodes->find(id);
      if (node.value == no_number) continue;
      const row_no row = views_.attributes->row_of(node, at_);
      if (row.value == no_number
          || !may_be_neighbour(*views_.attributes, visible_, run_.distrusted, row))
        continue;
      if (auto ok = add_neighbour(b, node, "ref:" + field, true); !ok) return ok;
      known.insert(id);
    }
    return {};
  }

  result<void> add_neighbour(topic_bundle& b, node_no node, std::string kind, bool outgoing) {
    auto other = read_topic(node, views_.attributes->row_of(node, at_));
    if (!other) return propagate(other);
    b.neighbours->push_back({.id = views_.nodes->id(node),
                             .title = text_of(*other, "title"),
                             .kind = std::move(kind),
                             .outgoing = outgoing});
    return {};
  }

  retrieve_state& run_;
  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  visible_rows visible_;
  current_memories current_; ///< by what is visible
  lineage_reader lineage_;
  std::vector<std::string_view> names_;            ///< of fields, each once, ascending
  std::map<std::string_view, std::size_t> places_; ///< of each among those that the caller named
};

std::string summary_of(const std::string& q, const std::vector<topic_bundle>& candidates) {
  std::string text = fmt::format("Top topics for '{}':", q);
  for (std::size_t i = 0; i < std::min(candidates.size(), summary_lines); ++i) {
    const topic_bundle& b = candidates[i];
    text += fmt::format("\n- {} '{}'", to_string(b.topic_id), b.title);
    if (b.similarity) text += fmt::format(" sim={:.3f}", *b.similarity);
  }
  return text;
}

} // namespace

result<void> retrieve_state::run_fetch(const read_views& views) {
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  bundle_reader bundles(*this, views, **reader);
  for (const auto& c : chosen) {
    auto bundle = bundles.read(c);
    if (!bundle) return propagate(bundle);
    answer.candidates.push_back(std::move(*bundle));
  }
  answer.summary_text = summary_of(request.q, answer.candidates);
  step = retrieve_step::done;
  return {};
}

} // namespace mneme

#include "state/apply/capacity.hpp"

#include <array>

#include <fmt/format.h>

#include "messages/text/forms.hpp"
#include "state/apply/entry_parts.hpp"

namespace mneme {

dense_numbers& dense_numbers::operator+=(const dense_numbers& more) {
  nodes += more.nodes;
  slots += more.slots;
  rows += more.rows;
  row_terms += more.row_terms;
  names += more.names;
  terms += more.terms;
  colours += more.colours;
  activations += more.activations;
  signals += more.signals;
  return *this;
}

namespace {

std::uint64_t unknown(const node_table& nodes, const memory_id& id) {
  return nodes.find(id).value == no_number ? 1 : 0;
}

/// A word has a byte at least.
std::uint64_t words_at_most(const version& v) {
  return searched_text(v.type, v.data).size();
}

/// The earlier states that the entry leaves of memories that it touches.
dense_numbers histories_of(const entry_payload& payload) {
  dense_numbers n;
  if (const auto* late = std::get_if<find_late_payload>(&payload))
    n.activations = late->accessed.size();
  if (const auto* attested = std::get_if<attest_payload>(&payload))
    n.activations = attested->cited.size();
  if (const auto* reinforced = std::get_if<reinforce_payload>(&payload)) {
    n.activations = reinforced->items.size();
    if (reinforced->door == reinforcing_door::chroma) n.signals = reinforced->items.size();
  }
  if (const auto* decayed = std::get_if<decay_cycle_payload>(&payload))
    n.signals = decayed->items.size();
  if (std::holds_alternative<topic_salience_payload>(payload)) n.activations = 1;
  return n;
}

} // namespace

dense_numbers most_taken_by(const entry_payload& payload, const node_table& nodes) {
  dense_numbers n = histories_of(payload);
  if (const head* h = head_of(payload)) {
    n.nodes = unknown(nodes, h->id);
    n.rows = 1;
    n.row_terms = h->tags.size() + h->frames.size();
    n.names = 3 + n.row_terms; // its actor, project and path
    n.colours = h->colour ? 1 : 0;
    n.activations = 1;
    n.signals = n.colours;
    if (const memory_id* id = successor_of(h)) n.nodes += unknown(nodes, *id);
  }
  if (const version* v = version_of(payload)) {
    n.slots = 1;
    n.terms = words_at_most(*v);
    if (const memory_id* id = reference_of(*v)) n.nodes += unknown(nodes, *id);
    for (const memory_id& id : sources_of(*v)) n.nodes += unknown(nodes, id);
  }
  if (const auto* embedded = std::get_if<embed_payload>(&payload)) {
    n.slots = 1;
    n.terms = embedded->text.size();
  }
  if (std::holds_alternative<learn_weights_payload>(payload)) n.names = 1;
  if (const auto* edge = std::get_if<edge_payload>(&payload))
    n.nodes = unknown(nodes, edge->edge.key.src) + unknown(nodes, edge->edge.key.dst);
  return n;
}

result<void> number_room::check(const dense_numbers& more) const {
  struct bounded {
    const char* of;
    std::uint64_t dense_numbers::* count;
  };
  static constexpr std::array<bounded, 9> all{
      {{"memories and ends of edges", &dense_numbers::nodes},
       {"contents", &dense_numbers::slots},
       {"states of memories", &dense_numbers::rows},
       {"tags and frames", &dense_numbers::row_terms},
       {"distinct tags, frames, actors and paths", &dense_numbers::names},
       {"distinct words", &dense_numbers::terms},
       {"colours", &dense_numbers::colours},
       {"earlier activations", &dense_numbers::activations},
       {"earlier strengths of colours", &dense_numbers::signals}}};
  for (const auto& [of, count] : all)
    if (used_.*count + more.*count > limits_.*count)
      return fail(errc::limit_exceeded,
                  fmt::format("the world is full: it has numbers for {} {}", limits_.*count, of));
  return {};
}

} // namespace mneme

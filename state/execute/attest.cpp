#include <algorithm>

#include "state/activation_rules.hpp"
#include "state/execute/agent_commands.hpp"
#include "state/execute/cited_memories.hpp"

namespace mneme {

result<std::optional<head>> cited_memories::find(const std::string& text, memory_uri& uri) {
  auto parsed = parse_memory_uri(text);
  if (!parsed) return std::optional<head>{};
  uri = *parsed;
  auto h = batch_.records.head(uri.id);
  if (!h) return h;
  if (!h->has_value() || (*h)->erased || (*h)->tombstone || (*h)->type != uri.type
      || uri.version > (*h)->current_version || !who_.may_see(**h))
    return std::optional<head>{};
  return h;
}

void append_agent_entry(batch_state& batch, entry_kind kind, const std::string& actor,
                        entry_payload payload) {
  batch.entries.push_back(seal_entry({.seq = batch.last_seq().next(),
                                      .kind = kind,
                                      .created_at = batch.now,
                                      .created_by = actor,
                                      .leaves = {},
                                      .payload_hash = {}},
                                     std::move(payload)));
}

result<attest_result> execute_attest(const attest_request& r, const asker& who,
                                     batch_state& batch) {
  attest_payload p{.intent_id = r.intent_id,
                   .outcome = r.outcome,
                   .reason = r.reason,
                   .cited = {},
                   .actor = who.name(),
                   .nonce = {}};
  attest_result answer;
  cited_memories cited(batch, who);
  std::vector<activation> after;
  for (const auto& text : r.cited) {
    memory_uri uri;
    auto found = cited.find(text, uri);
    if (!found) return propagate(found);
    if (!found->has_value()) {
      answer.skipped.push_back(text);
    } else if (std::ranges::find(p.cited, uri.id) == p.cited.end()) {
      p.cited.push_back(uri.id);
      after.push_back(after_attest(batch.pending.activation_of(uri.id), p, batch.now));
    }
  }
  const learned_weights before = batch.pending.weights_of(who.name());
  const learning step = learn(before, after, blames_cited(p), batch.now);
  dense_numbers taken{};
  taken.names = 1; // of the weights
  taken.activations = p.cited.size();
  if (auto ok = batch.room.check(taken); !ok) return propagate(ok);
  batch.room.take(taken);
  p.nonce = batch.ids.draw_nonce();
  append_agent_entry(batch, entry_kind::attest, who.name(), std::move(p));
  append_agent_entry(batch, entry_kind::learn_weights, who.name(),
                     learn_weights_payload{.actor = who.name(),
                                           .skipped = !step.learned,
                                           .weights = step.weights,
                                           .nonce = batch.ids.draw_nonce()});
  answer.learned = step.learned;
  answer.weights = step.weights;
  answer.seq = batch.entries.back().header.seq;
  return answer;
}

} // namespace mneme

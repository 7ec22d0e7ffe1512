#include "state/inspection/proofs.hpp"

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/held_bytes.hpp"
#include "storage/key_layout.hpp"
#include "views/answer_room.hpp"
#include "views/manifests.hpp"
#include "views/scope_check.hpp"

namespace mneme {

namespace {

/// The seq of a root that proofs may be asked against.
result<seq_no> seq_of_root(world& w, const digest& root, const root_set& current) {
  if (root == current.overall) return current.seq;
  auto snapshot = find_manifest(*w.store, root, current.seq);
  if (!snapshot) return propagate(snapshot);
  if (!snapshot->has_value())
    return fail(errc::root_unavailable,
                "root " + to_hex(root) + " is neither the current one nor a snapshot's", "root");
  return (*snapshot)->seq;
}

/// Sizes and ranges, whatever the world holds.
result<void> check(const prove_request& r) {
  if (r.deadline_ms && *r.deadline_ms < 1)
    return fail(errc::out_of_range, "deadline_ms must be at least 1", "deadline_ms");
  std::size_t count = 0;
  for (const auto& [size, key] :
       {std::pair(r.ids.size(), "ids"), std::pair(r.edges.size(), "edges"),
        std::pair(r.fields.size(), "fields"), std::pair(r.seqs.size(), "seqs")}) {
    count += size;
    if (count > max_proofs)
      return fail(errc::limit_exceeded,
                  "at most " + std::to_string(max_proofs) + " things are proved at once", key);
  }
  return {};
}

result<ledger::proof_request> proof_keys(world& w, const prove_request& request,
                                         const keep_going& in_time) {
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  const seq_no at = w.published_seq();
  const read_views views = w.views();
  auto now = views.now();
  if (!now) return propagate(now);
  auto asking = verify_asker(request.actor, request.scope, *now, views);
  if (!asking) return propagate(asking);
  const asker& who = *asking;
  if (request.scope != nullptr && !request.seqs.empty())
    return fail(errc::scope_violation, "a scope opens no entries of the journal", "seqs");
  const auto go_on = [&in_time] { return in_time ? in_time() : result<void>(); };
  ledger::proof_request keys;
  for (const auto& id : request.ids) {
    if (auto ok = go_on(); !ok) return propagate(ok);
    auto seen = who.may_see(**reader, id, at);
    if (!seen) return propagate(seen);
    if (!*seen) return who.hidden(id, "ids");
    keys.keys.emplace_back(state_namespace::memories, std::string(id.raw()));
  }
  for (const auto& key : request.edges) {
    if (auto ok = go_on(); !ok) return propagate(ok);
    for (const auto& end : {key.src, key.dst}) {
      auto seen = who.may_see(**reader, end, at);
      if (!seen) return propagate(seen);
      if (!*seen) return who.hidden(end, "edges");
    }
    keys.keys.emplace_back(state_namespace::edges, key_bytes(key));
  }
  for (const auto& [topic, name] : request.fields) {
    if (auto ok = go_on(); !ok) return propagate(ok);
    auto seen = who.may_see(**reader, topic, at);
    if (!seen) return propagate(seen);
    if (!*seen) return who.hidden(topic, "fields");
    keys.keys.emplace_back(state_namespace::fields, field_key_bytes(topic, name));
  }
  keys.seqs = request.seqs;
  return keys;
}

} // namespace

std::uint64_t held_bytes(const prove_request& r) {
  std::uint64_t bytes = held_bytes(r.ids) + r.edges.size() * sizeof(edge_key)
                        + r.seqs.size() * sizeof(seq_no) + held_bytes(r.actor)
                        + held_bytes(r.scope);
  for (const auto& [topic, name] : r.fields) bytes += held_bytes(topic) + held_bytes(name);
  return bytes;
}

result<recorded_roots> roots_at(world& w, seq_no at) {
  auto readable = w.readable(at);
  // Headers stay where a trim has dropped what they are of.
  const seq_no last = w.published_seq();
  if (!readable && at < last && last.value - at.value <= w.window.retained_seqs())
    return recorded_roots{};
  if (!readable) return propagate(readable);
  auto roots = w.ledger->roots_at(at);
  // The undo list may be shorter than the window (after a crash in the middle of a checkpoint).
  if (!roots && roots.error().code == errc::seq_unavailable) return recorded_roots{};
  if (!roots) return propagate(roots);
  return recorded_roots{*roots};
}

result<proof_bundle> prove(world& w, const prove_request& request, const keep_going& in_time) {
  if (auto ok = check(request); !ok) return propagate(ok);
  auto at = request.root ? seq_of_root(w, *request.root, w.ledger->roots())
                         : result<seq_no>(w.published_seq());
  if (!at) return propagate(at);
  auto keys = proof_keys(w, request, in_time);
  if (!keys) return propagate(keys);
  answer_room room(w.max_answer_bytes, "ask for fewer proofs at once");
  auto bundle = w.ledger->prove(*keys, *at, in_time,
                                [&room](std::uint64_t bytes) { return room.take(bytes); });
  if (!bundle && bundle.error().code == errc::seq_unavailable && bundle.error().at.empty()
      && request.root)
    return fail(errc::root_unavailable,
                "the state of root " + to_hex(*request.root) + " is no longer retained", "root");
  return bundle;
}

} // namespace mneme

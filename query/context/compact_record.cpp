#include "query/context/compact_record.hpp"

#include "messages/codec/entry.hpp"
#include "messages/validate/validate_agents.hpp"
#include "storage/key_layout.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"

namespace mneme {

namespace {

/// A memory of a record: still readable by the asker?
result<bool> readable(const asker& who, kv_reader& reader, const memory_uri& uri, seq_no at) {
  auto h = read_head(reader, uri.id, at);
  if (!h) return propagate(h);
  return h->has_value() && !(*h)->erased && who.may_see(**h);
}

result<void> skip(const memory_uri& uri, answer_room& room, compact_result& answer) {
  answer.skipped.push_back(to_string(uri));
  return room.take(sizeof(std::string) + answer.skipped.back().size());
}

result<compact_result> answer_of(const compact_payload& p, const asker& who, kv_reader& reader,
                                 seq_no at, answer_room room) {
  compact_result answer;
  answer.tokens = p.tokens;
  for (const auto& k : p.kept) {
    auto seen = readable(who, reader, k.uri, at);
    if (!seen) return propagate(seen);
    auto v = read_version(reader, k.uri.id, k.uri.version);
    if (!v) return propagate(v);
    if (!*seen || !v->has_value()) {
      if (auto ok = skip(k.uri, room, answer); !ok) return propagate(ok);
      continue;
    }
    std::string& text = (*v)->forms.medium_form;
    if (auto ok = room.take(sizeof(kept_memory) + text.size()); !ok) return propagate(ok);
    answer.kept.push_back({k.uri, std::move(text), k.tokens,
                           static_cast<double>(k.salience) / compact_salience_unit});
  }
  for (const auto& c : p.compacted) {
    auto seen = readable(who, reader, c.uri, at);
    if (!seen) return propagate(seen);
    if (!*seen) {
      if (auto ok = skip(c.uri, room, answer); !ok) return propagate(ok);
      continue;
    }
    if (auto ok = room.take(sizeof(compacted_memory) + c.short_form.size()); !ok)
      return propagate(ok);
    answer.compacted.push_back(
        {c.uri, c.short_form, c.tokens, static_cast<double>(c.salience) / compact_salience_unit});
  }
  return answer;
}

} // namespace

result<compact_result> read_compact_record(const read_views& views, const load_compact_request& r,
                                           const deadline& time) {
  if (auto ok = validate(r); !ok) return propagate(ok);
  auto wanted = views.readable(r.at_seq);
  if (!wanted) return propagate(wanted);
  const seq_no at = *wanted;
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  const std::string prefix = keys::compact_prefix(r.intent_id, r.step_id);
  const asker who(r.actor);
  std::optional<compact_payload> record;
  seq_no seq;
  result<void> decoded;
  auto scanned =
      (*reader)->scan(kv_table::compacts, keys::compact(r.intent_id, r.step_id, at),
                      keys::prefix_end(prefix), [&](std::string_view key, std::string_view value) {
                        auto payload = decode_entry_payload(entry_kind::compact, value);
                        if (!payload) {
                          decoded = propagate(payload);
                          return false;
                        }
                        auto& p = std::get<compact_payload>(*payload);
                        if (!who.sees_all() && p.actor != who.name()) return true;
                        seq = keys::seq_at_end(key);
                        record = std::move(p);
                        return false;
                      });
  if (!scanned) return propagate(scanned);
  if (!decoded) return propagate(decoded);
  if (!record)
    return fail(errc::not_found,
                "there is no compact record of intent " + r.intent_id + ", step " + r.step_id,
                "intent_id");
  auto answer =
      answer_of(*record, who, **reader, at,
                {views.max_answer_bytes, "compact the step again with fewer memories", "step_id"});
  if (answer) answer->seq = seq;
  return answer;
}

} // namespace mneme

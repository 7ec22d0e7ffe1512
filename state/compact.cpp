#include <algorithm>
#include <cmath>
#include <set>

#include "messages/checked_seams.hpp"
#include "messages/validate.hpp"
#include "state/agent_commands.hpp"
#include "state/cited_memories.hpp"
#include "state/salience.hpp"
#include "storage/key_layout.hpp"

namespace mneme {

namespace {

constexpr double unit = 1e9;

/// A memory of the request, with what both forms of it cost.
struct considered {
  memory_uri uri;
  version content;
  bool pinned = false;
  double salience = 0;
};

bool has_text(const memory_data& data, std::string_view field, std::string_view wanted) {
  const auto it = data.find(field);
  if (it == data.end()) return false;
  const auto* text = std::get_if<std::string>(&it->second);
  return text != nullptr && *text == wanted;
}

/// Collects the memories of one request, each once.
class compaction {
public:
  compaction(const asker& who, batch_state& batch, const salience_scorer& scorer)
      : batch_(batch), who_(who), memories_(batch, who), scorer_(scorer) {}

  /// Appends what can be read of `uris` and was not there yet to `out`; the rest is skipped.
  result<void> collect(const std::vector<std::string>& uris, std::vector<considered>& out) {
    for (const auto& text : uris) {
      considered c;
      auto found = memories_.find(text, c.uri);
      if (!found) return propagate(found);
      if (!found->has_value()) {
        if (std::ranges::find(skipped, text) == skipped.end()) skipped.push_back(text);
        continue;
      }
      if (!seen_.insert(c.uri.id).second) continue;
      auto v = batch_.pending.version_of(c.uri.id, c.uri.version);
      if (!v) return propagate(v);
      if (!v->has_value())
        return fail(errc::corrupt, "the store does not have " + to_string(c.uri));
      c.content = std::move(**v);
      c.pinned = is_pinned(who_, **found, c.content.data);
      c.salience = scorer_(batch_.pending.activation_of(c.uri.id), 0);
      if (c.pinned) c.salience = std::max(c.salience, pinned_salience);
      out.push_back(std::move(c));
    }
    return {};
  }

  std::vector<std::string> skipped;

private:
  batch_state& batch_;
  const asker& who_;
  cited_memories memories_;
  const salience_scorer& scorer_;
  std::set<memory_id> seen_;
};

std::int64_t to_units(double salience) {
  return static_cast<std::int64_t>(std::floor(salience * unit + 0.5));
}

/// Adds `text`, which stands for the memory, and its tokens.
template <class Item>
result<void> add(const considered& c, const std::string& text, const token_counter& by,
                 std::vector<Item>& to, std::int64_t& tokens) {
  auto counted = tokens_of(by, text);
  if (!counted) return propagate(counted);
  to.push_back({c.uri, text, *counted, c.salience});
  tokens += *counted;
  return {};
}

result<void> keep(const considered& c, const token_counter& by, compact_result& answer) {
  return add(c, c.content.forms.medium_form, by, answer.kept, answer.tokens);
}

result<void> shorten(const considered& c, const token_counter& by, compact_result& answer) {
  return add(c, c.content.forms.short_form, by, answer.compacted, answer.tokens);
}

compact_payload payload_of(const compact_request& r, const std::string& actor,
                           const compact_result& answer) {
  compact_payload p{.intent_id = r.intent_id,
                    .step_id = r.step_id,
                    .actor = actor,
                    .budget_tokens = r.budget_tokens,
                    .tokens = answer.tokens,
                    .kept = {},
                    .compacted = {},
                    .nonce = {}};
  for (const auto& k : answer.kept) p.kept.push_back({k.uri, to_units(k.salience), k.tokens, {}});
  for (const auto& c : answer.compacted)
    p.compacted.push_back({c.uri, to_units(c.salience), c.tokens, c.short_form});
  return p;
}

result<void> check_uris(const std::vector<std::string>& uris, std::string_view key) {
  if (uris.size() > max_compact_uris)
    return fail(errc::limit_exceeded,
                std::string(key) + " has at most " + std::to_string(max_compact_uris) + " uris",
                std::string(key));
  return {};
}

/// A memory of a record: still readable by the asker?
result<bool> readable(const asker& who, kv_reader& reader, const memory_uri& uri, seq_no at) {
  auto h = read_head(reader, uri.id, at);
  if (!h) return propagate(h);
  return h->has_value() && !(*h)->erased && who.may_see(**h);
}

result<compact_result> answer_of(const compact_payload& p, const asker& who, kv_reader& reader,
                                 seq_no at) {
  compact_result answer;
  answer.tokens = p.tokens;
  for (const auto& k : p.kept) {
    auto seen = readable(who, reader, k.uri, at);
    if (!seen) return propagate(seen);
    auto v = read_version(reader, k.uri.id, k.uri.version);
    if (!v) return propagate(v);
    if (*seen && v->has_value())
      answer.kept.push_back({k.uri, std::move((*v)->forms.medium_form), k.tokens,
                             static_cast<double>(k.salience) / unit});
    else
      answer.skipped.push_back(to_string(k.uri));
  }
  for (const auto& c : p.compacted) {
    auto seen = readable(who, reader, c.uri, at);
    if (!seen) return propagate(seen);
    if (*seen)
      answer.compacted.push_back(
          {c.uri, c.short_form, c.tokens, static_cast<double>(c.salience) / unit});
    else
      answer.skipped.push_back(to_string(c.uri));
  }
  return answer;
}

} // namespace

bool is_pinned(memory_type type, const memory_data& data) {
  switch (type) {
  case memory_type::identity:
    return true;
  case memory_type::constraint:
    return has_text(data, "strength", "hard");
  case memory_type::goal:
    return has_text(data, "status", "active");
  default:
    return false;
  }
}

bool is_pinned(const asker& who, const head& h, const memory_data& data) {
  return (who.sees_all() || h.actor_scope == who.owner()) && is_pinned(h.type, data);
}

result<void> validate(const compact_request& r) {
  if (auto ok = check_step_name(r.intent_id, "intent_id"); !ok) return ok;
  if (auto ok = check_step_name(r.step_id, "step_id"); !ok) return ok;
  if (r.budget_tokens <= 0)
    return fail(errc::out_of_range, "budget_tokens must be at least 1", "budget_tokens");
  if (auto ok = check_uris(r.in_context, "in_context"); !ok) return ok;
  if (auto ok = check_uris(r.load_bearing, "load_bearing"); !ok) return ok;
  return check_actor(r.actor);
}

result<void> validate(const load_compact_request& r) {
  if (auto ok = check_step_name(r.intent_id, "intent_id"); !ok) return ok;
  if (auto ok = check_step_name(r.step_id, "step_id"); !ok) return ok;
  return check_actor(r.actor.value_or(""));
}

result<compact_result> execute_compact(const compact_request& r, const asker& who,
                                       batch_state& batch) {
  const salience_scorer scorer(batch.now, false, weights_of(batch.pending.weights_of(who.name())));
  compaction found(who, batch, scorer);
  std::vector<considered> bearing;
  std::vector<considered> others;
  if (auto ok = found.collect(r.load_bearing, bearing); !ok) return propagate(ok);
  if (auto ok = found.collect(r.in_context, others); !ok) return propagate(ok);
  compact_result answer;
  for (const auto& c : bearing)
    if (auto ok = keep(c, batch.tokens, answer); !ok) return propagate(ok);
  for (const auto& c : others)
    if (c.pinned)
      if (auto ok = keep(c, batch.tokens, answer); !ok) return propagate(ok);
  for (const auto& c : others)
    if (!c.pinned)
      if (auto ok = shorten(c, batch.tokens, answer); !ok) return propagate(ok);
  if (answer.tokens > r.budget_tokens)
    return fail(errc::budget_unreachable,
                "what must stay and the short forms of the rest take "
                    + std::to_string(answer.tokens) + " tokens",
                "budget_tokens");
  answer.skipped = std::move(found.skipped);
  compact_payload p = payload_of(r, who.name(), answer);
  p.nonce = batch.ids.draw_nonce();
  append_agent_entry(batch, entry_kind::compact, who.name(), std::move(p));
  answer.seq = batch.entries.back().header.seq;
  return answer;
}

result<compact_result> read_compact(const load_compact_request& r, const read_views& views,
                                    seq_no at) {
  auto reader = views.store->reader();
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
  auto answer = answer_of(*record, who, **reader, at);
  if (answer) answer->seq = seq;
  return answer;
}

} // namespace mneme

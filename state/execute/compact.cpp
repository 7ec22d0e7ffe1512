#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "messages/seams/checked_seams.hpp"
#include "messages/validate/validate.hpp"
#include "state/execute/agent_commands.hpp"
#include "state/execute/cited_memories.hpp"
#include "views/pinned.hpp"
#include "views/salience.hpp"

namespace mneme {

namespace {

/// What the answer says of a memory of the request.
struct considered {
  memory_uri uri;
  std::string text; ///< the medium form of what is kept, else the short form
  bool kept = false;
  double salience = 0;
};

/// Collects the memories of one request, each once.
class compaction {
public:
  compaction(const asker& who, batch_state& batch, const salience_scorer& scorer)
      : batch_(batch), who_(who), memories_(batch, who), scorer_(scorer) {}
  /// What was collected is in no answer, unless it was answered.
  ~compaction() { batch_.answers.give_back(taken_); }
  compaction(const compaction&) = delete;
  compaction& operator=(const compaction&) = delete;

  /// Appends what can be read of `uris` and was not there yet to `out`; the rest is skipped. What
  /// is `bearing` is kept, and so is what is pinned.
  result<void> collect(const std::vector<std::string>& uris, bool bearing,
                       std::vector<considered>& out) {
    for (const auto& text : uris) {
      if (batch_.in_time)
        if (auto ok = batch_.in_time(); !ok) return ok;
      considered c;
      auto found = memories_.find(text, c.uri);
      if (!found) return propagate(found);
      if (!found->has_value()) {
        if (auto ok = skip(text); !ok) return ok;
        continue;
      }
      auto is_trimmed = was_trimmed(**found, c.uri.version);
      if (!is_trimmed) return propagate(is_trimmed);
      if (*is_trimmed) {
        if (auto ok = skip(text); !ok) return ok;
        continue;
      }
      if (!seen_.insert(c.uri.id).second) continue;
      auto content = version_of(c.uri.id, c.uri.version);
      if (!content) return propagate(content);
      auto pinned = is_pinned_now(**found, *content);
      if (!pinned) return propagate(pinned);
      c.kept = bearing || *pinned;
      c.text = std::move(c.kept ? content->forms.medium_form : content->forms.short_form);
      c.salience = scorer_(batch_.pending.activation_of(c.uri.id), 0);
      if (*pinned) c.salience = std::max(c.salience, pinned_salience);
      if (auto ok = take(sizeof(c) + c.text.size()); !ok) return ok;
      out.push_back(std::move(c));
    }
    return {};
  }
  /// It goes out in an answer.
  void answered() { taken_ = 0; }

  std::vector<std::string> skipped;

private:
  result<void> take(std::uint64_t bytes) {
    if (auto ok = batch_.answers.take(bytes); !ok) return ok;
    taken_ += bytes;
    return {};
  }
  /// `text` outlives this.
  result<void> skip(const std::string& text) {
    if (!skipped_.insert(text).second) return {};
    if (auto ok = take(sizeof(std::string) + text.size()); !ok) return ok;
    skipped.push_back(text);
    return {};
  }
  result<bool> was_trimmed(const head& h, std::uint32_t number) const {
    if (number == h.current_version) return false;
    return batch_.pending.is_trimmed(h.id, number);
  }
  result<version> version_of(const memory_id& id, std::uint32_t number) {
    auto v = batch_.pending.version_of(id, number);
    if (!v) return propagate(v);
    if (!v->has_value())
      return fail(errc::corrupt, "the store does not have version " + std::to_string(number)
                                     + " of " + to_string(id));
    return std::move(**v);
  }
  /// Whichever version is cited: a goal that is completed need not be in mind any more.
  result<bool> is_pinned_now(const head& h, const version& cited) {
    if (cited.number == h.current_version) return is_pinned(who_, h, cited.data);
    auto current = version_of(h.id, h.current_version);
    if (!current) return propagate(current);
    return is_pinned(who_, h, current->data);
  }

  batch_state& batch_;
  const asker& who_;
  cited_memories memories_;
  const salience_scorer& scorer_;
  std::set<memory_id> seen_;
  std::set<std::string_view> skipped_;
  std::uint64_t taken_ = 0; ///< of the room of the answers
};

std::int64_t to_units(double salience) {
  return static_cast<std::int64_t>(std::floor(salience * compact_salience_unit + 0.5));
}

/// Adds the memory, with its tokens.
template <class Item>
result<void> add(considered& c, const token_counter& by, std::vector<Item>& to,
                 std::int64_t& tokens) {
  auto counted = tokens_of(by, c.text);
  if (!counted) return propagate(counted);
  to.push_back({c.uri, std::move(c.text), *counted, c.salience});
  tokens += *counted;
  return {};
}

/// What is kept of `from`, or what is not.
result<void> add_all(std::vector<considered>& from, bool kept, const token_counter& by,
                     compact_result& answer) {
  for (auto& c : from) {
    if (c.kept != kept) continue;
    auto added =
        kept ? add(c, by, answer.kept, answer.tokens) : add(c, by, answer.compacted, answer.tokens);
    if (!added) return added;
  }
  return {};
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

} // namespace

result<compact_result> execute_compact(const compact_request& r, const asker& who,
                                       batch_state& batch) {
  const salience_scorer scorer(batch.now, false, weights_of(batch.pending.weights_of(who.name())));
  compaction found(who, batch, scorer);
  std::vector<considered> bearing;
  std::vector<considered> others;
  if (auto ok = found.collect(r.load_bearing, true, bearing); !ok) return propagate(ok);
  if (auto ok = found.collect(r.in_context, false, others); !ok) return propagate(ok);
  compact_result answer;
  if (auto ok = add_all(bearing, true, batch.tokens, answer); !ok) return propagate(ok);
  if (auto ok = add_all(others, true, batch.tokens, answer); !ok) return propagate(ok);
  if (auto ok = add_all(others, false, batch.tokens, answer); !ok) return propagate(ok);
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
  found.answered();
  return answer;
}

} // namespace mneme

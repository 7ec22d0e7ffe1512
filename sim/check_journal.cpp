#include "sim/check_journal.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "journal/journal.hpp"
#include "messages/codec/leaf_of.hpp"
#include "messages/text/forms.hpp"
#include "sim/model_erasure.hpp"
#include "sim/model_physics.hpp"
#include "sim/outcomes.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme::sim {

namespace {

constexpr auto journal_oracle = "journal";

class follower final : public entry_sink {
public:
  follower(evidence& known, const std::vector<entry>& entries) : known_(known), entries_(entries) {}

  check_result run() {
    while (next_ < entries_.size()) {
      const std::size_t before = next_;
      auto ok = follow(entries_[next_]);
      if (ok && problem_) ok = std::unexpected(*problem_);
      if (ok && next_ == before)
        ok = wrong(journal_oracle,
                   fmt::format("seq {} comes from a request that changes nothing there",
                               entries_[next_].header.seq.value));
      if (!ok) {
        known_.truth.truncate(known_.roots.last());
        return ok;
      }
    }
    return {};
  }

  drawn_values next_drawn() override {
    return next_ < entries_.size() ? drawn_in(entries_[next_].payload) : drawn_values{};
  }

  /// Compares the next entry with what it has to be, and moves on. After the first difference the
  /// rest of the request is only imagined.
  void take(expected_entry x) override {
    if (!problem_)
      if (auto ok = compare(x); !ok) problem_ = ok.error();
    if (problem_) return known_.truth.commit(known_.truth.last().next(), x.kind, x.payload, now_);
    const entry& e = entries_[next_++];
    if (const auto number = number_in(e); number && x.kind == entry_kind::scope_violation)
      known_.violations.emplace(e.header.seq, *number);
    known_.truth.commit(e.header.seq, e.header.kind, e.payload, e.header.created_at);
    known_.roots.append(e);
  }

private:
  check_result follow(const entry& e) {
    now_ = e.header.created_at;
    switch (e.header.kind) {
    case entry_kind::find_late:
    case entry_kind::reinforce:
      clock_mark_ = 0;
      return take_touch(e);
    case entry_kind::snapshot:
      clock_mark_ = 0;
      return take_snapshot(e);
    case entry_kind::embed:
      clock_mark_ = 0;
      return take_vector(e);
    case entry_kind::scope_violation:
      return take_violation(e);
    case entry_kind::erase:
      clock_mark_ = 0;
      return take_erasure();
    case entry_kind::trim:
      clock_mark_ = 0;
      return take_trim(e);
    case entry_kind::field: // what is left of one
      if (!std::get<field_payload>(e.payload).field.erased) return take_request(e);
      clock_mark_ = 0;
      return take_erasure();
    default:
      return take_request(e);
    }
  }

  check_result compare(const expected_entry& x) {
    if (next_ == entries_.size())
      return wrong("atomic", "a request is in the journal in part only");
    const entry& e = entries_[next_];
    if (e.header.created_at != now_ || !known_.clock->has_shown_since(clock_mark_, now_))
      return wrong("clock", fmt::format("seq {} is of {}, a time that the clock did not show",
                                        e.header.seq.value, to_string(e.header.created_at)));
    if (auto ok = check_drawn(e); !ok) return ok;
    const entry expected = seal_entry({.seq = known_.truth.last().next(),
                                       .kind = x.kind,
                                       .created_at = now_,
                                       .created_by = x.created_by,
                                       .leaves = x.leaves,
                                       .payload_hash = {}},
                                      x.payload);
    if (e.header_bytes == expected.header_bytes && e.payload_bytes == expected.payload_bytes)
      return {};
    return wrong(journal_oracle, fmt::format("seq {} ({}, by {}) is not what the model expects: {}",
                                             e.header.seq.value, to_string(e.header.kind),
                                             e.header.created_by, difference(e, expected)));
  }

  /// What a query touched; the reply says which query.
  check_result take_touch(const entry& e) {
    known_.touches.emplace(e.header.seq, e.payload);
    if (const auto* late = std::get_if<find_late_payload>(&e.payload)) {
      for (const auto& id : late->accessed)
        if (!known_.truth.head_at(id, known_.truth.last())) return touches_nothing(e, id);
      take({entry_kind::find_late, late->actor, {}, e.payload});
      return {};
    }
    auto bump = std::get<reinforce_payload>(e.payload);
    std::map<memory_id, colour_signals> after; // touches of several queries may meet in one entry
    for (auto& item : bump.items) {
      const auto m = known_.truth.memory_at(item.id, known_.truth.last());
      const bool is_topic = bump.door == reinforcing_door::retrieve;
      if (!m || (is_topic ? m->head->type != memory_type::topic : !m->signals.has_value()))
        return touches_nothing(e, item.id);
      if (is_topic) {
        item.from_e9 = m->activation.topic_salience_e9;
        item.to_e9 = item.from_e9 + 100'000'000;
        continue;
      }
      auto& signals = after.try_emplace(item.id, *m->signals).first->second;
      item.from_e9 = signals.strength_e9;
      signals = touched(signals, mode_in(m->head), now_);
      item.to_e9 = signals.strength_e9;
    }
    take({entry_kind::reinforce, bump.actor, {}, bump});
    return {};
  }
  static std::unexpected<wrong_answer> touches_nothing(const entry& e, const memory_id& id) {
    return wrong(journal_oracle,
                 fmt::format("{} at seq {} touches {}, which cannot be", to_string(e.header.kind),
                             e.header.seq.value, to_string(id)));
  }

  /// A vector that came late: of the content that a live memory has now, and had none before.
  check_result take_vector(const entry& e) {
    const memory_id& id = std::get<embed_payload>(e.payload).head.id;
    const auto m = known_.truth.memory_at(id, known_.truth.last());
    if (!known_.setup.late_percent || !m || m->head->tombstone || m->head->embedding)
      return wrong("late vectors", fmt::format("seq {} gives {} a vector that it cannot take",
                                               e.header.seq.value, to_string(id)));
    std::string text = embedding_text(m->version->type, m->version->data);
    if (m->head->type == memory_type::topic)
      text += field_lines(known_.truth.values_at(id, known_.truth.last()));
    if (text.size() > late_text_bytes) {
      std::size_t end = late_cut_bytes;
      while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
      text.resize(end);
    }
    const auto& by = *known_.truth.seams().embeds;
    auto values = by.embed(text);
    if (!values) return wrong("late vectors", values.error().message);
    head h = m->head;
    h.embedding = embedding_ref{static_cast<std::uint32_t>(values->size()), h.current_version};
    take({entry_kind::embed,
          "",
          {leaf_of(h)},
          embed_payload{h, spaced_vector{by.space(), std::move(*values)}}});
    return {};
  }

  /// Somebody asked for what a scope does not open. That of a tick's write stands among the tick's
  /// entries; any other stands alone.
  check_result take_violation(const entry& e) {
    auto* op = operation_of(e);
    const auto within =
        op == nullptr ? nullptr : scope_granted_to(op->request, e.header.created_by);
    if (within == nullptr) return unasked(e);
    if (!op->entered && is_of_tick_write(op->request, e.header.created_by)) return take_request(e);
    clock_mark_ = op->clock_mark;
    take(violation_entry(*within, next_drawn()));
    return {};
  }

  /// What stands alone: all memories that were named, then all edges at them.
  check_result take_erasure() {
    if (!known_.erasing) return unasked(entries_[next_]);
    const erase_request asked = *std::exchange(known_.erasing, std::nullopt);
    for (auto& x : erasure_of(known_.truth, asked, now_)) {
      if (next_ == entries_.size()) return wrong("atomic", "an erasure is in the journal in part");
      if (!std::holds_alternative<erase_payload>(x.payload)) {
        take(std::move(x)); // of a field, nothing of which is drawn
        continue;
      }
      auto& wanted = std::get<erase_payload>(x.payload);
      const auto* made = std::get_if<erase_payload>(&entries_[next_].payload);
      if (made != nullptr && made->head.has_value() == wanted.head.has_value()) {
        wanted.nonce = made->nonce;
        if (wanted.head) x.leaves.front() = with_nonce(*wanted.head, made->head->nonce);
        if (wanted.edge) x.leaves.front() = with_nonce(*wanted.edge, made->edge->nonce);
      }
      take(std::move(x));
    }
    return {};
  }
  template <class Record>
  static state_leaf with_nonce(Record& record, const nonce& drawn) {
    record.nonce = drawn;
    return leaf_of(record);
  }

  /// What was planned, and of each memory what it came to before the point.
  check_result take_trim(const entry& e) {
    if (!known_.trimming) return unasked(e);
    trim_payload planned = *std::exchange(known_.trimming, std::nullopt);
    planned.nonce = std::get<trim_payload>(e.payload).nonce;
    const seq_no at{planned.before.value - 1};
    for (const carried_use& c : planned.used) {
      const auto m = known_.truth.memory_at(c.id, at);
      if (m && !m->head->erased && m->activation != c.used)
        return wrong("trim", fmt::format("seq {} carries another use of {}", e.header.seq.value,
                                         to_string(c.id)));
    }
    for (const carried_signals& c : planned.coloured) {
      const auto m = known_.truth.memory_at(c.id, at);
      if (m && m->signals && m->signals != c.signals)
        return wrong("trim", fmt::format("seq {} carries other signals of {}", e.header.seq.value,
                                         to_string(c.id)));
    }
    if (auto ok = check_dropped(planned); !ok) return ok;
    known_.trims[e.header.seq] = planned;
    const std::string by = planned.actor;
    take({entry_kind::trim, by, {}, std::move(planned)});
    return {};
  }

  /// No version that was the newest at the point, or that something speaks of that is read.
  check_result check_dropped(const trim_payload& planned) const {
    const seq_no at{planned.before.value - 1};
    const seq_no last = known_.truth.last();
    std::set<std::pair<memory_id, std::uint32_t>> named;
    for (const auto& record : known_.truth.compacts())
      for (const auto& kept : record.payload.kept) named.emplace(kept.uri.id, kept.uri.version);
    for (const memory_id& id : known_.truth.ids_at(last)) {
      const auto m = known_.truth.memory_at(id, last);
      for (const std::string& text : m->version->provenance.derived_from)
        if (const auto uri = parse_memory_uri(text)) named.emplace(uri->id, uri->version);
    }
    for (const dropped_versions& d : planned.versions) {
      if (known_.truth.is_erased(d.id)) continue;
      const auto h = known_.truth.head_at(d.id, at);
      const bool is_past = h && d.ranges.back().last < h->current_version;
      bool speaks = false;
      for (auto at_one = named.lower_bound({d.id, 0});
           at_one != named.end() && at_one->first == d.id; ++at_one) {
        const std::uint32_t number = at_one->second;
        // An earlier trim may have dropped what has been named since, which is nowhere any more.
        const bool goes = std::ranges::any_of(d.ranges, [&](const version_range& r) {
          return r.first <= number && number <= r.last;
        });
        speaks = speaks || (goes && !known_.truth.trimmed_by(d.id, number, last));
      }
      if (!is_past || speaks)
        return wrong("trim", fmt::format("a version of {} goes that is read", to_string(d.id)));
    }
    return {};
  }

  check_result take_snapshot(const entry& e) {
    auto* op = operation_of(e);
    const auto* asked = op == nullptr ? nullptr : std::get_if<snapshot_message>(&op->request);
    if (asked == nullptr || op->entered) return unasked(e);
    op->entered = true;
    known_.snapshots.emplace(e.header.seq, op->number);
    const root_set& now = known_.roots.at(known_.truth.last());
    const auto& written = std::get<snapshot_payload>(e.payload);
    manifest m{.seq = now.seq,
               .journal_root = now.journal_root,
               .state_roots = now.state_roots,
               .overall_root = now.overall,
               .created_at = e.header.created_at,
               .trigger = asked->reason,
               .counters = written.manifest.counters};
    take({entry_kind::snapshot, asked->actor, {}, snapshot_payload{std::move(m), written.nonce}});
    return {};
  }

  /// All entries of the request that `first` belongs to.
  check_result take_request(const entry& first) {
    auto* op = operation_of(first);
    if (op == nullptr) return unasked(first);
    if (op->entered || op->state == operation_state::answered)
      return wrong(journal_oracle,
                   fmt::format("seq {} holds operation {} (\"{}\"), which was {}",
                               first.header.seq.value, op->number, describe(op->request),
                               op->entered ? "in the journal already" : "refused"));
    clock_mark_ = op->clock_mark;
    entered_write done;
    done.first = first.header.seq;
    const auto refused = enter(*op, done);
    if (refused && !problem_)
      return wrong(journal_oracle,
                   fmt::format("operation {} (\"{}\") is in the journal at seq {}, but "
                               "had to be refused there: {}",
                               op->number, describe(op->request), first.header.seq.value,
                               to_string(*refused)));
    if (problem_)
      problem_->text += fmt::format(" (operation {}: {})", op->number, describe(op->request));
    done.last = done.results.seq = known_.truth.last();
    op->entered = true;
    known_.entered.insert_or_assign(op->number, std::move(done));
    return {};
  }

  std::optional<errc> enter(const operation& op, entered_write& done) {
    model& truth = known_.truth;
    if (const auto* tick = std::get_if<tick_message>(&op.request)) {
      done.writes = tick_outcomes(truth, *tick->request, now_, *this);
      return std::nullopt;
    }
    if (std::holds_alternative<decay_message>(op.request)) {
      auto cycle = decay_in(truth, truth.last(), now_);
      const std::string& actor = std::get<decay_message>(op.request).actor;
      take({entry_kind::decay_cycle,
            actor,
            {},
            decay_cycle_payload{std::move(cycle.items), actor, next_drawn().nonce}});
      done.decay = cycle.answer;
      done.decay.seq = truth.last();
      return std::nullopt;
    }
    if (const auto agent = agent_write_of(op.request)) {
      done.writes.push_back(agent_outcome(truth, *agent, now_, *this));
      return done.writes[0] ? std::nullopt : std::optional(done.writes[0].error());
    }
    const auto items = permitted(truth, op.request, now_);
    if (!items) return items.error();
    const auto scopes = scopes_in(op.request);
    const scope* within = scopes.empty() ? nullptr : scopes.front();
    for (const auto& m : *items) {
      const auto out = outcome_of(truth, m, now_, *this, within);
      if (out.refused) return out.refused;
      done.results.results.push_back(result_of(out, truth.last()));
    }
    return std::nullopt;
  }

  /// Ids ascend and are never used again; nonces are there.
  check_result check_drawn(const entry& e) const {
    const drawn_values drawn = drawn_in(e.payload);
    const auto missing = [&](std::string_view what) {
      return wrong("drawn", fmt::format("seq {} has no {}", e.header.seq.value, what));
    };
    if (const auto* w = std::get_if<write_payload>(&e.payload)) {
      if (drawn.head_nonce == nonce{}) return missing("nonce in its head");
      if (drawn.version_nonce == nonce{}) return missing("nonce in its version");
      // Where the machine stopped in an erasure nobody knows any more what was drawn for what went.
      const bool is_known = !known_.has_crashed || known_.truth.stubs().empty();
      if (w->id_drawn && is_known && drawn.id <= known_.truth.last_drawn(known_.truth.last()))
        return wrong("drawn", fmt::format("seq {} draws {}, which is not above the last one, {}",
                                          e.header.seq.value, to_string(drawn.id),
                                          to_string(known_.truth.last_drawn(known_.truth.last()))));
      if (known_.truth.head_at(drawn.id, known_.truth.last()))
        return wrong("drawn", fmt::format("seq {} gives {} to a second memory", e.header.seq.value,
                                          to_string(drawn.id)));
    }
    if (std::holds_alternative<update_payload>(e.payload) && drawn.version_nonce == nonce{})
      return missing("nonce in its version");
    if (std::holds_alternative<edge_payload>(e.payload) && drawn.edge_nonce == nonce{})
      return missing("nonce in its edge");
    if (std::ranges::find(drawn.revision_nonces, nonce{}) != drawn.revision_nonces.end())
      return missing("nonce in a revision");
    const bool has_own = std::visit([](const auto& p) { return requires { p.nonce; }; }, e.payload);
    if (has_own && drawn.nonce == nonce{}) return missing("nonce");
    return {};
  }

  static std::string difference(const entry& e, const entry& expected) {
    if (e.header.seq != expected.header.seq) return "another seq";
    if (e.header.kind != expected.header.kind)
      return fmt::format("it should be {}", to_string(expected.header.kind));
    if (e.payload != expected.payload) return "another payload";
    if (e.header.leaves != expected.header.leaves) return "other leaves";
    if (e.header.created_by != expected.header.created_by) return "another created_by";
    return "other bytes";
  }

  operation* operation_of(const entry& e) {
    const auto number = number_in(e);
    if (!number) return nullptr;
    const auto found = known_.operations.find(*number);
    return found == known_.operations.end() ? nullptr : &found->second;
  }
  static std::unexpected<wrong_answer> unasked(const entry& e) {
    return wrong(journal_oracle,
                 fmt::format("nobody asked for seq {} ({}, by {})", e.header.seq.value,
                             to_string(e.header.kind), e.header.created_by));
  }

  evidence& known_;
  const std::vector<entry>& entries_;
  std::size_t next_ = 0;
  timestamp now_;              ///< when the request was executed
  std::size_t clock_mark_ = 0; ///< since when it may have been
  std::optional<wrong_answer> problem_;
};

} // namespace

check_result follow_journal(evidence& known, file_system& files, seq_no last) {
  const seq_no from = known.truth.last().next();
  if (last < from) return {};
  std::vector<entry> entries;
  auto walked = read_journal(files, journal_directory(std::string(world_directory)), known.world,
                             from, true, [&](const journal_frame& frame) -> result<bool> {
                               seq_no seq = frame.prefix.first_seq;
                               for (const auto& raw : frame.entries) {
                                 if (seq >= from && seq <= last) {
                                   auto e = open_entry(raw.header, raw.payload, raw.erased);
                                   if (!e) return propagate(e);
                                   entries.push_back(std::move(*e));
                                 }
                                 seq = seq.next();
                               }
                               return seq <= last;
                             });
  if (!walked) return wrong(journal_oracle, "it cannot be read: " + walked.error().message);
  if (entries.size() != last.value - from.value + 1)
    return wrong(journal_oracle, fmt::format("it ends at seq {}, but seq {} is published",
                                             from.value + entries.size() - 1, last.value));
  return follower(known, entries).run();
}

void forget_behind(evidence& known, seq_no last) {
  known.truth.truncate(last);
  known.roots.truncate(last);
  known.touches.erase(known.touches.upper_bound(last), known.touches.end());
  known.snapshots.erase(known.snapshots.upper_bound(last), known.snapshots.end());
  known.violations.erase(known.violations.upper_bound(last), known.violations.end());
  known.trims.erase(known.trims.upper_bound(last), known.trims.end());
  for (auto& [number, write] : known.entered)
    if (write.last > last) write.is_lost = true;
  known.acknowledged = std::min(known.acknowledged, last);
}

} // namespace mneme::sim

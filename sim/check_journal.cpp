#include "sim/check_journal.hpp"

#include <fmt/format.h>

#include "journal/journal.hpp"
#include "sim/model_write.hpp"
#include "state/checkpoint.hpp"

namespace mneme::sim {

namespace {

constexpr auto oracle = "journal";

class follower {
public:
  follower(evidence& known, const std::vector<entry>& entries) : known_(known), entries_(entries) {}

  check_result run() {
    while (next_ < entries_.size()) {
      const entry& e = entries_[next_];
      check_result ok;
      if (e.header.kind == entry_kind::find_late)
        ok = take_touch(e);
      else if (e.header.kind == entry_kind::snapshot)
        ok = take_snapshot(e);
      else
        ok = take_write(e);
      if (!ok) return ok;
    }
    return {};
  }

private:
  check_result take_touch(const entry& e) {
    const auto& late = std::get<find_late_payload>(e.payload);
    for (const auto& id : late.accessed)
      if (!known_.truth.head_at(id, known_.truth.last()))
        return wrong(oracle, fmt::format("find_late at seq {} touches {}, which does not exist",
                                         e.header.seq.value, to_string(id)));
    known_.touches.emplace(e.header.seq, late);
    return take(e, seal_entry({.seq = known_.truth.last().next(),
                               .kind = entry_kind::find_late,
                               .created_at = e.header.created_at,
                               .created_by = late.actor,
                               .leaves = {},
                               .payload_hash = {}},
                              e.payload));
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
    return take(e, seal_entry({.seq = known_.truth.last().next(),
                               .kind = entry_kind::snapshot,
                               .created_at = e.header.created_at,
                               .created_by = asked->actor,
                               .leaves = {},
                               .payload_hash = {}},
                              snapshot_payload{std::move(m), written.nonce}));
  }

  /// All entries of the request that `first` belongs to.
  check_result take_write(const entry& first) {
    auto* op = operation_of(first);
    if (op == nullptr) return unasked(first);
    if (op->entered || op->state == operation_state::answered)
      return wrong(oracle, fmt::format("seq {} holds operation {} (\"{}\"), which was {}",
                                       first.header.seq.value, op->number, describe(op->request),
                                       op->entered ? "in the journal already" : "refused"));
    entered_write done;
    for (const auto& m : mutations_of(op->request)) {
      const bool more = next_ < entries_.size();
      const entry& e = more ? entries_[next_] : entries_.back();
      const auto out = outcome_of(known_.truth, m, e.header.created_at, drawn_in(e.payload));
      if (out.refused)
        return wrong(oracle, fmt::format("operation {} (\"{}\") is in the journal at seq {}, but "
                                         "had to be refused there: {}",
                                         op->number, describe(op->request), first.header.seq.value,
                                         to_string(*out.refused)));
      if (out.payload) {
        if (!more)
          return wrong("atomic", fmt::format("operation {} (\"{}\") is in the journal in part only",
                                             op->number, describe(op->request)));
        if (auto ok = take_mutation(*op, e, out); !ok) return ok;
      }
      done.results.results.push_back(
          {.changed = out.payload.has_value(), .seq = known_.truth.last(), .uri = out.uri});
    }
    done.results.seq = known_.truth.last();
    op->entered = true;
    known_.entered.insert_or_assign(op->number, std::move(done));
    return {};
  }

  check_result take_mutation(const operation& op, const entry& e, const write_outcome& out) {
    if (!known_.clock->has_shown_since(op.clock_mark, e.header.created_at))
      return wrong("clock", fmt::format("seq {} is of {}, a time that the clock did not show",
                                        e.header.seq.value, to_string(e.header.created_at)));
    if (auto ok = check_drawn(e); !ok) return ok;
    return take(e, seal_entry({.seq = known_.truth.last().next(),
                               .kind = out.kind,
                               .created_at = e.header.created_at,
                               .created_by = out.created_by,
                               .leaves = {*out.leaf},
                               .payload_hash = {}},
                              *out.payload));
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
      if (w->id_drawn && drawn.id <= known_.truth.last_drawn(known_.truth.last()))
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
    return {};
  }

  /// Compares the entry with what it has to be, and moves on.
  check_result take(const entry& e, const entry& expected) {
    if (e.header_bytes != expected.header_bytes || e.payload_bytes != expected.payload_bytes)
      return wrong(oracle, fmt::format("seq {} ({}, by {}) is not what the model expects: {}",
                                       e.header.seq.value, to_string(e.header.kind),
                                       e.header.created_by, difference(e, expected)));
    known_.truth.commit(e.header.seq, e.payload, e.header.created_at);
    known_.roots.append(e);
    ++next_;
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
    const auto number = number_of_token(e.header.created_by);
    if (!number) return nullptr;
    const auto found = known_.operations.find(*number);
    return found == known_.operations.end() ? nullptr : &found->second;
  }
  static std::unexpected<wrong_answer> unasked(const entry& e) {
    return wrong(oracle, fmt::format("nobody asked for seq {} ({}, by {})", e.header.seq.value,
                                     to_string(e.header.kind), e.header.created_by));
  }

  evidence& known_;
  const std::vector<entry>& entries_;
  std::size_t next_ = 0;
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
  if (!walked) return wrong(oracle, "it cannot be read: " + walked.error().message);
  if (entries.size() != last.value - from.value + 1)
    return wrong(oracle, fmt::format("it ends at seq {}, but seq {} is published",
                                     from.value + entries.size() - 1, last.value));
  return follower(known, entries).run();
}

void forget_behind(evidence& known, seq_no last) {
  known.truth.truncate(last);
  known.roots.truncate(last);
  known.touches.erase(known.touches.upper_bound(last), known.touches.end());
  known.snapshots.erase(known.snapshots.upper_bound(last), known.snapshots.end());
  for (auto& [number, write] : known.entered)
    if (write.results.seq > last) write.is_lost = true;
  known.acknowledged = std::min(known.acknowledged, last);
}

} // namespace mneme::sim

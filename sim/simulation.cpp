#include "sim/simulation.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "messages/hash.hpp"
#include "sim/arm_session.hpp"
#include "sim/check_journal.hpp"
#include "sim/check_state.hpp"
#include "sim/feed_reader.hpp"
#include "sim/model_erasure.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "state/retention/planned_trim.hpp"
#include "state/retention/trimming_note.hpp"

namespace mneme::sim {

namespace {

model_seams seams_of(const engine_setup& setup) {
  auto embeds = make_embedder(setup.embedder);
  ensure(embeds.has_value(), "a profile names a known embedder");
  const bool late = setup.late_percent.has_value();
  return {.embeds = late ? make_prompt_embedder() : *embeds,
          .is_late = late,
          .tokens = make_default_token_counter(),
          .search = default_search_weights(setup.embedder)};
}

constexpr std::uint64_t steps_in_arms = 300; ///< of each

void add_to(run_report& report, const run_report& of_arm) {
  report.operations += of_arm.operations;
  report.answers += of_arm.answers;
  report.errors += of_arm.errors;
  report.plan.insert(report.plan.end(), of_arm.plan.begin(), of_arm.plan.end());
}

evidence nothing_known(engine_setup setup, const planted_bugs& bugs) {
  setup.bugs = bugs;
  return {setup, seams_of(setup), std::make_shared<virtual_clock>(start_time)};
}

/// A session under faults, from the first boot to a last one after the end.
class simulation final : public session {
public:
  simulation(const run_options& options, const profile& how)
      : session(options, how, {}, nothing_known(how.setup, options.bugs)),
        faults_(options.seed, "faults"),
        erasures_(options.seed, "erasures"),
        feed_(options.seed),
        trims_(options.seed, "trims") {
    next_fault_ = faults_.below(2 * how_.steps_between_faults);
    // An erasure ensures itself what is durable, and would stop the run with that bug.
    if (how_.steps_between_erasures > 0 && !options.bugs.skip_fsync)
      next_erasure_ = 1 + erasures_.below(2 * how_.steps_between_erasures);
    if (how_.steps_between_trims > 0 && !options.bugs.skip_fsync)
      next_trim_ = 1 + trims_.below(2 * how_.steps_between_trims);
  }

  run_report run() {
    check_result ok = boot(seq_no{0});
    while (ok && step_ < options_.steps) {
      ++step_;
      ok = one_step();
    }
    if (ok) ok = finish();
    if (!ok) {
      report_.failure = ok.error();
      report_.failed_at_step = step_;
    }
    report_.log_digest = log_.digest();
    report_.log = log_.lines();
    report_.journal_digest = journal_digest();
    report_.last = known_.truth.last();
    report_.root = known_.roots.at(known_.truth.last()).overall;
    machine_.reset();
    return std::move(report_);
  }

private:
  // --- one step -------------------------------------------------------------

  check_result one_step() {
    if (room_at_ && step_ >= *room_at_) make_room();
    if (crash_at_ && step_ >= *crash_at_) return crash(draw_crash_mode());
    if (!crash_at_ && step_ >= next_fault_) {
      next_fault_ = step_ + 1 + faults_.below(2 * how_.steps_between_faults);
      if (auto ok = strike(); !ok) return ok;
    }
    if (next_erasure_ > 0 && step_ >= next_erasure_ && !crash_at_ && !room_at_) {
      next_erasure_ = step_ + 1 + erasures_.below(2 * how_.steps_between_erasures);
      return erase_some();
    }
    if (feed_.is_due() && !known_.disk_is_failing)
      if (auto ok = read_feed(false); !ok) return ok;
    if (trim_answer_ != nullptr && trim_answer_->has_value())
      if (auto ok = take_trim_answer(); !ok) return ok;
    if (next_trim_ > 0 && step_ >= next_trim_ && trim_answer_ == nullptr) {
      next_trim_ = step_ + 1 + trims_.below(2 * how_.steps_between_trims);
      return trim_beside();
    }
    return take_turn();
  }

  check_result read_feed(bool whole) {
    // With that bug what is told is not durable, and there is an oracle for it.
    if (options_.bugs.skip_fsync) return {};
    const auto w = machine_->state();
    if (auto ok = follow(w->published_seq()); !ok) return ok;
    return whole ? feed_.read_all(known_, *w) : feed_.read_on(known_, *w);
  }

  /// The oracles' own reads go past the injected faults.
  check_result follow(seq_no published) override {
    if (!known_.disk_is_failing) return follow_journal(known_, *disk_.files, published);
    memory_file_system beside(disk_.files->image());
    return follow_journal(known_, beside, published);
  }

  // --- trims ----------------------------------------------------------------

  /// Beside whatever else goes on, faults too.
  check_result trim_beside() {
    const std::string name = fmt::format("trim{}", ++trimmed_);
    random_stream draw(options_.seed, name);
    if (!is_wanted(name)) return {};
    // Whoever reads what is going to be dropped reads it now.
    if (auto ok = follow(machine_->state()->published_seq()); !ok) return ok;
    const seq_no last = known_.truth.last();
    trim_options o;
    o.reason = "simulated";
    o.by = "trimmer";
    if (draw.percent(70)) o.before = seq_no{1 + draw.below(last.value + 1)};
    o.versions = draw.percent(50);
    memory_file_system beside(disk_.files->image());
    planned_trim planned(beside, std::string(world_directory), known_.world, o, last);
    const auto looked = planned.look();
    const bool is_below_another =
        !looked && o.versions && looked.error().code == errc::seq_unavailable;
    if (is_below_another) return {};
    if (!looked) return wrong("trim", "no plan: " + looked.error().message);
    const trim_report report = planned.report();
    if (report.dropped == 0 || planned.before() < known_.may_begin) return {};
    const std::string text = fmt::format("trim before {}{} at step {}", report.before.value,
                                         o.versions ? " with versions" : "", step_);
    report_.plan.push_back(fmt::format("{}: {}", name, text));
    log_.add(step_, "ask", text);
    known_.trimming = planned.payload();
    known_.may_begin = report.before;
    trim_answer_ = std::make_shared<std::optional<result<trim_end>>>();
    machine_->tell(
        trim_command{.payload = planned.payload(),
                     .planned_at = last,
                     .reply = [to = trim_answer_](result<trim_end> r) { *to = std::move(r); }});
    return {};
  }

  check_result take_trim_answer() {
    const auto answered = std::exchange(trim_answer_, nullptr);
    const result<trim_end>& done = **answered;
    log_.add(step_, "answer", done ? "trimmed" : std::string(to_string(done.error().code)));
    if (auto ok = follow(machine_->state()->published_seq()); !ok) return ok;
    if (!done) {
      const bool is_excused = known_.disk_is_failing || known_.disk_is_full
                              || known_.last_issued_when_full > 0 || done.error().code == errc::busy
                              || done.error().code == errc::version_conflict;
      known_.trimming.reset();
      if (!is_excused) return wrong("trim", "nothing is trimmed: " + done.error().message);
      return {};
    }
    const auto found = known_.trims.find(done->at);
    if (found == known_.trims.end()) return wrong("trim", "it answers with no trim's seq");
    known_.begins = std::max(known_.begins, found->second.before);
    known_.truth.note_dropped(found->second);
    known_.acknowledged = std::max(known_.acknowledged, done->at);
    known_.durable = std::max(known_.durable, done->at);
    return {};
  }

  /// Of a world that was opened: what its journal says was trimmed is.
  void note_trimmed() {
    known_.trimming.reset();
    trim_answer_ = nullptr;
    known_.begins = known_.may_begin = seq_no{};
    for (const auto& [at, trim] : known_.trims)
      known_.begins = known_.may_begin = std::max(known_.begins, trim.before);
    if (!known_.trims.empty()) known_.truth.note_dropped(known_.trims.rbegin()->second);
  }

  // --- erasures -------------------------------------------------------------

  /// Alone, so that no answer is of before and comes afterwards: the model rewrites its past.
  check_result erase_some() {
    const std::string name = fmt::format("erase{}", ++erased_);
    random_stream draw(options_.seed, name);
    if (!is_wanted(name)) return {};
    if (auto ok = settle(); !ok) return ok;
    if (trim_answer_ != nullptr && trim_answer_->has_value())
      if (auto ok = take_trim_answer(); !ok) return ok;
    if (auto ok = follow(machine_->state()->published_seq()); !ok) return ok;
    const erase_request asked = some_erasure(draw);
    if (asked.ids.empty() && !asked.owned_by && !asked.source) return {};
    std::string text = "erase";
    for (const auto& id : asked.ids) text += " " + to_string(id);
    if (asked.owned_by) text += " of " + *asked.owned_by;
    if (asked.source) text += " from " + *asked.source;
    if (asked.with_derived) text += " with what rests on it";
    if (asked.field) text += " " + *asked.field;
    report_.plan.push_back(fmt::format("{}: {} at step {}", name, text, step_));
    log_.add(step_, "ask", text);
    const erase_result expected = erase_answer_of(known_.truth, asked);
    known_.erasing = asked;
    client& by = *machine_->clients().front();
    by.ask_to_erase(machine_->engine(), asked);
    const std::uint64_t how = draw.below(4);
    std::uint64_t steps = how == 0 ? draw.below(60) : steps_to_settle;
    if (how == 1) {
      disk_.files->fail_nth(io_operation::any, 1 + draw.below(120), true);
      known_.disk_is_failing = true;
    }
    for (; steps > 0 && !by.has_answer() && machine_->scheduler().has_job(); --steps)
      machine_->scheduler().run_one(step_);
    if (by.has_answer())
      if (auto ok = check_erased(by.collect(), expected); !ok) return ok;
    // After a failed sync only the power goes: nothing can be promised otherwise.
    const bool is_killed = how == 0 && draw.percent(30);
    if (how < 2) return crash(is_killed ? std::nullopt : std::optional(draw_crash_mode()));
    return no_stray_messages();
  }

  erase_request some_erasure(random_stream& draw) {
    erase_request r;
    r.reason = "asked for";
    r.by = "eraser";
    if (draw.one_in(3)) {
      const auto fields = erasable_fields(known_.truth);
      if (!fields.empty()) {
        const field_head& one = draw.pick(fields).head;
        r.ids = {one.topic};
        r.field = one.name;
        return r;
      }
    }
    auto ids = known_.truth.ids_at(known_.truth.last());
    r.with_derived = draw.one_in(3);
    if (!ids.empty() && draw.one_in(6)) {
      name_all_like(draw.pick(ids), r);
      if (r.owned_by || r.source) return r;
    }
    for (auto n = 1 + draw.below(3); n > 0 && !ids.empty(); --n) r.ids.push_back(draw.pick(ids));
    if (const auto gone = known_.truth.stubs(); !gone.empty() && draw.one_in(3))
      r.ids.push_back(draw.pick(gone));
    return r;
  }

  /// What has the same source, or the same actor.
  void name_all_like(const memory_id& id, erase_request& r) const {
    const auto m = known_.truth.memory_at(id, known_.truth.last());
    if (m->head->type == memory_type::chunk) {
      const auto path = m->version->data.find("path");
      if (path != m->version->data.end()) r.source = std::get<std::string>(path->second);
    } else if (!m->head->actor_scope.empty()) {
      r.owned_by = m->head->actor_scope;
    }
  }

  check_result check_erased(const result<reply_message>& answer, const erase_result& expected) {
    log_.add(step_, "answer", answer ? "erased" : std::string(to_string(answer.error().code)));
    if (!answer) {
      if (known_.disk_is_failing) return {};
      return wrong("erase", "nothing is erased: " + answer.error().message);
    }
    const auto& done = std::get<erase_result>(*answer);
    const auto ids = [](const erase_result& of) {
      std::vector<memory_id> all;
      all.reserve(of.erased.size());
      for (const auto& m : of.erased) all.push_back(m.id);
      return all;
    };
    if (ids(done) != ids(expected) || done.erased_before != expected.erased_before
        || done.not_found != expected.not_found || done.entries != expected.entries
        || done.fields != expected.fields
        || done.fields_erased_before != expected.fields_erased_before
        || done.edges != expected.edges || done.changed != expected.changed || done.left != 0)
      return wrong("erase", fmt::format("{} memories, {} entries and {} edges instead of {}, {} "
                                        "and {}",
                                        done.erased.size(), done.entries, done.edges,
                                        expected.erased.size(), expected.entries, expected.edges));
    if (!done.changed) known_.erasing.reset();
    known_.acknowledged = std::max(known_.acknowledged, done.seq);
    if (done.changed) known_.durable = known_.acknowledged;
    if (auto ok = follow(machine_->state()->published_seq()); !ok) return ok;
    // What others left behind it, or just before it, are touches that were waiting.
    if (known_.truth.last() < done.seq) return wrong("erase", "it answers before it is published");
    return {};
  }

  // --- faults ---------------------------------------------------------------

  check_result strike() {
    std::uint64_t whole = 0;
    for (const auto weight : how_.faults) whole += weight;
    if (whole == 0) return {};
    std::uint64_t point = faults_.below(whole);
    std::size_t kind = 0;
    while (point >= how_.faults[kind]) point -= how_.faults[kind++];
    const auto fault = static_cast<fault_kind>(kind);
    const std::uint64_t nth = 1 + faults_.below(60);
    const std::uint64_t later = 1 + faults_.below(200);
    constexpr std::array<io_operation, 4> kinds = {io_operation::write, io_operation::sync,
                                                   io_operation::open, io_operation::directory};
    const io_operation failing = faults_.pick(kinds);
    const std::string name = fmt::format("fault{}", ++struck_);
    if (!is_wanted(name)) return {};
    constexpr std::array<std::string_view, fault_kind_count> names = {
        "kill",
        "power loss",
        "power loss, nothing unsynced stays",
        "dying disk",
        "one failed disk operation",
        "a full disk"};
    report_.plan.push_back(fmt::format("{}: {} at step {}", name, names[kind], step_));
    log_.add(step_, "fault", names[kind]);
    switch (fault) {
    case fault_kind::kill:
      return crash(std::nullopt);
    case fault_kind::power_loss:
      return crash(crash_mode::random);
    case fault_kind::power_loss_worst:
      return crash(crash_mode::drop);
    case fault_kind::dying_disk:
      disk_.files->fail_nth(io_operation::any, nth, true);
      break;
    case fault_kind::failed_operation:
      disk_.files->fail_nth(failing, 1 + nth / 4, false);
      break;
    case fault_kind::full_disk:
      disk_.files->limit_bytes(disk_.files->used_bytes() + nth * nth);
      known_.disk_is_full = true;
      room_at_ = step_ + later;
      return {};
    }
    known_.disk_is_failing = true;
    crash_at_ = step_ + later;
    return {};
  }

  crash_mode draw_crash_mode() {
    return faults_.percent(50) ? crash_mode::random : crash_mode::drop;
  }

  /// Somebody has removed what filled the disk.
  void make_room() {
    if (!room_at_) return;
    room_at_.reset();
    disk_.files->limit_bytes(std::nullopt);
    known_.disk_is_full = false;
    known_.last_issued_when_full = issued_;
    log_.add(step_, "fault", "there is room again");
  }

  /// Pulls the plug and boots again. No mode: only the process dies.
  check_result crash(std::optional<crash_mode> mode) {
    ++report_.crashes;
    known_.has_crashed = true;
    crash_at_.reset();
    lose_machine(mode);
    seq_no promised = mode ? known_.durable : known_.acknowledged;
    const seq_no before = known_.truth.last();
    // The disk may die once more while the world is recovered.
    if (how_.faults[static_cast<std::size_t>(fault_kind::dying_disk)] > 0 && faults_.one_in(4)) {
      disk_.files->fail_nth(io_operation::any, 1 + faults_.below(80), true);
      promised = known_.durable;
      if (auto ok = boot_on_dying_disk(); !ok) return ok;
    }
    auto ok = boot(promised);
    report_.lost_entries += before.value - std::min(before, known_.truth.last()).value;
    return ok;
  }

  /// Ends the machine; the disk is then what the next one finds.
  void lose_machine(std::optional<crash_mode> mode) {
    auto files = std::make_shared<memory_file_system>(disk_.files->image());
    if (mode) files->crash(faults_.next(), *mode);
    machine_.reset();
    disk_.files = std::move(files);
    make_room();
    known_.disk_is_failing = false;
    asked_.clear();
    for (auto& [number, op] : known_.operations)
      if (op.state == operation_state::waiting) op.state = operation_state::unknown;
  }

  check_result boot_on_dying_disk() {
    auto failed = machine::boot(known_.setup, disk_, clock_, ++boots_, schedule_, log_);
    if (!failed && failed.error().code != errc::io)
      return wrong("recovery", "on a dying disk: " + failed.error().message);
    if (failed) failed->reset();
    lose_machine(draw_crash_mode());
    return {};
  }

  check_result boot(seq_no promised) {
    auto booted = machine::boot(known_.setup, disk_, clock_, ++boots_, schedule_, log_);
    if (!booted) return wrong("recovery", "the world does not open: " + booted.error().message);
    machine_ = std::move(*booted);
    const auto w = machine_->state();
    log_.add(step_, "boot", boots_, w->published_seq().value);
    if (auto ok = check_recovery(known_, *w, promised); !ok) return ok;
    note_trimmed();
    // What is recovered has been made durable before it is shown.
    known_.durable = known_.acknowledged = w->published_seq();
    return {};
  }

  // --- the end --------------------------------------------------------------

  check_result finish() {
    make_room();
    if (auto ok = settle(); !ok) return ok;
    if (trim_answer_ != nullptr) {
      if (!trim_answer_->has_value()) return wrong("trim", "it is never answered");
      if (auto ok = take_trim_answer(); !ok) return ok;
    }
    if (known_.disk_is_failing)
      if (auto ok = crash(draw_crash_mode()); !ok) return ok;
    if (machine_->remote() != nullptr)
      if (auto ok = wait_for_vectors(); !ok) return ok;
    if (auto ok = check_world(); !ok) return ok;
    if (auto ok = read_feed(true); !ok) return ok;
    const auto w = machine_->state();
    if (auto ok = check_branches(known_, *w); !ok) return ok;
    if (auto ok = check_broken_branches(known_, *w, options_.seed); !ok) return ok;
    if (auto ok = check_arms(); !ok) return ok;
    if (auto ok = check_trims(known_, *w); !ok) return ok;
    if (auto ok = check_all_claimed(known_); !ok) return ok;
    if (auto ok = check_violations(known_); !ok) return ok;
    return close_and_open();
  }

  /// Arms of a copy of the world go on side by side, each with all that is known of it.
  check_result check_arms() {
    const disk copy{.files = std::make_shared<memory_file_system>(disk_.files->image())};
    auto base = arm_source_of(known_.setup, copy, clock_, machine_->remote());
    if (!base) return wrong("arm", "a base does not open: " + base.error().message);
    std::vector<std::unique_ptr<arm_session>> arms;
    for (std::uint64_t number = 1; number <= 2; ++number) {
      arms.push_back(std::make_unique<arm_session>(options_, how_, number, known_, issued_));
      if (auto ok = arms.back()->boot(*base, machine_->remote()); !ok) return ok;
    }
    check_result ok;
    for (std::uint64_t i = 0; ok && i < steps_in_arms; ++i)
      for (const auto& arm : arms)
        if (ok) ok = arm->go_on();
    for (const auto& arm : arms) {
      if (ok) ok = arm->finish();
      log_.add(step_, "arm", arm->log().digest(), 0);
      add_to(report_, arm->report());
    }
    if (ok && (*base)->base().published_roots() != known_.roots.at(known_.truth.last()))
      return wrong("arm", "the base has moved");
    return ok;
  }

  check_result close_and_open() {
    auto& client = *machine_->clients().front();
    client.ask_to_close(machine_->engine());
    for (std::uint64_t i = 0; !client.has_answer(); ++i) {
      if (!machine_->scheduler().has_job() || i == steps_to_settle) return stuck();
      machine_->scheduler().run_one(step_);
    }
    if (auto closed = client.collect(); !closed)
      return wrong("close", "closing failed: " + closed.error().message);
    lose_machine(crash_mode::drop);
    // A trim that the disk had no room for is finished by the next opening, which may have to go
    // through all of the journal for it.
    const bool owes_trim = noted_trim(*disk_.files, std::string(world_directory)).value != 0;
    if (auto ok = boot(known_.truth.last()); !ok) return ok;
    const auto w = machine_->state();
    if (known_.setup.touches == touch_mode::batched)
      if (auto ok = check_late_touches(known_); !ok) return ok;
    if ((w->report.replayed_entries > short_tail && !owes_trim) || w->report.torn_bytes != 0)
      return wrong("close", fmt::format("after a clean close {} entries were replayed and {} bytes "
                                        "cut",
                                        w->report.replayed_entries, w->report.torn_bytes));
    return {};
  }

  /// Over all segments as they would be read.
  digest journal_digest() {
    sha256 all;
    const std::string dir = journal_directory(std::string(world_directory));
    memory_file_system beside(disk_.files->image());
    if (auto names = beside.list(dir))
      for (const auto& name : *names)
        if (auto bytes = beside.testing_bytes(fmt::format("{}/{}", dir, name)))
          all.update(name).update(*bytes);
    return all.finish();
  }

  random_stream faults_;
  random_stream erasures_;
  feed_reader feed_;
  random_stream trims_;
  disk disk_;
  std::uint64_t struck_ = 0;
  std::uint64_t boots_ = 0;
  std::uint64_t erased_ = 0; ///< requests that erase
  std::uint64_t next_erasure_ = 0;
  std::uint64_t trimmed_ = 0; ///< requests that trim
  std::uint64_t next_trim_ = 0;
  std::shared_ptr<std::optional<result<trim_end>>> trim_answer_; ///< of one that goes on, or null
  std::uint64_t next_fault_ = 0;
  std::optional<std::uint64_t> crash_at_;
  std::optional<std::uint64_t> room_at_; ///< the disk is full until then
};

} // namespace

run_report simulate(const run_options& options) {
  return simulation(options, draw_profile(options.seed)).run();
}

} // namespace mneme::sim

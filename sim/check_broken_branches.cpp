#include <array>
#include <functional>

#include <fmt/format.h>

#include "sim/check_state.hpp"
#include "sim/machine.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/fork.hpp"
#include "state/branch/rewind.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/replay.hpp"
#include "state/recovery/verify.hpp"

namespace mneme::sim {

namespace {

constexpr std::string_view oracle = "broken branch";
constexpr std::uint64_t steps_of_request = 100'000;
/// Boots here draw from streams that no other machine has.
constexpr std::uint64_t first_boot_of_branches = 1ULL << 33;

/// Words that nothing else has.
constexpr std::string_view in_note = "zyxbranchnote";
constexpr std::string_view in_field = "zyxbranchfield";

/// With the biggest numbers that there are: the world has others.
memory_id own_id(std::uint8_t number) {
  memory_id id;
  id.bytes.fill(0x7f);
  id.bytes.back() = number;
  return id;
}
const memory_id note_id = own_id(1);
const memory_id topic_id = own_id(2);

constexpr std::array<std::string_view, 6> all_directories = {"world",      "fork", "below",
                                                             "below-kept", "copy", "past"};

class branched_disk {
public:
  branched_disk(const evidence& known, const disk_image& from, std::uint64_t seed)
      : known_(known),
        setup_(known.setup),
        draw_(seed, "branches"),
        clock_(std::make_shared<virtual_clock>(*known.clock)),
        files_(std::make_shared<memory_file_system>(from)) {
    setup_.bugs = {}; // others look for those
  }

  check_result run();

private:
  using making = std::function<result<void>()>;

  disk place_of(const std::string& branch) {
    return {.files = files_, .tables = tables_[branch], .directory = branch};
  }

  /// The machine stops; what is left is what the next one finds. No mode: only the process dies.
  void restart(std::optional<crash_mode> mode) {
    auto left = std::make_shared<memory_file_system>(files_->image());
    if (mode) left->crash(draw_.next(), *mode);
    machine_.reset();
    files_ = std::move(left);
  }
  /// From some operation on, of all or of those that change something.
  void break_disk() {
    constexpr std::array<io_operation, 3> changes = {io_operation::write, io_operation::sync,
                                                     io_operation::directory};
    if (draw_.one_in(2))
      files_->fail_nth(io_operation::any, 1 + draw_.below(150), true);
    else
      files_->fail_nth(draw_.pick(changes), 1 + draw_.below(25), true);
  }
  crash_mode draw_crash_mode() { return draw_.percent(50) ? crash_mode::random : crash_mode::drop; }

  check_result boot(const std::string& branch);
  /// What is asked for is answered after so many steps at most; nullopt: it was not.
  std::optional<result<reply_message>> answer_of(const std::function<void(client&)>& ask,
                                                 std::uint64_t steps);
  check_result close(const std::string& branch);
  check_result write_needles();
  check_result erase(const std::string& branch, const erase_request& asked);
  /// Something that is made of files alone, and breaks off anywhere: it is made again.
  /// Whatever is left in `branch` is no world, or a whole one.
  check_result make(const std::string& branch, std::string_view what, const making& made);
  check_result fork(const std::string& from, const std::string& to, seq_no at);
  check_result rewind(const std::string& branch, seq_no to);
  check_result check_whole(const std::string& branch);
  check_result check_replays(const std::string& branch);
  check_result check_free_of_needles();

  const evidence& known_;
  engine_setup setup_;
  random_stream draw_;
  step_log log_;
  std::shared_ptr<virtual_clock> clock_;
  std::shared_ptr<memory_file_system> files_;
  std::map<std::string, std::shared_ptr<table_place>> tables_;
  std::unique_ptr<machine> machine_;
  std::uint64_t boots_ = first_boot_of_branches;
  std::uint64_t made_ = 0;
};

check_result branched_disk::boot(const std::string& branch) {
  auto& tables = tables_[branch];
  if (tables == nullptr) tables = std::make_shared<table_place>();
  auto booted = machine::boot(setup_, place_of(branch), clock_, ++boots_, draw_, log_);
  if (!booted)
    return wrong(std::string(oracle), branch + " does not open: " + booted.error().message);
  machine_ = std::move(*booted);
  return {};
}

std::optional<result<reply_message>>
branched_disk::answer_of(const std::function<void(client&)>& ask, std::uint64_t steps) {
  client& by = *machine_->clients().front();
  ask(by);
  for (; steps > 0 && !by.has_answer() && machine_->scheduler().has_job(); --steps)
    machine_->scheduler().run_one(0);
  if (!by.has_answer()) return std::nullopt;
  return by.collect();
}

check_result branched_disk::close(const std::string& branch) {
  const auto closed =
      answer_of([&](client& by) { by.ask_to_close(machine_->engine()); }, steps_of_request);
  if (!closed) return wrong(std::string(oracle), branch + " does not close");
  if (!*closed)
    return wrong(std::string(oracle), branch + " does not close: " + closed->error().message);
  restart(crash_mode::drop);
  return {};
}

check_result branched_disk::write_needles() {
  if (auto ok = boot(std::string(world_directory)); !ok) return ok;
  write_request note;
  note.type = memory_type::note;
  note.id = note_id;
  note.data["statement"] = fmt::format("the {} of all", in_note);
  note.tags = {std::string(in_note)};
  ingest_request topic;
  topic.placement = ingest_placement::new_topic;
  topic.topic_id = topic_id;
  topic.title = "a topic of branches";
  for (const auto& [name, value] : {std::pair("kept", "harbour"), {"gone", in_field.data()}}) {
    field_input field;
    field.name = name;
    field.value = json_value(std::string(value));
    topic.fields.push_back(std::move(field));
  }
  for (const mutation& request : {mutation(note), mutation(topic)}) {
    const auto done = answer_of(
        [&](client& by) { by.ask(machine_->engine(), apply_message{.request = request}); },
        steps_of_request);
    if (!done || !*done)
      return wrong(std::string(oracle), done ? done->error().message : "a write is not answered");
  }
  return close(std::string(world_directory));
}

check_result branched_disk::erase(const std::string& branch, const erase_request& asked) {
  for (bool may_break = draw_.percent(75);; may_break = false) {
    if (auto ok = boot(branch); !ok) return ok;
    std::uint64_t steps = steps_of_request;
    const bool is_killed = may_break && draw_.one_in(4);
    if (is_killed) steps = draw_.below(60);
    if (may_break && !is_killed) break_disk();
    const auto done =
        answer_of([&](client& by) { by.ask_to_erase(machine_->engine(), asked); }, steps);
    if (!may_break) {
      if (!done) return wrong(std::string(oracle), "an erasure is not answered");
      if (!*done) return wrong(std::string(oracle), branch + ": " + done->error().message);
      return close(branch);
    }
    restart(is_killed ? std::nullopt : std::optional(draw_crash_mode()));
  }
}

check_result branched_disk::make(const std::string& branch, std::string_view what,
                                 const making& made) {
  if (draw_.percent(75)) {
    break_disk();
    static_cast<void>(made());
    files_->clear_faults();
    restart(draw_crash_mode());
    if (files_->exists(branch + "/WORLD").value_or(false))
      if (auto ok = check_whole(branch); !ok)
        return wrong(std::string(oracle),
                     fmt::format("{} that was broken off: {}", what, ok.error().text));
  }
  if (auto ok = made(); !ok)
    return wrong(std::string(oracle), fmt::format("{}: {}", what, ok.error().message));
  return {};
}

check_result branched_disk::fork(const std::string& from, const std::string& to, seq_no at) {
  const auto made = make(to, "a fork", [&]() -> result<void> {
    if (files_->exists(to + "/WORLD").value_or(false)) return {}; // it was broken off behind that
    auto done =
        fork_files(*files_, from, to, {.at_seq = at, .random = make_seeded_random(++made_, 3)},
                   {.own = to, .parent = from, .is_locked = false});
    return done ? result<void>() : propagate(done);
  });
  if (!made) return made;
  return check_whole(to);
}

check_result branched_disk::rewind(const std::string& branch, seq_no to) {
  const std::string kept = branch + "-kept";
  const auto made = make(branch, "a rewind", [&]() -> result<void> {
    const auto now = verify_journal(*files_, branch, {});
    if (now && now->roots.seq == to) return {}; // likewise
    auto done = rewind_files(*files_, branch, to,
                             {.keep_as = kept, .random = make_seeded_random(++made_, 4)});
    return done ? result<void>() : propagate(done);
  });
  if (!made) return made;
  // The directory has another world, whose tables are none of before.
  tables_[kept] = std::exchange(tables_[branch], std::make_shared<table_place>());
  if (auto ok = check_whole(branch); !ok) return ok;
  return check_whole(kept);
}

/// It verifies, and the world's roots of before are its own.
check_result branched_disk::check_whole(const std::string& branch) {
  auto verified = verify_journal(*files_, branch, {});
  if (!verified) return wrong(std::string(oracle), branch + ": " + verified.error().message);
  if (!verified->ok)
    return wrong(std::string(oracle), branch + " does not verify: " + verified->problem);
  const seq_no common = std::min(verified->roots.seq, known_.truth.last());
  auto roots = fold_roots(*files_, branch, common);
  if (!roots) return wrong(std::string(oracle), branch + ": " + roots.error().message);
  if (*roots != known_.roots.at(common))
    return wrong(std::string(oracle), branch + " has other roots of before");
  return {};
}

check_result branched_disk::check_replays(const std::string& branch) {
  if (auto ok = boot(branch); !ok) return ok;
  auto live = canonical_dump(*machine_->state());
  if (!live) return wrong(std::string(oracle), live.error().message);
  world_options options = world_options_of(setup_, disk{});
  options.fresh = machine_->state()->info;
  options.retained_seqs = ~0ULL;
  auto fresh = open_world(options);
  if (!fresh) return wrong(std::string(oracle), fresh.error().message);
  if (auto ok = replay_journal(*files_, branch, **fresh, {}, {}); !ok)
    return wrong(std::string(oracle), branch + " does not replay: " + ok.error().message);
  auto replayed = canonical_dump(**fresh);
  if (!replayed) return wrong(std::string(oracle), replayed.error().message);
  if (*live != *replayed) return wrong(std::string(oracle), branch + " replays to another state");
  return close(branch);
}

check_result branched_disk::check_free_of_needles() {
  const auto has_none = [](std::string_view bytes) {
    return !bytes.contains(in_note) && !bytes.contains(in_field);
  };
  for (const std::string_view branch : all_directories)
    for (const std::string_view part : {"", "/journal", "/images"}) {
      const std::string directory = fmt::format("{}{}", branch, part);
      auto names = files_->list(directory);
      if (!names) return wrong(std::string(oracle), names.error().message);
      for (const std::string& name : *names) {
        const std::string file = fmt::format("{}/{}", directory, name);
        if (!has_none(files_->testing_bytes(file).value_or(""))
            || !has_none(files_->testing_durable_bytes(file).value_or("")))
          return wrong(std::string(oracle), "what was erased is in " + file);
      }
    }
  for (const auto& [branch, tables] : tables_) {
    auto store = make_memory_store(tables->now);
    auto reader = store->reader();
    if (!reader) return wrong(std::string(oracle), reader.error().message);
    bool is_free = true;
    for (std::size_t table = 0; table < kv_table_count; ++table) {
      auto ok = (*reader)->scan(static_cast<kv_table>(table), "", "",
                                [&](std::string_view key, std::string_view value) {
                                  is_free = is_free && has_none(key) && has_none(value);
                                  return true;
                                });
      if (!ok) return wrong(std::string(oracle), ok.error().message);
    }
    if (!is_free) return wrong(std::string(oracle), "what was erased is in the store of " + branch);
  }
  return {};
}

check_result branched_disk::run() {
  const std::string world(world_directory);
  if (auto ok = write_needles(); !ok) return ok;
  const auto written = verify_journal(*files_, world, {});
  if (!written || !written->ok) return wrong(std::string(oracle), "the world is not whole");
  const seq_no last = written->roots.seq;
  if (auto ok = fork(world, "fork", last); !ok) return ok;
  if (auto ok = fork("fork", "below", last); !ok) return ok;
  const making backup = [&]() -> result<void> {
    auto done = backup_files(*files_, world, "copy");
    return done ? result<void>() : propagate(done);
  };
  if (auto ok = make("copy", "a backup", backup); !ok) return ok;

  std::vector<std::string> branches{world, "fork", "below"};
  std::swap(branches[draw_.below(3)], branches.front());
  erase_request note;
  note.ids = {note_id};
  erase_request field;
  field.ids = {topic_id};
  field.field = "gone";
  for (erase_request* asked : {&note, &field}) {
    asked->reason = "asked for";
    asked->by = "eraser";
  }
  for (const std::string& branch : branches) {
    const bool field_first = draw_.one_in(2);
    for (const erase_request* asked : {field_first ? &field : &note, field_first ? &note : &field})
      if (auto ok = erase(branch, *asked); !ok) return ok;
    for (const std::string& each : branches)
      if (auto ok = check_whole(each); !ok) return ok;
  }
  if (auto ok = make("copy", "a backup", backup); !ok) return ok;
  if (auto ok = check_whole("copy"); !ok) return ok;
  // As it was before the erasures, but for what they took.
  if (auto ok = fork(branches[draw_.below(3)], "past", last); !ok) return ok;
  if (auto ok = rewind("below", last); !ok) return ok;
  const std::size_t replayed = draw_.below(all_directories.size() / 2);
  for (std::size_t i = 0; i < all_directories.size(); ++i) {
    const std::string branch(all_directories[i]);
    auto ok = i % 3 == replayed ? check_replays(branch) : check_whole(branch);
    if (!ok) return ok;
  }
  return check_free_of_needles();
}

} // namespace

check_result check_broken_branches(const evidence& known, const world& w, std::uint64_t seed) {
  const auto* disk_now = dynamic_cast<const memory_file_system*>(w.files.get());
  if (disk_now == nullptr) return wrong(std::string(oracle), "the world is on no simulated disk");
  return branched_disk(known, disk_now->image(), seed).run();
}

} // namespace mneme::sim

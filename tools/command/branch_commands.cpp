// fork, rewind, backup.

#include <nlohmann/json.hpp>

#include "mneme/branch.hpp"
#include "tools/command/console.hpp"
#include "tools/command/render.hpp"
#include "tools/command/tar_stream.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/at_time.hpp"

namespace mneme::command {

namespace {

json branch_json(const branch_report& made) {
  json answer{{"seq", made.at.value}, {"branch", made.branch}};
  if (made.root) answer["root"] = to_hex(*made.root);
  if (made.shared_segments > 0) answer["shared_segments"] = made.shared_segments;
  answer["copied_segments"] = made.copied_segments;
  answer["copied_bytes"] = made.copied_bytes;
  if (made.kept_segments > 0) answer["kept_segments"] = made.kept_segments;
  if (made.checkpoint) answer["checkpoint_seq"] = made.checkpoint->value;
  if (!made.note.empty()) answer["note"] = made.note;
  return answer;
}

struct fork_arguments {
  common_options common;
  std::string into;
  std::optional<std::uint64_t> at_seq;
  std::optional<std::string> at;
};

status run_fork(const fork_arguments& o) {
  fork_options end;
  if (o.at_seq) end.at_seq = seq_no{*o.at_seq};
  if (o.at) {
    auto time = protocol::read_moment(*o.at);
    if (!time) return report_unwritten(o.common, time.error());
    end.at = *time;
  }
  auto made = fork_world(o.common.directory, o.into, end);
  if (!made) return report_unwritten(o.common, made.error());
  print_answer(o.common, "fork", branch_json(*made));
  return status::done;
}

struct rewind_arguments {
  common_options common;
  std::uint64_t to = 0;
  std::string keep_as;
};

status run_rewind(const rewind_arguments& o) {
  auto done = rewind_world(o.common.directory, seq_no{o.to}, {.keep_as = o.keep_as, .random = {}});
  if (!done) return report(o.common, done.error());
  json answer = branch_json(done->branch);
  answer["kept"] = done->kept;
  answer["kept_seq"] = done->kept_at.value;
  print_answer(o.common, "rewind", answer);
  return status::done;
}

struct backup_arguments {
  common_options common;
  std::string into;
  bool tar = false;
};

status run_tar(const backup_arguments& o) {
  if (is_terminal(stdout))
    return report_unwritten(
        o.common, {errc::bad_value, "a tar stream is no text: send it to a file or to tar", "tar"});
  tar_stream to;
  auto made = stream_backup(o.common.directory, to);
  result<void> ended = made ? to.finish() : result<void>();
  if (!made) return report_unwritten(o.common, made.error());
  if (!ended) return report_unwritten(o.common, ended.error());
  tell("mneme: a backup as of seq {}\n", made->at.value);
  return status::done;
}

status run_backup(const backup_arguments& o) {
  if (o.tar != o.into.empty())
    return report_unwritten(o.common, {errc::bad_value, "name a directory, or give --tar", "into"});
  if (o.tar) return run_tar(o);
  auto made = backup_world(o.common.directory, o.into);
  if (!made) return report_unwritten(o.common, made.error());
  print_answer(o.common, "backup", branch_json(*made));
  return status::done;
}

} // namespace

void add_branch_commands(CLI::App& app, command_result& outcome) {
  add_command<fork_arguments>(
      app, "fork", "Let a world's past go on in another directory", false, outcome,
      [](CLI::App& c, fork_arguments& o) {
        c.add_option("DIR2", o.into, "a directory of its own")->required()->check(not_empty());
        c.add_option("--at-seq", o.at_seq, "its last entry (that of the world)");
        c.add_option("--at", o.at, "in its place: what was committed at or before this time");
      },
      run_fork);
  add_command<rewind_arguments>(
      app, "rewind", "Go back to an entry; the world as it was is kept beside", false, outcome,
      [](CLI::App& c, rewind_arguments& o) {
        c.add_option("--to", o.to, "the last entry that stays")->required();
        c.add_option("--keep-as", o.keep_as, "name or path of the world as it was (DIR.at-SEQ)");
      },
      run_rewind);
  add_command<backup_arguments>(
      app, "backup", "Copy a world as of now, also while it is written to", false, outcome,
      [](CLI::App& c, backup_arguments& o) {
        c.add_option("DEST", o.into, "a directory, new or of an earlier backup");
        c.add_flag("--tar", o.tar, "a tar stream on standard output, in place of DEST");
      },
      run_backup);
}

} // namespace mneme::command

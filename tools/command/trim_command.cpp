// trim

#include <algorithm>

#include <nlohmann/json.hpp>

#include "mneme/retention.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/console.hpp"
#include "tools/command/progress_bar.hpp"
#include "tools/command/render.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/trim_json.hpp"

namespace mneme::command {

namespace {

struct trim_arguments {
  common_options common;
  std::string before;
  std::string reason;
  std::string by;
  bool versions = false;
  bool dry_run = false;
};

/// "100" is a seq, and all else a time.
result<void> take_point(const std::string& text, trim_options& options) {
  if (text.empty()) return {};
  if (std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    constexpr std::size_t most_digits = 19;
    if (text.size() > most_digits) return fail(errc::bad_value, "no journal is so long", "before");
    options.before = seq_no{std::stoull(text)};
    return {};
  }
  auto time = parse_timestamp(text);
  if (!time) return fail(errc::bad_value, "it is neither a seq nor a time: " + text, "before");
  options.before_time = *time;
  return {};
}

/// As the op has it.
json request_of(const trim_options& o) {
  json request{{"reason", o.reason}, {"by", o.by}, {"dry_run", o.dry_run}};
  if (o.versions) request["versions"] = true;
  if (o.before) request["before"] = o.before->value;
  if (o.before_time) request["before_time"] = to_string(*o.before_time);
  return request;
}

result<trim_report> trim_with_progress(const std::string& directory, trim_options options) {
  progress_bar bar("trim");
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    bar.show(done, total, done, "entries");
  };
  return trim_world(directory, options);
}

status run_trim(const trim_arguments& o) {
  trim_options options;
  options.reason = o.reason;
  options.by = o.by;
  options.versions = o.versions;
  options.dry_run = o.dry_run;
  if (auto ok = take_point(o.before, options); !ok) return report(o.common, ok.error());
  // A log is trimmed by who leads it.
  if (is_copy_of_log(o.common.directory)) return run_request(o.common, "trim", request_of(options));
  auto done = trim_with_progress(o.common.directory, options);
  if (!done && done.error().code == errc::busy)
    if (const auto there = run_where_open(o.common, "trim", request_of(options))) return *there;
  if (!done) return report(o.common, done.error());
  print_answer(o.common, "trim", protocol::trim_answer(*done, o.dry_run));
  return status::done;
}

} // namespace

void add_trim_command(CLI::App& app, command_result& outcome) {
  add_command<trim_arguments>(
      app, "trim", "Drop how a world was used before a point; what was said stays", false, outcome,
      [](CLI::App& c, trim_arguments& o) {
        c.add_option("--before", o.before,
                     "the first entry whose reads stay, or a time (all so far goes)")
            ->check(not_empty());
        c.add_flag("--versions", o.versions,
                   "also what memories said before that and have said otherwise since");
        c.add_option("--reason", o.reason, "why; it stays in the journal");
        c.add_option("--by", o.by, "who wants it; it stays in the journal");
        c.add_flag("--dry-run", o.dry_run, "only show what would go");
      },
      run_trim);
}

} // namespace mneme::command

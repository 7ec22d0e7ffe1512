// reembed

#include <nlohmann/json.hpp>

#include "mneme/http_embedder.hpp"
#include "mneme/reembed.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/console.hpp"
#include "tools/command/progress_bar.hpp"
#include "tools/command/render.hpp"
#include "tools/command/world_access.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct reembed_arguments {
  common_options common;
  std::string embedder;
};

result<reembed_report> reembed_with_progress(const reembed_arguments& o) {
  auto key = embedder_key();
  if (!key) return propagate(key);
  progress_bar bar("reembed");
  reembed_options how;
  how.remote_embedders = make_http_embedder;
  how.embedder_key = std::move(*key);
  how.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    bar.show(done, total, done, "memories");
  };
  return reembed_world(o.common.directory, o.embedder, how);
}

status run_reembed(const reembed_arguments& o) {
  auto done = reembed_with_progress(o);
  if (!done) return report(o.common, done.error());
  print_answer(o.common, "reembed",
               json{{"from", done->from},
                    {"embedder", done->to},
                    {"since", done->since.value},
                    {"seq", done->at.value},
                    {"embedded", done->embedded},
                    {"without_vector", done->left}});
  return status::done;
}

} // namespace

void add_reembed_command(CLI::App& app, command_result& outcome) {
  add_command<reembed_arguments>(
      app, "reembed", "Give a world another embedder, and all of it new vectors", false, outcome,
      [](CLI::App& c, reembed_arguments& o) {
        c.add_option("--embedder", o.embedder,
                     "hash:384, hash:N, or http:URL (mneme help embedder)")
            ->required()
            ->check(not_empty());
      },
      run_reembed);
}

} // namespace mneme::command

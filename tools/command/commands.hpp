#pragma once
/// The command groups. Each adds its subcommands to the app; the callback of the one that was
/// called leaves its exit status.

#include <CLI/App.hpp>

#include "tools/command/console.hpp"

namespace mneme::command {

struct command_result {
  status exit = status::done;
};

void add_world_commands(CLI::App& app, command_result& outcome);  // init root snapshot journal …
void add_import_commands(CLI::App& app, command_result& outcome); // import export
void add_write_commands(CLI::App& app, command_result& outcome);  // write update … edge
void add_read_commands(CLI::App& app, command_result& outcome);   // get edges
void add_find_command(CLI::App& app, command_result& outcome);
void add_chroma_commands(CLI::App& app, command_result& outcome); // chroma tag tags decay …
void add_agent_commands(CLI::App& app, command_result& outcome);  // context attest compact tick
void add_scope_command(CLI::App& app, command_result& outcome);   // scope sign show public
void add_search_commands(CLI::App& app, command_result& outcome); // search ingest-source promote
void add_weights_command(CLI::App& app, command_result& outcome);
void add_erase_command(CLI::App& app, command_result& outcome);
void add_trim_command(CLI::App& app, command_result& outcome);
void add_reembed_command(CLI::App& app, command_result& outcome);
void add_list_commands(CLI::App& app, command_result& outcome); // list history … sweep delete-by
void add_changes_command(CLI::App& app, command_result& outcome);
void add_selection_commands(CLI::App& app, command_result& outcome); // forget supersede
void add_topic_commands(CLI::App& app, command_result& outcome);     // ingest retrieve revise …
void add_proof_commands(CLI::App& app, command_result& outcome);     // prove verify replay
void add_branch_commands(CLI::App& app, command_result& outcome);    // fork rewind backup
void add_diff_command(CLI::App& app, command_result& outcome);
void add_absent_command(CLI::App& app, command_result& outcome);
void add_receipt_command(CLI::App& app, command_result& outcome); // replay-receipt
void add_sim_command(CLI::App& app, command_result& outcome);
void add_bench_command(CLI::App& app, command_result& outcome);
void add_shell_command(CLI::App& app, command_result& outcome);
void add_help_command(CLI::App& app, command_result& outcome);

} // namespace mneme::command

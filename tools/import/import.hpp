#pragma once
/// Importers. All are idempotent: ids are derived from the input, what the world already has is
/// compared, and only differences are written. An error names its place in the source; the batch
/// that it is in is not written.

#include <optional>
#include <string>

#include "mneme/engine.hpp"
#include "tools/import/import_report.hpp"

namespace mneme::importing {

struct import_request {
  std::string path;
  std::string actor;        ///< actor_scope of what the format gives none
  import_progress progress; ///< may be empty
  bool hashtags = true;     ///< assign them, and colour what is new
  /// Whose word all that is, which does not say so itself. Absent: what is there keeps what it
  /// says.
  std::optional<mneme::source_class> source_class{};
  /// What was erased in the world comes back, under new ids, and so do fields of topics. Else it
  /// stays away.
  bool brings_back_erased = false;
};

/// One write or add_edge request a line.
result<void> import_jsonl(engine& target, const import_request& request, import_report& report);
/// One dated document a line: {scope, id, order, text, title?, speaker?, time?, session?}.
result<void> import_docs(engine& target, const import_request& request, import_report& report);
/// Chats as their providers have them: messages as OpenAI's and Anthropic's interfaces take them (a
/// list, or an object with `messages`, also one a line), and conversations.json of the exports of
/// ChatGPT and Claude. What people and models said, as `docs` has it; the instructions of systems
/// and the calls of tools are left out.
result<void> import_messages(engine& target, const import_request& request, import_report& report);
/// What Mem0 exports: a list of {id, memory, user_id?, agent_id?, metadata?, created_at?}, or an
/// object that has it under `results`. A Note each, as `mneme serve --compat mem0` has them.
result<void> import_mem0(engine& target, const import_request& request, import_report& report);
/// The memory.json of the reference memory server: an entity or a relation a line. A Topic each
/// with its observations, and edges, as `mneme mcp --compat reference-memory` has them.
result<void> import_reference_memory(engine& target, const import_request& request,
                                     import_report& report);
/// What was read from Zep: {user_id or graph_id, episodes?, nodes?, edges?, threads?}, or a list of
/// such, as its interface answers them. Notes, Topics and Facts, as `mneme serve --compat zep` has
/// them.
result<void> import_zep(engine& target, const import_request& request, import_report& report);
/// A Markdown file, or the Markdown files of a folder.
result<void> import_markdown(engine& target, const import_request& request, import_report& report);
/// The history and the files of a git repository.
result<void> import_git(engine& target, const import_request& request, import_report& report);
/// The memories of a Generative Agents simulation: a folder with memories.jsonl, or that file.
result<void> import_generative_agents(engine& target, const import_request& request,
                                      import_report& report);
/// Facts with validity, {s, r, o, from?, to?} a line: a Topic per subject, a field per relation, a
/// revision per change. Integers (days since 1970) and dates are whole days, `to` included; RFC
/// 3339 times are instants, `to` excluded. Without from: since 1970; without to: open.
result<void> import_facts(engine& target, const import_request& request, import_report& report);
/// What export_world wrote.
result<void> import_export(engine& target, const import_request& request, import_report& report);

struct export_counts {
  std::uint64_t memories = 0;
  std::uint64_t versions = 0;
  std::uint64_t edges = 0;
};
/// Writes the whole world as JSON lines: the same world gives the same bytes. `write_line` returns
/// false to stop (the caller knows why).
result<export_counts> export_world(engine& source,
                                   const std::function<bool(std::string_view line)>& write_line);

} // namespace mneme::importing

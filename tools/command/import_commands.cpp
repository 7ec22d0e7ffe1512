// import, export.

#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command/console.hpp"
#include "tools/command/progress_bar.hpp"
#include "tools/command/text_table.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/import/import.hpp"

namespace mneme::command {

namespace {

using importing::import_report;
using importing::import_request;

struct import_options {
  common_options common;
  std::vector<std::string> paths;
  std::string format;
  std::string actor;
  std::optional<std::string> source_class;
  bool no_hashtags = false;
  bool bring_back_erased = false;
};

struct import_format {
  std::string_view name;
  result<void> (*run)(engine&, const import_request&, import_report&);
};

constexpr import_format formats[] = {{"jsonl", importing::import_jsonl},
                                     {"docs", importing::import_docs},
                                     {"messages", importing::import_messages},
                                     {"mem0", importing::import_mem0},
                                     {"reference-memory", importing::import_reference_memory},
                                     {"zep", importing::import_zep},
                                     {"markdown", importing::import_markdown},
                                     {"git", importing::import_git},
                                     {"generative-agents", importing::import_generative_agents},
                                     {"facts", importing::import_facts},
                                     {"mneme", importing::import_export}};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& f : formats) names.emplace_back(f.name);
  return names;
}

/// Named counts, the same for the table and for --json.
std::vector<std::pair<const char*, std::uint64_t>> counts_of(const import_report& r) {
  return {{"memories_added", r.memories_added},
          {"memories_updated", r.memories_updated},
          {"memories_unchanged", r.memories_unchanged},
          {"memories_removed", r.memories_removed},
          {"memories_skipped", r.memories_skipped},
          {"edges_added", r.edges_added},
          {"edges_removed", r.edges_removed},
          {"edges_unchanged", r.edges_unchanged},
          {"field_revisions_added", r.field_revisions_added},
          {"texts_repeated", r.texts_repeated},
          {"memories_coloured", r.memories_coloured},
          {"hashtags_assigned", r.hashtags_assigned}};
}

void print_report(const import_options& o, const import_report& r, seq_no seq) {
  if (o.common.json) {
    json answer = json::object();
    for (const auto& [name, count] : counts_of(r)) answer[name] = count;
    answer["left_out"] = json::object();
    for (const auto& [what, count] : r.left_out) answer["left_out"][what] = count;
    answer["notes"] = r.notes;
    answer["seq"] = seq.value;
    print_answer(o.common, "import", answer);
    return;
  }
  text_table table({"", "added", "updated", "unchanged", "removed", "skipped"});
  const auto count = [](std::uint64_t n) { return std::to_string(n); };
  table.add({"memories", count(r.memories_added), count(r.memories_updated),
             count(r.memories_unchanged), count(r.memories_removed), count(r.memories_skipped)});
  table.add(
      {"edges", count(r.edges_added), "", count(r.edges_unchanged), count(r.edges_removed), ""});
  put(table.text(terminal_width(), has_colour(stdout)));
  if (r.field_revisions_added > 0)
    put_line(fmt::format("{} field revisions", r.field_revisions_added));
  if (r.texts_repeated > 0)
    put_line(
        fmt::format("{} of the texts were there already, in the same words", r.texts_repeated));
  if (r.memories_coloured > 0)
    put_line(fmt::format("{} coloured, {} new hashtags", r.memories_coloured, r.hashtags_assigned));
  for (const auto& [what, n] : r.left_out) put_line(fmt::format("left out: {} {}", n, what));
  for (const auto& note : r.notes) tell("mneme: {}\n", printable(note));
}

status run_import(const import_options& o) {
  const auto of = o.source_class ? parse_enum<source_class>(*o.source_class) : std::nullopt;
  return with_world(o.common, [&](engine& target) -> result<status> {
    import_report report;
    {
      progress_bar bar("import");
      for (const auto& path : o.paths) {
        const import_request request{
            .path = path,
            .actor = o.actor,
            .progress =
                [&bar](std::uint64_t done, std::uint64_t total, const import_report& r) {
                  bar.show(done, total,
                           r.memories_added + r.memories_updated + r.memories_unchanged,
                           "memories");
                },
            .hashtags = !o.no_hashtags,
            .source_class = of,
            .brings_back_erased = o.bring_back_erased};
        for (const auto& format : formats) {
          if (format.name != o.format) continue;
          if (auto ok = format.run(target, request, report); !ok) return propagate(ok);
        }
      }
    }
    print_report(o, report, target.published());
    return status::done;
  });
}

struct export_options {
  common_options common;
  std::string out;
};

std::unexpected<error> cannot_write(const std::string& name) {
  return fail(errc::io,
              fmt::format("cannot write {}: {}", name, std::generic_category().message(errno)),
              "out");
}

result<importing::export_counts> write_export(engine& source, std::FILE* out,
                                              const std::string& name) {
  bool written = true;
  auto counts = importing::export_world(source, [&](std::string_view line) {
    written = std::fwrite(line.data(), 1, line.size(), out) == line.size()
              && std::fputc('\n', out) != EOF;
    return written;
  });
  if (counts && (!written || std::fflush(out) != 0)) return cannot_write(name);
  return counts;
}

status run_export(const export_options& o) {
  return with_world(o.common, [&](engine& source) -> result<status> {
    const bool to_stdout = o.out == "-";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        to_stdout ? nullptr : std::fopen(o.out.c_str(), "wb"), &std::fclose);
    if (!to_stdout && file == nullptr)
      return report_unwritten(o.common, cannot_write(o.out).error());
    auto counts = write_export(source, to_stdout ? stdout : file.get(),
                               to_stdout ? "standard output" : o.out);
    if (!counts && counts.error().at == "out") return report_unwritten(o.common, counts.error());
    if (!counts) return propagate(counts);
    if (to_stdout) return status::done;
    print_answer(o.common, "export",
                 json{{"memories", counts->memories},
                      {"versions", counts->versions},
                      {"edges", counts->edges},
                      {"seq", source.published().value}});
    return status::done;
  });
}

} // namespace

void add_import_commands(CLI::App& app, command_result& outcome) {
  add_command<import_options>(
      app, "import", "Read memories from files; the same input twice adds nothing", false, outcome,
      [](CLI::App& c, import_options& o) {
        c.add_option("PATH", o.paths,
                     "files or folders; - is standard input (jsonl, docs, facts, mneme)")
            ->required()
            ->check(not_empty());
        c.add_option("--format", o.format,
                     "jsonl, docs, messages, mem0, reference-memory, zep, markdown, git, facts, "
                     "generative-agents or mneme")
            ->required()
            ->check(CLI::IsMember(format_names()));
        c.add_option("--actor", o.actor, "actor_scope of what the format gives none");
        c.add_option("--source-class", o.source_class,
                     "whose word it is, where it does not say so: user, tool, model or web")
            ->check(CLI::IsMember({"user", "tool", "model", "web"}));
        c.add_flag("--no-hashtags", o.no_hashtags,
                   "assign no hashtags and colour nothing (docs, git, generative-agents)");
        c.add_flag("--bring-back-erased", o.bring_back_erased,
                   "also what was erased in the world, under new ids; else it stays away");
      },
      run_import);
  add_command<export_options>(
      app, "export", "Write the whole world as JSON lines; import --format mneme reads it", true,
      outcome,
      [](CLI::App& c, export_options& o) {
        c.add_option("--out", o.out, "file, or - for standard output")
            ->required()
            ->check(not_empty());
      },
      run_export);
}

} // namespace mneme::command

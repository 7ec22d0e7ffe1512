// search, ingest-source, promote.

#include <nlohmann/json.hpp>

#include "tools/command/data_arguments.hpp"
#include "tools/command/receipt_command.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct search_options {
  common_options common;
  std::optional<std::string> receipt;
  std::optional<std::string> query;
  std::optional<std::string> source_type;
  std::vector<std::string> ids;
  std::optional<std::string> memory_type;
  std::optional<std::string> project;
  std::optional<std::string> status;
  std::optional<std::string> tag;
  std::optional<std::string> sort;
  std::optional<std::string> path;
  std::optional<std::string> audience;
  std::optional<std::string> due_after;
  std::optional<std::string> due_before;
  std::optional<double> floor;
  std::optional<std::string> weights;
  std::optional<std::string> now;
  std::optional<std::string> as_of;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> budget;
  std::optional<std::string> form;
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  bool lineage = false;
  bool include_archived = false;
  bool include_ended = false;
  bool include_overviews = false;
  std::optional<double> min_trust;
  std::optional<bool> stale;
  bool atomic_only = false;
  bool low_relevance = false;
  bool explain = false;
};

result<json> search_request_of(const search_options& o) {
  json request = json::object();
  if (o.query && is_request_argument(*o.query)) {
    auto read = read_request_argument(*o.query);
    if (!read) return read;
    request = std::move(*read);
  } else {
    set_if(request, "query", o.query);
  }
  set_if(request, "source_type", o.source_type);
  if (!o.ids.empty()) request["memory_ids"] = o.ids;
  if (o.lineage) request["include_lineage"] = true;
  set_if(request, "memory_type", o.memory_type);
  set_if(request, "project", o.project);
  set_if(request, "status", o.status);
  set_if(request, "tag", o.tag);
  set_if(request, "sort", o.sort);
  set_if(request, "source_filter", o.path);
  set_if(request, "audience", o.audience);
  set_if(request, "due_after", o.due_after);
  set_if(request, "due_before", o.due_before);
  if (o.floor) request["similarity_floor"] = *o.floor;
  set_if(request, "weights", o.weights);
  set_if(request, "now", o.now);
  set_if(request, "as_of", o.as_of);
  set_if(request, "limit", o.limit);
  set_if(request, "budget_tokens", o.budget);
  set_if(request, "form", o.form);
  set_if(request, "actor", o.actor);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  if (o.include_archived) request["include_archived"] = true;
  if (o.include_ended) request["include_ended"] = true;
  if (o.include_overviews) request["include_overviews"] = true;
  set_if(request, "min_trust", o.min_trust);
  set_if(request, "stale", o.stale);
  if (o.atomic_only) request["atomic_only"] = true;
  if (o.low_relevance) request["include_low_relevance"] = true;
  if (o.explain) request["explain"] = true;
  return request;
}

struct source_options {
  common_options common;
  std::vector<std::string> paths;
  std::optional<std::string> actor;
  std::optional<std::string> audience;
  std::optional<std::string> visibility;
  std::optional<std::string> source_class;
  bool bring_back_erased = false;
};

status run_ingest(const source_options& o) {
  status outcome = status::done;
  for (const auto& path : o.paths) {
    json request{{"path", path}};
    set_if(request, "actor", o.actor);
    set_if(request, "audience", o.audience);
    set_if(request, "visibility", o.visibility);
    set_if(request, "source_class", o.source_class);
    if (o.bring_back_erased) request["bring_back_erased"] = true;
    outcome = run_request(o.common, "ingest_source", std::move(request));
    if (outcome != status::done) break;
  }
  return outcome;
}

struct promote_options {
  common_options common;
  std::string chunk;
  std::string memory;
  std::optional<std::string> actor;
};

} // namespace

void add_search_commands(CLI::App& app, command_result& outcome) {
  add_command<search_options>(
      app, "search", "Ask in words: memories and chunks, best first", true, outcome,
      [](CLI::App& c, search_options& o) {
        c.add_option("QUERY", o.query, "words, a request as JSON, or -");
        c.add_option("--source-type", o.source_type, "all (default), memory or content");
        declare_repeated(c, "--id", o.ids, "look these memories up instead; may be repeated");
        c.add_flag("--lineage", o.lineage, "with --id: what a decision replaced, and what it");
        c.add_option("--memory-type", o.memory_type, "decision, note, fact, …");
        c.add_option("--project", o.project, "of exactly this project");
        c.add_option("--status", o.status,
                     "open, waiting, scheduled, resolved, expired, archived or overdue");
        c.add_option("--tag", o.tag, "with this tag");
        c.add_option("--sort", o.sort, "auto (default), relevance, recency, hybrid or updated");
        c.add_option("--path", o.path, "chunks whose path contains this");
        c.add_option("--audience", o.audience, "personal, work or all");
        c.add_option("--due-after", o.due_after, "due then or later");
        c.add_option("--due-before", o.due_before, "due then or earlier");
        c.add_option("--floor", o.floor, "leave out scores below, and bad matches (0.1; 0 = none)");
        c.add_option("--weights", o.weights, "of the parts of a score, as dates=0,neighbours=0.2");
        c.add_option("--now", o.now, "what yesterday counts from, and what has ended by (clock)");
        c.add_option("--as-of", o.as_of, "what was valid at that time, and not what is now");
        c.add_option("--limit", o.limit, "at most so many (10)");
        c.add_option("--budget", o.budget, "at most so many tokens of text");
        c.add_option("--form", o.form, "short, medium or full");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.add_flag("--include-archived", o.include_archived, "archived and superseded ones too");
        c.add_flag("--include-ended", o.include_ended, "what no longer holds, too");
        c.add_flag("--include-overviews", o.include_overviews,
                   "also topics that tell of an import");
        c.add_option("--min-trust", o.min_trust, "0 to 1: nothing that is trusted less");
        c.add_option("--stale", o.stale, "true or false: only what is stale, or what is not");
        c.add_flag("--atomic-only", o.atomic_only, "atomic memories alone");
        c.add_flag("--low-relevance", o.low_relevance, "no floor under chunks");
        c.add_flag("--explain", o.explain, "the parts of each score");
        add_receipt_option(c, o.receipt);
      },
      [](const search_options& o) {
        auto request = search_request_of(o);
        if (!request) return report(o.common, request.error());
        return run_read(o.common, "search", std::move(*request), o.receipt);
      });
  add_command<source_options>(
      app, "ingest-source", "Cut files, folders or git working trees into chunks", false, outcome,
      [](CLI::App& c, source_options& o) {
        c.add_option("PATH", o.paths, "files, folders or git working trees")->required();
        c.add_option("--actor", o.actor, "whose chunks they are");
        c.add_option("--audience", o.audience, "personal or work");
        c.add_option("--visibility", o.visibility, "private (default), scoped or actor_public");
        c.add_option("--source-class", o.source_class,
                     "whose word it is: user, tool, model or web");
        c.add_flag("--bring-back-erased", o.bring_back_erased,
                   "also pieces that were erased in the world; else they stay away");
      },
      run_ingest);
  add_command<promote_options>(
      app, "promote", "A chunk was made a memory: searches find the memory", false, outcome,
      [](CLI::App& c, promote_options& o) {
        c.add_option("CHUNK", o.chunk, "id or uri of the chunk")->required();
        c.add_option("MEMORY", o.memory, "id or uri of the memory")->required();
        c.add_option("--actor", o.actor, "who does it");
      },
      [](const promote_options& o) {
        json request{{"chunk", o.chunk}, {"memory", o.memory}};
        set_if(request, "actor", o.actor);
        return run_request(o.common, "promote", std::move(request));
      });
}

} // namespace mneme::command

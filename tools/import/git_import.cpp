// A git repository: files as Notes and Chunks, commits as Events, authors as Identities.

#include <map>
#include <set>

#include <fmt/format.h>

#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/file_memories.hpp"
#include "tools/import/git_source.hpp"
#include "tools/import/git_topics.hpp"
#include "tools/import/import.hpp"
#include "tools/import/source_chunks.hpp"
#include "tools/import/text_chunks.hpp"

namespace mneme::importing {

namespace {

constexpr std::string_view format = "git";
constexpr std::size_t max_message_bytes = 64U << 10;

class repository_import {
public:
  repository_import(engine& target, git_source& git, import_sink& sink,
                    const import_request& request, import_report& report)
      : engine_(target),
        git_(git),
        sink_(sink),
        request_(request),
        report_(report),
        files_{.format = std::string(format),
               .source = git.identity(),
               .actor = request.actor.empty() ? "git" : request.actor,
               .source_type = git.is_on_github() ? "github" : "local",
               .created_at = git.head_time().value_or(undated)},
        repository_(derived_id(format, git.identity(), "repository")) {}

  result<void> run() {
    if (auto ok = put_repository(); !ok) return ok;
    const auto file = [&](const git_file_record& f, std::uint64_t total) {
      return put_file_record(f, total);
    };
    if (auto ok = git_.for_each_file(file); !ok) return ok;
    const auto commit = [&](const git_commit_record& c, std::uint64_t total) {
      return put_commit(c, total);
    };
    if (auto ok = git_.for_each_commit(commit); !ok) return ok;
    if (auto ok = remove_deleted(); !ok) return ok;
    if (auto ok = topics_.put(engine_, sink_, report_, git_, files_.actor); !ok) return ok;
    return sink_.flush();
  }

private:
  write_request request_of(memory_type type, memory_data data, const memory_id& id,
                           timestamp at) const {
    write_request r;
    r.type = type;
    r.data = std::move(data);
    r.actor = files_.actor;
    r.id = id;
    r.provenance.source = provenance_source::imported;
    r.created_at = at;
    return r;
  }
  result<void> link(const memory_id& src, edge_type type, const memory_id& dst, timestamp at,
                    const std::string& where) {
    return sink_.put(add_edge_request{.src = src,
                                      .type = static_cast<std::uint8_t>(type),
                                      .dst = dst,
                                      .actor = files_.actor,
                                      .weight = 1.0F,
                                      .kind = {},
                                      .data = {},
                                      .by = {},
                                      .created_at = at},
                     where);
  }

  result<void> put_repository() {
    const std::string name = is_blank(git_.name()) ? "repository" : git_.name();
    auto r =
        request_of(memory_type::note, {{"statement", name}, {"label", std::string("repository")}},
                   repository_, files_.created_at);
    r.metadata["repository"] = git_.identity();
    return sink_.put(std::move(r), {}, git_.identity());
  }

  result<void> put_file_record(const git_file_record& file, std::uint64_t total) {
    ++files_done_;
    if (request_.progress) request_.progress(files_done_, total, report_);
    topics_.count(file);
    if (file.state != git_file_state::text) {
      ++report_.left_out[std::string(left_out_name(file.state))];
      return {};
    }
    file_content content{.path = file.path,
                         .title = file.path,
                         .metadata = {{"size", static_cast<std::int64_t>(file.size)}},
                         .pieces = {},
                         .colour = colour_of(file, git_, files_.created_at)};
    content.metadata["content_hash"] = content_hash(file.content);
    if (!file.blob_hash.empty()) content.metadata["blob"] = file.blob_hash;
    for (auto& piece : cut_source(file.path, file.content))
      content.pieces.push_back({piece.position, piece.text, std::move(piece.heading)});
    auto note = put_file(sink_, files_, content);
    if (!note) return propagate(note);
    notes_.emplace(file.path, *note);
    return link(*note, edge_type::part_of, repository_, files_.created_at, file.path);
  }

  /// Files that an earlier import found and that are not there now.
  result<void> remove_deleted() {
    std::set<memory_id> present;
    for (const auto& [path, note] : notes_) present.insert(note);
    auto known = sink_.sources_of(repository_, edge_type::part_of);
    if (!known) return propagate(known);
    for (const auto& m : *known) {
      const auto path = m.head->metadata.find("path");
      // Somebody may have made other memories part of the repository.
      const bool is_file = m.version->provenance.source == provenance_source::imported
                           && path != m.head->metadata.end()
                           && std::holds_alternative<std::string>(path->second);
      if (!is_file || present.contains(m.head->id)) continue;
      if (auto ok = remove_file(sink_, m.head->id, std::get<std::string>(path->second)); !ok)
        return ok;
    }
    return {};
  }

  /// What git writes of a hash, and who made the commit, lead its message: people ask by both.
  static std::string told(const git_commit_record& c, std::string_view message) {
    constexpr std::size_t hash_digits = 12;
    std::string text = c.hash.substr(0, hash_digits);
    const std::string& author = is_blank(c.author_name) ? c.author_email : c.author_name;
    if (!is_blank(author)) text += " by " + author;
    if (!is_blank(message)) text.append(": ").append(message);
    return text;
  }

  static memory_id commit_id(const std::string& hash) { return derived_id(format, "commit", hash); }

  result<void> put_author(const git_commit_record& c, const memory_id& author) {
    if (!authors_.insert(author).second) return {};
    const std::string& name = is_blank(c.author_name) ? c.author_email : c.author_name;
    auto r = request_of(memory_type::identity, {{"name", is_blank(name) ? "unknown" : name}},
                        author, c.at);
    r.metadata["email"] = c.author_email;
    return sink_.put(std::move(r), {}, "author " + name);
  }

  result<void> put_commit(const git_commit_record& c, std::uint64_t total) {
    ++commits_done_;
    topics_.count(c);
    if (request_.progress) request_.progress(commits_done_, total, report_);
    const std::string where = "commit " + c.hash;
    const memory_id id = commit_id(c.hash);
    const memory_id author =
        derived_id(format, "author", fmt::format("{}\n{}", c.author_name, c.author_email));
    if (auto ok = put_author(c, author); !ok) return ok;

    auto r = request_of(memory_type::event,
                        {{"kind", std::string("interaction")},
                         {"outcome", std::string("success")},
                         {"summary", told(c, cut_text(c.message, max_message_bytes))}},
                        id, c.at);
    r.forms = told_forms("", told(c, c.message));
    const std::string subject = c.message.substr(0, c.message.find('\n'));
    r.forms.short_form = told_forms("", told(c, subject)).short_form;
    r.metadata["commit"] = c.hash;
    r.metadata["author"] = c.author_name;
    if (c.changes_known) {
      r.metadata["files_changed"] = static_cast<std::int64_t>(c.changed_count);
      r.metadata["files_looked_at"] = static_cast<std::int64_t>(c.changed_paths.size());
    }
    if (auto ok = sink_.put(std::move(r), {}, where, colour_of(c, git_)); !ok) return ok;

    for (const auto& parent : c.parents)
      if (auto ok = link(id, edge_type::derived_from, commit_id(parent), c.at, where); !ok)
        return ok;
    if (auto ok = link(id, edge_type::observed_by, author, c.at, where); !ok) return ok;
    for (const auto& path : c.changed_paths) {
      const auto note = notes_.find(path);
      if (note == notes_.end()) continue; // deleted since, or left out
      if (auto ok = link(id, edge_type::references, note->second, c.at, where); !ok) return ok;
    }
    return {};
  }

  engine& engine_;
  git_source& git_;
  import_sink& sink_;
  const import_request& request_;
  import_report& report_;
  file_source files_;
  memory_id repository_;
  std::map<std::string, memory_id> notes_; ///< by path
  std::set<memory_id> authors_;
  repository_topics topics_;
  std::uint64_t files_done_ = 0;
  std::uint64_t commits_done_ = 0;
};

} // namespace

result<void> import_git(engine& target, const import_request& request, import_report& report) {
  auto git = git_source::open(request.path);
  if (!git) return propagate(git);
  if (!git->has_commits()) {
    std::uint64_t files = 0;
    if (auto ok = git->for_each_file([&](const git_file_record&, std::uint64_t total) {
          files = total;
          return result<void>{};
        });
        !ok)
      return ok;
    if (files == 0)
      return fail(errc::not_found, request.path
                                       + " is a git repository without commits and without files:"
                                         " there is nothing to import");
    report.notes.push_back("the repository has no commits yet: only its files were imported");
  }
  import_sink sink(target, report, manner_of(request));
  return repository_import(target, *git, sink, request, report).run();
}

} // namespace mneme::importing

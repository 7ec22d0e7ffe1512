#include "tools/import/git_topics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "messages/text/lower_case.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/text_chunks.hpp"
#include "tools/import/text_words.hpp"

namespace mneme::importing {

namespace {

constexpr std::string_view topic_format = "git topic";
constexpr std::size_t max_readme_bytes = 600;
constexpr std::size_t max_kinds = 32;
constexpr std::size_t max_authors = 256;
/// So much of a file do its most frequent words come from.
constexpr std::size_t coloured_bytes = 16U << 10;

std::string top_folder(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string ending_of(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? "" : std::string(name.substr(dot + 1));
}

/// The first paragraph that is neither a heading nor markup.
std::string first_paragraph(std::string_view text) {
  std::string paragraph;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_prose =
        !is_blank(line)
        && std::string_view("#<!=-[`|").find(line.front()) == std::string_view::npos;
    if (!is_prose && !paragraph.empty()) break;
    if (!is_prose) continue;
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line;
    if (paragraph.size() >= max_readme_bytes) break;
  }
  return std::string(cut_text(paragraph, max_readme_bytes));
}

std::string name_of(const git_source& git) {
  return is_blank(git.name()) ? "repository" : git.name();
}

memory_id topic_id_of(const git_source& git, const std::string& folder) {
  return derived_id(topic_format, git.identity(), folder);
}

std::optional<std::string> folder_of(const std::string& title, const std::string& repository) {
  if (!title.starts_with(repository + "/")) return std::nullopt;
  return title.substr(repository.size() + 1);
}

} // namespace

void repository_topics::count(const git_file_record& file) {
  if (file.state == git_file_state::link || file.state == git_file_state::submodule) return;
  ++files_;
  if (lower_ascii(file.path).starts_with("readme") && file.path.find('/') == std::string::npos
      && readme_.empty())
    readme_ = first_paragraph(file.content);
  const std::string top = top_folder(file.path);
  if (top.empty()) return;
  folder& f = folders_[top];
  ++f.files;
  const std::string inside = top_folder(std::string_view(file.path).substr(top.size() + 1));
  for (const std::string& kind : {inside, ending_of(file.path)})
    if (!kind.empty() && f.kinds.size() < max_kinds) f.kinds.insert(kind);
}

void repository_topics::count(const git_commit_record& commit) {
  ++commits_;
  if (authors_.size() < max_authors)
    authors_.insert(is_blank(commit.author_name) ? commit.author_email : commit.author_name);
  if (!first_commit_) first_commit_ = commit.at;
  last_commit_ = commit.at;
  std::set<std::string> touched;
  for (const auto& path : commit.changed_paths) touched.insert(top_folder(path));
  for (const auto& name : touched) {
    const auto f = folders_.find(name);
    if (f == folders_.end()) continue; // the top itself, or gone since
    ++f->second.commits;
    f->second.last_commit = commit.hash;
    f->second.changed = commit.at;
  }
}

topic_source repository_topics::of_repository(const git_source& git,
                                              const std::string& actor) const {
  topic_source t{.id = topic_id_of(git, ""),
                 .actor = actor,
                 .title = name_of(git),
                 .summary = readme_.empty() ? "git repository " + name_of(git) : readme_,
                 .kind = "repository",
                 .fields = {},
                 .part_of = {},
                 .is_overview = true};
  const auto since = git.head_time();
  add_field(t, "location", {git.identity()}, {}, since);
  add_field(t, "files", {files_}, {}, since);
  add_field(t, "commits", {commits_}, {}, since);
  if (!git.head_hash().empty()) add_field(t, "head", {git.head_hash()}, {}, since);
  if (!git.branch().empty()) add_field(t, "branch", {git.branch()}, {}, since);
  if (!authors_.empty())
    add_field(t, "authors", std::vector<std::string>(authors_.begin(), authors_.end()), since);
  std::vector<std::string> names;
  names.reserve(folders_.size());
  for (const auto& [name, f] : folders_) names.push_back(name);
  if (!names.empty()) add_field(t, "folders", names, since);
  if (first_commit_) {
    add_field(t, "first_commit", {to_string(*first_commit_)}, topic_field_type::datetime, since);
    add_field(t, "last_commit", {to_string(*last_commit_)}, topic_field_type::datetime, since);
  }
  return t;
}

topic_source repository_topics::of_folder(const git_source& git, const std::string& actor,
                                          const std::string& name, const folder& f) {
  topic_source t{
      .id = topic_id_of(git, name),
      .actor = actor,
      .title = name_of(git) + "/" + name,
      .summary = fmt::format("folder {} of {}: {}", name, name_of(git), fmt::join(f.kinds, ", ")),
      .kind = "folder",
      .fields = {},
      .part_of = {topic_id_of(git, "")},
      .is_overview = true};
  const auto since = git.head_time();
  add_field(t, "files", {f.files}, {}, since);
  if (git.has_commits()) add_field(t, "commits", {f.commits}, {}, since);
  if (!f.changed) return t;
  add_field(t, "last_commit", {f.last_commit}, {}, since);
  add_field(t, "last_changed", {to_string(*f.changed)}, topic_field_type::datetime, since);
  return t;
}

result<void> repository_topics::put(engine& target, import_sink& sink, import_report& report,
                                    const git_source& git, const std::string& actor) {
  auto known = sink.sources_of(topic_id_of(git, ""), edge_type::part_of);
  if (!known) return propagate(known);
  for (const auto& m : *known) {
    const auto title = m.version->data.find("title");
    if (m.head->type != memory_type::topic || title == m.version->data.end()) continue;
    const auto name = folder_of(std::get<std::string>(title->second), name_of(git));
    // Somebody may have made other topics part of the repository's.
    if (!name || folders_.contains(*name)) continue;
    const auto own = sink.id_here(topic_id_of(git, *name));
    if (!own || *own != m.head->id) continue;
    topic_source gone{.id = m.head->id,
                      .actor = actor,
                      .title = name_of(git) + "/" + *name,
                      .summary = fmt::format("folder {} that {} had", *name, name_of(git)),
                      .kind = {},
                      .fields = {}};
    add_field(gone, "files", {std::int64_t{0}}, {}, git.head_time());
    if (auto ok = put_topic(target, sink, report, std::move(gone), "folder " + *name); !ok)
      return ok;
  }
  if (auto ok = put_topic(target, sink, report, of_repository(git, actor), git.identity()); !ok)
    return ok;
  for (const auto& [name, f] : folders_)
    if (auto ok = put_topic(target, sink, report, of_folder(git, actor, name, f), "folder " + name);
        !ok)
      return ok;
  return {};
}

colour_source colour_of(const git_commit_record& commit, const git_source& git) {
  colour_source colour{.whose = name_of(git),
                       .names = {commit.author_name},
                       .text = commit.message,
                       .when = commit.at};
  std::set<std::string> folders;
  for (const auto& path : commit.changed_paths)
    if (auto top = top_folder(path); !top.empty()) folders.insert(std::move(top));
  colour.names.insert(colour.names.end(), folders.begin(), folders.end());
  return colour;
}

colour_source colour_of(const git_file_record& file, const git_source& git, timestamp at) {
  colour_source colour{.whose = name_of(git),
                       .names = {ending_of(file.path)},
                       .text = std::string(cut_text(file.content, coloured_bytes)),
                       .when = at == undated ? std::nullopt : std::optional(at)};
  for (auto& part : innermost_first(file.path, '/')) colour.names.push_back(std::move(part));
  return colour;
}

} // namespace mneme::importing

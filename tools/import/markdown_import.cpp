// A folder of Markdown files: a Note per file, a Chunk per section, edges along their links.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "messages/text/lower_case.hpp"
#include "messages/text/time_text.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/file_memories.hpp"
#include "tools/import/import.hpp"
#include "tools/import/markdown_text.hpp"
#include "tools/import/source_chunks.hpp"
#include "tools/import/source_file.hpp"
#include "tools/import/text_chunks.hpp"

namespace mneme::importing {

namespace {

namespace fs = std::filesystem;

bool is_markdown(const fs::path& path) {
  const std::string extension = lower_ascii(path.extension().string());
  return extension == ".md" || extension == ".markdown";
}

/// When the file was last changed, as far as times reach.
timestamp changed_at(const fs::path& path) {
  std::error_code unknown;
  const auto written = fs::last_write_time(path, unknown);
  if (unknown) return undated;
  const auto since_epoch = std::chrono::file_clock::to_sys(written).time_since_epoch();
  const timestamp t{std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
  return is_valid(t) ? t : undated;
}

struct link_list {
  std::string from; ///< path
  memory_id note;   ///< of that file
  std::vector<std::string> links;
  std::vector<std::string> wiki_links;
};

/// Finds what links mean among the files of the folder.
class link_targets {
public:
  explicit link_targets(const std::vector<std::string>& paths) : paths_(paths) {
    for (const auto& path : paths) {
      // Of several files of one name the first in path order is meant.
      by_name_.emplace(lower_ascii(fs::path(path).stem().string()), path);
      by_name_.emplace(lower_ascii(fs::path(path).replace_extension().generic_string()), path);
    }
  }
  [[nodiscard]] const std::string* relative(const std::string& from,
                                            const std::string& link) const {
    const auto target = (fs::path(from).parent_path() / link).lexically_normal().generic_string();
    const auto found = std::ranges::lower_bound(paths_, target);
    return found != paths_.end() && *found == target ? &*found : nullptr;
  }
  [[nodiscard]] const std::string* wiki(const std::string& target) const {
    std::string name = lower_ascii(target);
    if (is_markdown(name)) name = fs::path(name).replace_extension().generic_string();
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

private:
  const std::vector<std::string>& paths_;
  std::map<std::string, std::string> by_name_;
};

file_content content_of(const std::string& path, std::string_view text,
                        const markdown_text& markdown) {
  file_content file{.path = path,
                    .title = markdown.title,
                    .metadata = {{"content_hash", content_hash(text)}},
                    .pieces = {}};
  if (is_blank(file.title)) file.title = fs::path(path).stem().string();
  constexpr std::size_t max_pairs = 32;
  for (const auto& [key, value] : markdown.front_matter) {
    if (file.metadata.size() == max_pairs) break;
    file.metadata.emplace("frontmatter." + std::string(cut_text(key, 64)),
                          std::string(cut_text(value, 1024)));
  }
  for (auto& piece : cut_source(path, text))
    file.pieces.push_back({piece.position, piece.text, std::move(piece.heading)});
  return file;
}

result<void> put_links(import_sink& sink, const file_source& source,
                       const std::vector<std::string>& paths, const std::vector<link_list>& lists) {
  const link_targets targets(paths);
  std::map<std::string, memory_id> notes;
  for (const auto& list : lists) notes.emplace(list.from, list.note);
  const auto put = [&](const std::string& from, const std::string* to) -> result<void> {
    if (to == nullptr || *to == from) return {};
    return sink.put(add_edge_request{.src = notes.at(from),
                                     .type = static_cast<std::uint8_t>(edge_type::references),
                                     .dst = notes.at(*to),
                                     .actor = source.actor,
                                     .weight = 1.0F,
                                     .kind = {},
                                     .data = {},
                                     .by = {},
                                     .created_at = {}},
                    from);
  };
  for (const auto& list : lists) {
    for (const auto& link : list.links)
      if (auto ok = put(list.from, targets.relative(list.from, link)); !ok) return ok;
    for (const auto& link : list.wiki_links)
      if (auto ok = put(list.from, targets.wiki(link)); !ok) return ok;
  }
  return {};
}

/// Reads one file; false where it is left out.
result<bool> put_markdown(import_sink& sink, file_source& source, const fs::path& root,
                          const std::string& path, link_list& links, import_report& report) {
  const fs::path full = root / path;
  std::error_code unknown;
  if (fs::file_size(full, unknown) > max_file_bytes) {
    ++report.left_out["files over 1 MiB"];
    return false;
  }
  auto text = read_source(full.string());
  if (!text) return propagate(text);
  if (!is_utf8(*text)) {
    ++report.left_out["files that are not UTF-8"];
    return false;
  }
  const markdown_text markdown = read_markdown(*text);
  source.created_at = changed_at(full);
  auto note = put_file(sink, source, content_of(path, *text, markdown));
  if (!note) return propagate(note);
  links = {path, *note, markdown.links, markdown.wiki_links};
  return true;
}

} // namespace

result<void> import_markdown(engine& target, const import_request& request, import_report& report) {
  std::error_code missing;
  fs::path root = fs::canonical(request.path, missing);
  if (missing)
    return fail(errc::not_found, "cannot read " + request.path + ": " + missing.message());
  std::vector<std::string> paths;
  if (fs::is_directory(root)) {
    auto listed = list_files(root, is_markdown, &report.left_out);
    if (!listed) return propagate(listed);
    paths = std::move(*listed);
  } else {
    paths.push_back(root.filename().string());
    root = root.parent_path();
  }
  if (paths.empty()) report.notes.push_back("there is no .md or .markdown file in " + request.path);
  import_sink sink(target, report, manner_of(request));
  file_source source{.format = "markdown",
                     .source = root.generic_string(),
                     .actor = request.actor,
                     .created_at = {}};
  std::vector<std::string> imported;
  std::vector<link_list> lists;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    link_list links;
    auto taken = put_markdown(sink, source, root, paths[i], links, report);
    if (!taken) return propagate(taken);
    if (*taken) {
      imported.push_back(paths[i]);
      lists.push_back(std::move(links));
    }
    if (request.progress) request.progress(i + 1, paths.size(), report);
  }
  if (auto ok = put_links(sink, source, imported, lists); !ok) return ok;
  return sink.flush();
}

} // namespace mneme::importing

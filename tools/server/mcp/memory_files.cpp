#include "tools/server/mcp/memory_files.hpp"

#include <fmt/format.h>

#include "tools/protocol/shape.hpp"
#include "tools/server/mcp/knowledge_graph.hpp"
#include "tools/server/mcp/memory_file_text.hpp"

namespace mneme::server {

namespace {

using protocol::is_given;

constexpr const char* file_tag = "memory-file";
constexpr const char* path_key = "file_path";
constexpr const char* parent_key = "file_parent";
constexpr const char* directory_key = "file_is_directory";
/// Of one directory, or of all that a walk finds on one level.
constexpr std::int64_t most_files = 10'000;

bool is_blank_file(const std::string& text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string::npos;
}

/// How much of a text the data of a Note holds; what is behind it, of a file of up to 1 MiB, is in
/// the payload.
std::size_t end_of_statement(const std::string& text) {
  constexpr std::size_t most_file_bytes = 1U << 20;
  constexpr std::size_t most_behind = 64U << 10; // however JSON escapes it, a payload holds it
  if (text.size() <= most_file_bytes - most_behind || text.size() > most_file_bytes)
    return text.size();
  std::size_t end = most_file_bytes - most_behind;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return end;
}

/// A Note is not blank, a file may be: then its payload has the text.
void add_text(json& request, const std::string& text) {
  if (const auto end = end_of_statement(text); end < text.size() && !is_blank_file(text)) {
    request["data"] = {{"statement", text.substr(0, end)}};
    request["payload"] = protocol::print(json{{"behind", text.substr(end)}});
    return;
  }
  request["data"] = {{"statement", is_blank_file(text) ? "(a blank file)" : text}};
  if (is_blank_file(text)) request["payload"] = protocol::print(json(text));
}

std::string text_of_version(const json& version) {
  const auto statement = version["data"].value("statement", "");
  if (!is_given(version, "payload")) return statement;
  const auto beside = protocol::parse_json(version["payload"].get<std::string>());
  if (beside && beside->is_string()) return beside->get<std::string>();
  const bool is_cut = beside && beside->is_object() && beside->contains("behind");
  return is_cut ? statement + beside->value("behind", "") : statement;
}

json file_metadata(const std::string& path) {
  return {{path_key, path}, {parent_key, parent_of(path)}};
}

json write_file_note(const std::string& path, json metadata) {
  return {{"op", "write"},
          {"type", "Note"},
          {"data", {{"statement", fmt::format("directory {}", path)}}},
          {"tags", {file_tag}},
          {"metadata", std::move(metadata)}};
}

memory_file file_of(const json& record) {
  return {.uri = record["uri"].get<std::string>(),
          .version = record["current_version"].get<std::int64_t>(),
          .path = record["metadata"].value(path_key, ""),
          .is_directory = record["metadata"].value(directory_key, false),
          .text = text_of_version(record["version"]),
          .metadata = record["metadata"]};
}

} // namespace

result<std::vector<memory_file>> memory_files::find(json where) const {
  auto found = ask(to_, who_,
                   {{"op", "find"},
                    {"types", {"Note"}},
                    {"where",
                     {{"and",
                       {{{"has_tag", file_tag}},
                        {{"eq", {"head.actor_scope", who_.actor}}},
                        std::move(where)}}}},
                    {"order_by", {{{"field", "head.id"}}}},
                    {"include_ended", true},
                    {"include_archived", true},
                    {"limit", most_files + 1}});
  if (!found) return propagate(found);
  std::vector<memory_file> files;
  for (const auto& record : (*found)["memories"]) files.push_back(file_of(record));
  if (std::ssize(files) > most_files)
    return fail(errc::limit_exceeded, "there are more than 10000 files in one place");
  return files;
}

result<std::optional<memory_file>> memory_files::at(const std::string& path) const {
  if (path.empty())
    return memory_file{.uri = {}, .path = {}, .is_directory = true, .text = {}, .metadata = {}};
  auto found = find({{"eq", {std::string("meta.") + path_key, path}}});
  if (!found) return propagate(found);
  if (!found->empty()) return std::move(found->front());
  auto parent = at(parent_of(path));
  if (!parent) return propagate(parent);
  if (*parent && !(*parent)->is_directory)
    return fail(errc::bad_value,
                fmt::format("ENOTDIR: not a directory: {}/{}", memory_files_root, (*parent)->path));
  return std::nullopt;
}

result<std::vector<memory_file>> memory_files::in(const std::vector<std::string>& parents) const {
  if (parents.empty()) return std::vector<memory_file>();
  return find({{"in", {std::string("meta.") + parent_key, parents}}});
}

result<std::vector<memory_file>> memory_files::below(const std::string& path) const {
  std::vector<memory_file> all;
  std::vector<std::string> level{path};
  while (!level.empty()) {
    auto found = in(level);
    if (!found) return propagate(found);
    level.clear();
    for (auto& file : *found) {
      if (file.is_directory) level.push_back(file.path);
      all.push_back(std::move(file));
    }
  }
  return all;
}

result<json> memory_files::parents_of(const std::string& path) const {
  json items = json::array();
  for (auto parent = parent_of(path); !parent.empty(); parent = parent_of(parent)) {
    auto known = at(parent);
    if (!known) return propagate(known);
    if (*known && !(*known)->is_directory)
      return fail(errc::bad_value,
                  fmt::format("ENOTDIR: not a directory: {}/{}", memory_files_root, parent));
    if (*known) break;
    json metadata = file_metadata(parent);
    metadata[directory_key] = true;
    items.push_back(write_file_note(parent, std::move(metadata)));
  }
  return items;
}

json memory_files::write_file(const std::string& path, const std::string& text) {
  json write = write_file_note(path, file_metadata(path));
  add_text(write, text);
  return write;
}

json memory_files::edit_file(const memory_file& file, const std::string& text) {
  json update{{"op", "update"}, {"uri", file.uri}, {"expect_version", file.version}};
  add_text(update, text);
  return update;
}

json memory_files::move(const memory_file& file, const std::string& path) {
  json metadata = file.metadata;
  metadata[path_key] = path;
  metadata[parent_key] = parent_of(path);
  return {{"op", "update_head"}, {"uri", file.uri}, {"metadata", std::move(metadata)}};
}

json memory_files::remove(const memory_file& file) {
  return {{"op", "tombstone"}, {"uri", file.uri}, {"reason", "deleted"}};
}

result<void> memory_files::run(json items) const {
  if (items.empty()) return {};
  auto done = ask(to_, who_, {{"op", "batch"}, {"items", std::move(items)}});
  if (!done) return propagate(done);
  return {};
}

} // namespace mneme::server

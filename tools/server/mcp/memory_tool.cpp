#include "tools/server/mcp/memory_tool.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/error_text.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/server/mcp/memory_file_text.hpp"
#include "tools/server/mcp/memory_files.hpp"

namespace mneme::server {

namespace {

using protocol::is_given;

constexpr std::string_view tool_name = "memory";
/// What a file system says of a directory itself.
constexpr int most_tries = 8; //< of a change, where what it looked at has changed since
constexpr std::string_view directory_size = "4K";
constexpr std::array<std::string_view, 6> command_names = {"view",   "create", "str_replace",
                                                           "insert", "delete", "rename"};

result<std::string> argument(const json& arguments, const char* key) {
  if (!is_given(arguments, key) || !arguments[key].is_string())
    return fail(errc::missing_key, fmt::format("{} is missing: a text", key));
  return arguments[key].get<std::string>();
}

/// A path as it was given, and as it is resolved.
struct named_path {
  std::string shown;
  std::string path;
};

result<named_path> path_at(const json& arguments, const char* key) {
  auto shown = argument(arguments, key);
  if (!shown) return propagate(shown);
  auto path = resolve_memory_path(*shown);
  if (!path) return propagate(path);
  return named_path{.shown = std::move(*shown), .path = std::move(*path)};
}

std::unexpected<error> not_there(const named_path& p) {
  return fail(errc::not_found,
              fmt::format("The path {} does not exist. Please provide a valid path.", p.shown));
}

/// A directory and what is in it, two levels deep.
result<std::string> view_directory(const memory_files& files, const named_path& p) {
  auto first = files.in({p.path});
  if (!first) return propagate(first);
  std::erase_if(*first, [](const memory_file& f) { return is_hidden_name(name_in_path(f.path)); });
  std::vector<std::string> directories;
  for (const auto& f : *first)
    if (f.is_directory) directories.push_back(f.path);
  auto second = files.in(directories);
  if (!second) return propagate(second);
  std::vector<memory_file> shown = std::move(*first);
  for (auto& f : *second)
    if (!is_hidden_name(name_in_path(f.path))) shown.push_back(std::move(f));
  // By the names on the way: what a directory holds is right behind it.
  std::ranges::sort(shown, [](const memory_file& a, const memory_file& b) {
    return std::ranges::lexicographical_compare(a.path, b.path, [](char x, char y) {
      const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
      return rank(x) < rank(y);
    });
  });
  std::string text =
      fmt::format("Here're the files and directories up to 2 levels deep in {}, excluding hidden "
                  "items and node_modules:\n{}\t{}",
                  p.shown, directory_size, p.shown);
  const std::size_t skipped = p.path.empty() ? 0 : p.path.size() + 1;
  for (const auto& f : shown)
    text += fmt::format("\n{}\t{}/{}{}",
                        f.is_directory ? std::string(directory_size) : size_text(f.text.size()),
                        p.shown, f.path.substr(skipped), f.is_directory ? "/" : "");
  return text;
}

std::optional<line_range> range_of(const json& arguments) {
  if (!is_given(arguments, "view_range")) return std::nullopt;
  const json& range = arguments["view_range"];
  if (!range.is_array() || range.size() != 2 || !range[0].is_number_integer()
      || !range[1].is_number_integer())
    return std::nullopt;
  return line_range{.first = range[0].get<std::int64_t>(), .last = range[1].get<std::int64_t>()};
}

result<std::string> view(const memory_files& files, const json& arguments) {
  auto p = path_at(arguments, "path");
  if (!p) return propagate(p);
  auto known = files.at(p->path);
  if (!known) return propagate(known);
  if (!*known) return not_there(*p);
  if ((*known)->is_directory) return view_directory(files, *p);
  return viewed_file(p->shown, (*known)->text, range_of(arguments));
}

result<std::string> create(const memory_files& files, const json& arguments) {
  auto p = path_at(arguments, "path");
  if (!p) return propagate(p);
  auto text = argument(arguments, "file_text");
  if (!text) return propagate(text);
  auto known = files.at(p->path);
  if (!known) return propagate(known);
  if (*known) return fail(errc::already_exists, fmt::format("File {} already exists", p->shown));
  auto items = files.parents_of(p->path);
  if (!items) return propagate(items);
  items->push_back(memory_files::write_file(p->path, *text));
  if (auto ok = files.run(std::move(*items)); !ok) return propagate(ok);
  return fmt::format("File created successfully at: {}", p->shown);
}

/// The file that an edit is of.
result<memory_file> file_to_edit(const memory_files& files, const named_path& p) {
  auto known = files.at(p.path);
  if (!known) return propagate(known);
  if (!*known) return not_there(p);
  if ((*known)->is_directory)
    return fail(errc::bad_value, fmt::format("The path {} is not a file.", p.shown));
  return std::move(**known);
}

result<std::string> write_edit(const memory_files& files, const memory_file& file,
                               result<edited_text> edited) {
  if (!edited) return propagate(edited);
  if (edited->text != file.text)
    if (auto ok = files.run(json::array({memory_files::edit_file(file, edited->text)})); !ok)
      return propagate(ok);
  return std::move(edited->said);
}

result<std::string> str_replace(const memory_files& files, const json& arguments) {
  auto p = path_at(arguments, "path");
  if (!p) return propagate(p);
  auto old = argument(arguments, "old_str");
  if (!old) return propagate(old);
  auto now = argument(arguments, "new_str");
  if (!now) return propagate(now);
  auto file = file_to_edit(files, *p);
  if (!file) return propagate(file);
  return write_edit(files, *file, replace_in(p->shown, file->text, *old, *now));
}

result<std::string> insert(const memory_files& files, const json& arguments) {
  auto p = path_at(arguments, "path");
  if (!p) return propagate(p);
  auto text = argument(arguments, "insert_text");
  if (!text) return propagate(text);
  if (!is_given(arguments, "insert_line") || !arguments["insert_line"].is_number_integer())
    return fail(errc::missing_key, "insert_line is missing: a whole number");
  auto file = file_to_edit(files, *p);
  if (!file) return propagate(file);
  return write_edit(
      files, *file,
      insert_in(p->shown, file->text, arguments["insert_line"].get<std::int64_t>(), *text));
}

result<std::string> remove_path(const memory_files& files, const json& arguments) {
  auto p = path_at(arguments, "path");
  if (!p) return propagate(p);
  if (p->path.empty()) return fail(errc::bad_value, "Cannot delete the /memories directory itself");
  auto known = files.at(p->path);
  if (!known) return propagate(known);
  if (!*known) return fail(errc::not_found, fmt::format("The path {} does not exist", p->shown));
  json items = json::array({memory_files::remove(**known)});
  if ((*known)->is_directory) {
    auto below = files.below(p->path);
    if (!below) return propagate(below);
    for (const auto& file : *below) items.push_back(memory_files::remove(file));
  }
  if (auto ok = files.run(std::move(items)); !ok) return propagate(ok);
  return fmt::format("Successfully deleted {}", p->shown);
}

result<std::string> rename_path(const memory_files& files, const json& arguments) {
  auto from = path_at(arguments, "old_path");
  if (!from) return propagate(from);
  auto onto = path_at(arguments, "new_path");
  if (!onto) return propagate(onto);
  if (from->path.empty())
    return fail(errc::bad_value, "Cannot rename the /memories directory itself");
  if (auto reached = files.at(from->path); !reached) return propagate(reached);
  auto taken = files.at(onto->path);
  if (!taken) return propagate(taken);
  if (*taken)
    return fail(errc::already_exists,
                fmt::format("The destination {} already exists", onto->shown));
  // As with the tool's own files: the way is made, whatever comes of it.
  auto way = files.parents_of(onto->path);
  if (!way) return propagate(way);
  if (auto ok = files.run(std::move(*way)); !ok) return propagate(ok);
  auto known = files.at(from->path);
  if (!known) return propagate(known);
  if (!*known) return fail(errc::not_found, fmt::format("The path {} does not exist", from->shown));
  if (onto->path.starts_with(from->path + "/"))
    return fail(errc::bad_value, fmt::format("{} cannot be renamed into itself", from->shown));
  json items = json::array({memory_files::move(**known, onto->path)});
  if ((*known)->is_directory) {
    auto below = files.below(from->path);
    if (!below) return propagate(below);
    for (const auto& file : *below)
      items.push_back(memory_files::move(file, onto->path + file.path.substr(from->path.size())));
  }
  if (auto ok = files.run(std::move(items)); !ok) return propagate(ok);
  return fmt::format("Successfully renamed {} to {}", from->shown, onto->shown);
}

result<std::string> change(const memory_files& files, const std::string& command,
                           const json& arguments) {
  if (command == "create") return create(files, arguments);
  if (command == "str_replace") return str_replace(files, arguments);
  if (command == "insert") return insert(files, arguments);
  if (command == "delete") return remove_path(files, arguments);
  if (command == "rename") return rename_path(files, arguments);
  return fail(errc::bad_value, fmt::format("there is no command {}", command));
}

json text_key(std::string_view what) {
  return {{"type", "string"}, {"description", what}};
}

json input_schema() {
  json properties;
  properties["command"] = {{"type", "string"},
                           {"enum", command_names},
                           {"description", "What to do; each takes the keys that name it."}};
  properties["path"] = text_key("All but rename: below /memories.");
  properties["view_range"] = {{"type", "array"},
                              {"items", {{"type", "integer"}}},
                              {"minItems", 2},
                              {"maxItems", 2},
                              {"description", "view: first and last line; -1 is the end."}};
  properties["file_text"] = text_key("create: the whole file.");
  properties["old_str"] = text_key("str_replace: what stands in exactly one line.");
  properties["new_str"] = text_key("str_replace: what stands there then.");
  properties["insert_line"] = {{"type", "integer"}, {"description", "insert: behind this line."}};
  properties["insert_text"] = text_key("insert: the new lines.");
  properties["old_path"] = text_key("rename: what is there.");
  properties["new_path"] = text_key("rename: where nothing is yet.");
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", json::array({"command"})}};
}

} // namespace

json memory_tool::tools_for(const client& who) const {
  return json::array(
      {{{"name", tool_name},
        {"title", "Memory files"},
        {"description",
         "Files that stay from one conversation to the next, below /memories. View the directory "
         "before a task; create, str_replace, insert, delete and rename keep what is to be known "
         "next time."},
        {"inputSchema", input_schema()},
        {"annotations",
         {{"readOnlyHint", who.read_only},
          {"destructiveHint", !who.read_only},
          {"openWorldHint", false}}}}});
}

bool memory_tool::has(std::string_view name) const {
  return name == tool_name;
}

json memory_tool::call(const client& who, std::string_view, const json& arguments) {
  const auto made = run(who, arguments);
  const auto text = made ? *made : protocol::error_text(made.error().message);
  return {{"content", json::array({{{"type", "text"}, {"text", text}}})},
          {"isError", !made.has_value()}};
}

result<std::string> memory_tool::run(const client& who, const json& arguments) {
  auto command = argument(arguments, "command");
  if (!command) return propagate(command);
  const memory_files files(to_, who);
  if (*command == "view") return view(files, arguments);
  auto turn = turns_.take();
  if (!turn) return propagate(turn);
  auto made = change(files, *command, arguments);
  // Who edits a file as the memory that it is takes no turn.
  for (int i = 1; i < most_tries && !made && made.error().code == errc::version_conflict; ++i)
    made = change(files, *command, arguments);
  return made;
}

} // namespace mneme::server

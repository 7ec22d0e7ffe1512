// JSON lines of requests: write (the default) and add_edge.

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/hash.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/mutation_json.hpp"

namespace mneme::importing {

namespace {

using protocol::json;

enum class line_op : std::uint8_t { write, add_edge };

result<line_op> op_of(const json& request) {
  const auto op = request.find("op");
  if (op == request.end() || op->is_null()) return line_op::write;
  if (*op == "write") return line_op::write;
  if (*op == "add_edge") return line_op::add_edge;
  return fail(errc::bad_value, "a line of an import is a write or an add_edge", "op");
}

result<mutation> read_line(const json& request, const std::optional<error>& oversized) {
  const protocol::json_path document;
  if (!request.is_object()) return protocol::wrong_type("a request object", request, document);
  const auto op = op_of(request);
  if (!op) return std::unexpected(op.error());
  const auto keys =
      *op == line_op::write ? protocol::write_import_keys() : protocol::add_edge_import_keys();
  if (auto ok = protocol::check_members(request, keys, true, document); !ok) return propagate(ok);
  if (oversized) return std::unexpected(*oversized);
  return *op == line_op::write ? protocol::read_write(request, document)
                               : protocol::read_add_edge(request, document);
}

/// What a line says, whatever its blanks and the order of its keys.
std::string content_of(json request) {
  request.erase("op");
  return protocol::print(request);
}

/// Derives ids of lines that give none: from their content, and from how many equal lines came
/// before, so that a file may say the same thing twice.
class line_ids {
public:
  memory_id of(const json& request, const write_request& r) {
    const std::string text = content_of(request);
    const std::uint64_t occurrence = seen_[sha256_of(text)]++;
    return derived_id("jsonl", "", fmt::format("{}#{}", text, occurrence),
                      r.created_at.value_or(undated));
  }

private:
  std::map<digest, std::uint64_t> seen_;
};

/// Lines that give their id. Two that say different things of one id would each undo the other,
/// with every import again.
class given_ids {
public:
  result<void> take(const json& request, const memory_id& id, const std::string& where) {
    const digest content = sha256_of(content_of(request));
    const auto [known, is_first] = lines_.try_emplace(id, line{content, where});
    if (is_first || known->second.content == content) return {};
    return fail(errc::already_exists,
                fmt::format("{}: {} says something else of this id", where, known->second.where),
                "id");
  }

private:
  struct line {
    digest content;
    std::string where;
  };
  std::map<memory_id, line> lines_;
};

} // namespace

result<void> import_jsonl(engine& target, const import_request& request, import_report& report) {
  import_sink sink(target, report, manner_of(request));
  line_ids ids;
  given_ids given_before;
  const auto visit = [&](const source_line& line) -> result<void> {
    std::optional<error> oversized;
    auto document = protocol::parse_json(line.text, oversized);
    if (!document) return std::unexpected(located(std::move(document.error()), line.where));
    auto read = read_line(*document, oversized);
    if (!read) return std::unexpected(located(std::move(read.error()), line.where));
    if (request.progress) request.progress(line.position, line.file_size, report);
    if (auto* edge = std::get_if<add_edge_request>(&*read)) {
      if (edge->actor.empty()) edge->actor = request.actor;
      return sink.put(std::move(*edge), line.where);
    }
    auto& write = std::get<write_request>(*read);
    if (write.id) {
      if (auto ok = given_before.take(*document, *write.id, line.where); !ok) return ok;
    } else {
      write.id = ids.of(*document, write);
    }
    if (!document->contains("actor")) write.actor = request.actor;
    const source_keys given{.tags = document->contains("tags"),
                            .frames = document->contains("frames"),
                            .importance = document->contains("importance"),
                            .visibility = document->contains("visibility"),
                            .lifecycle = document->contains("lifecycle")};
    return sink.put(std::move(write), given, line.where);
  };
  if (auto ok = for_each_line(request.path, visit); !ok) return ok;
  return sink.flush();
}

} // namespace mneme::importing

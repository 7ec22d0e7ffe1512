#include "tools/import/json_source.hpp"

#include "tools/import/import_sink.hpp"
#include "tools/import/source_file.hpp"

namespace mneme::importing {

result<protocol::json> read_json_source(const std::string& path) {
  auto text = read_source(path);
  if (!text) return propagate(text);
  auto document = protocol::parse_json(*text);
  if (!document) return std::unexpected(located(std::move(document.error()), path));
  return std::move(*document);
}

} // namespace mneme::importing

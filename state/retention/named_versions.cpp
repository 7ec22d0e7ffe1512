#include "state/retention/named_versions.hpp"

#include <string_view>
#include <variant>

#include "state/apply/entry_parts.hpp"

namespace mneme {

namespace {

class collected_names {
public:
  void add(std::string_view text) {
    if (const auto uri = parse_memory_uri(text)) names.push_back({uri->id, uri->version});
  }
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add(text);
  }
  void add(const provenance& p) {
    add(p.derived_from);
    add(p.attestations);
  }
  void add(const version& v) {
    add(v.provenance);
    for (const auto& [name, value] : v.data) {
      if (const auto* text = std::get_if<std::string>(&value)) add(std::string_view(*text));
      if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) add(*texts);
    }
  }
  void add(const field_revision& r) {
    add(r.provenance);
    if (const auto* text = std::get_if<std::string>(&r.value.node)) add(std::string_view(*text));
  }

  std::vector<named_version> names;
};

} // namespace

std::vector<named_version> named_versions(const entry_payload& payload) {
  collected_names found;
  if (const version* v = version_of(payload)) found.add(*v);
  if (const edge_record* edge = edge_of(payload)) found.add(edge->data);
  if (const auto* field = std::get_if<field_payload>(&payload))
    for (const field_revision& r : field->revisions) found.add(r);
  if (const auto* compact = std::get_if<compact_payload>(&payload))
    for (const weighed_uri& kept : compact->kept)
      found.names.push_back({kept.uri.id, kept.uri.version});
  return std::move(found.names);
}

} // namespace mneme

// Prints, as JSON, the samples with the numbers of the enums and the fields of the types.
// formats_test.py holds it against docs/FORMATS.md and the golden files.

#include <iostream>

#include <fmt/format.h>

#include "messages/validate/schema.hpp"
#include "tests/docs/format_samples.hpp"

namespace {

using namespace mneme;
using nlohmann::json;

template <class Enum>
json numbers_of() {
  json names = json::object();
  for (unsigned i = 0; i <= 0xFF; ++i)
    if (const auto name = to_string(static_cast<Enum>(i)); !name.empty())
      names[std::to_string(i)] = name;
  return names;
}

json data_fields() {
  const auto name_of_kind = [](field_kind kind) {
    switch (kind) {
    case field_kind::text:
    case field_kind::name:
      return "text";
    case field_kind::integer:
      return "int";
    case field_kind::real:
      return "f64";
    case field_kind::boolean:
      return "bool";
    case field_kind::time:
      return "time";
    case field_kind::id:
      return "bin16";
    case field_kind::text_list:
      return "texts";
    }
    return "";
  };
  json types = json::object();
  for (unsigned i = 1; i <= memory_type_count; ++i) {
    json fields = json::array();
    for (const auto& f : fields_of(static_cast<memory_type>(i)))
      fields.push_back(fmt::format("{} {}", f.name, name_of_kind(f.kind)));
    types[std::string(to_string(static_cast<memory_type>(i)))] = fields;
  }
  return types;
}

json enums() {
  return {{"memory_type", numbers_of<memory_type>()},
          {"edge_type", numbers_of<edge_type>()},
          {"visibility", numbers_of<visibility>()},
          {"verb", numbers_of<verb>()},
          {"object_kind", numbers_of<object_kind>()},
          {"provenance_source", numbers_of<provenance_source>()},
          {"source_class", numbers_of<source_class>()},
          {"lifecycle_status", numbers_of<lifecycle_status>()},
          {"lifecycle_origin", numbers_of<lifecycle_origin>()},
          {"lifecycle_audience", numbers_of<lifecycle_audience>()},
          {"tombstone_cause", numbers_of<tombstone_cause>()},
          {"attest_outcome", numbers_of<attest_outcome>()},
          {"topic_field_type", numbers_of<topic_field_type>()},
          {"topic_event_kind", numbers_of<topic_event_kind>()},
          {"reinforcing_door", numbers_of<reinforcing_door>()},
          {"entry_kind", numbers_of<entry_kind>()}};
}

} // namespace

int main() {
  testing::format_samples s;
  add_records(s);
  add_topics(s);
  add_journal(s);
  add_roots(s);
  add_files(s);
  const json document = {
      {"bytes", s.bytes()}, {"values", s.values()}, {"data", data_fields()}, {"enums", enums()}};
  std::cout << document.dump(1) << "\n";
}

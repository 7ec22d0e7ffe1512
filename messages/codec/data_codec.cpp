#include <algorithm>

#include "messages/codec/record_codec.hpp"
#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"
#include "messages/validate/schema.hpp"

namespace mneme {

namespace {

// -- metadata ---------------------------------------------------------------------------------

/// Scalars keep their kind: text, integer, float64 or boolean. Reads into scalar and meta_value.
template <class Variant>
void get_scalar(item_parser& in, Variant& v) {
  using kind = canonical_reader::kind;
  switch (in.peek()) {
  case kind::text:
    get(in, v.template emplace<std::string>());
    break;
  case kind::integer:
    get(in, v.template emplace<std::int64_t>());
    break;
  case kind::real64:
    get(in, v.template emplace<double>());
    break;
  case kind::boolean:
    get(in, v.template emplace<bool>());
    break;
  default:
    in.refuse("a scalar is expected");
  }
}

} // namespace

void put(canonical_writer& out, const scalar& v) {
  std::visit([&](const auto& x) { put(out, x); }, v);
}
void put(canonical_writer& out, const meta_value& v) {
  std::visit([&](const auto& x) { put(out, x); }, v);
}
void get(item_parser& in, scalar& v) {
  get_scalar(in, v);
}
void get(item_parser& in, meta_value& v) {
  if (in.peek() == canonical_reader::kind::array)
    get(in, v.emplace<std::vector<scalar>>());
  else
    get_scalar(in, v);
}

void put(canonical_writer& out, const metadata_map& metadata) {
  out.array(static_cast<std::uint32_t>(metadata.size()));
  for (const auto& [key, value] : metadata) {
    out.array(2);
    out.text(key);
    put(out, value);
  }
}
void get(item_parser& in, metadata_map& metadata) {
  const std::uint32_t size = in.array();
  for (std::uint32_t i = 0; i < size && in.ok(); ++i) {
    in.array_of(2);
    std::string key(in.text());
    meta_value value;
    get(in, value);
    if (!in.ok()) return;
    if (!metadata.empty() && key <= metadata.rbegin()->first)
      return in.refuse("metadata keys do not ascend");
    metadata.emplace_hint(metadata.end(), std::move(key), std::move(value));
  }
}

// -- typed data -------------------------------------------------------------------------------

namespace {

template <class T>
void get_as(item_parser& in, field_value& v) {
  get(in, v.emplace<T>());
}

void get_field(item_parser& in, const field_schema& field, field_value& v) {
  switch (field.kind) {
  case field_kind::text:
  case field_kind::name:
    get_as<std::string>(in, v);
    break;
  case field_kind::integer:
    get_as<std::int64_t>(in, v);
    break;
  case field_kind::real:
    get_as<double>(in, v);
    break;
  case field_kind::boolean:
    get_as<bool>(in, v);
    break;
  case field_kind::time:
    get_as<timestamp>(in, v);
    break;
  case field_kind::id:
    get_as<memory_id>(in, v);
    break;
  case field_kind::text_list:
    get_as<std::vector<std::string>>(in, v);
    break;
  }
  if (!in.ok()) return;
  if (field.kind == field_kind::name
      && std::ranges::find(field.names, std::get<std::string>(v)) == field.names.end())
    in.refuse("not a name of the enum field");
  if (field.unit_interval && !(std::get<double>(v) >= 0 && std::get<double>(v) <= 1))
    in.refuse("a number is not in [0, 1]");
}

} // namespace

void put(canonical_writer& out, const typed_data<const memory_data>& typed) {
  map_writer m(out);
  std::size_t known = 0;
  for (const field_schema& field : fields_of(typed.type)) {
    const auto found = typed.data.find(field.name);
    if (found == typed.data.end()) continue;
    ++known;
    std::visit([&](const auto& x) { m.required(field.number, x); }, found->second);
  }
  ensure(known == typed.data.size(), "data has fields of its type only");
  m.finish();
}

void get(item_parser& in, const typed_data<memory_data>& typed) {
  const auto fields = fields_of(typed.type);
  const std::uint32_t size = in.map();
  std::uint64_t last_number = 0;
  for (std::uint32_t i = 0; i < size && in.ok(); ++i) {
    const std::uint64_t number = in.unsigned_integer();
    if (number <= last_number || number > fields.size())
      return in.refuse("unknown data field, or numbers that do not ascend");
    last_number = number;
    const field_schema& field = fields[static_cast<std::size_t>(number - 1)];
    get_field(in, field, typed.data[std::string(field.name)]);
  }
}

std::string encode_data(memory_type type, const memory_data& data) {
  canonical_writer out;
  put(out, typed_data{type, data});
  return out.take();
}

std::string encode_metadata(const metadata_map& metadata) {
  canonical_writer out;
  put(out, metadata);
  return out.take();
}

} // namespace mneme

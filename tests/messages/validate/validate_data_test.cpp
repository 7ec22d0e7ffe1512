// Typed data: every way in which it can be wrong has its code and its path.

#include <limits>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/codec/records.hpp"
#include "messages/text/time_text.hpp"
#include "messages/validate/schema.hpp"
#include "messages/validate/validate.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

using text = std::string;

void refused(memory_type type, const memory_data& data, errc code, std::string_view at) {
  const auto outcome = validate_data(type, data);
  REQUIRE(!outcome);
  CHECK(to_string(outcome.error().code) == to_string(code));
  CHECK(outcome.error().at == at);
  CHECK(!outcome.error().message.empty());
}

/// The least data that `type` accepts.
memory_data least(memory_type type) {
  memory_data data;
  for (const field_schema& f : fields_of(type))
    if (f.required)
      data.emplace(text(f.name), f.kind == field_kind::name ? text(f.names.front()) : text("x"));
  return data;
}

memory_data with(memory_type type, std::string_view field, field_value value) {
  memory_data data = least(type);
  data.insert_or_assign(text(field), std::move(value));
  return data;
}

std::vector<memory_type> all_types() {
  std::vector<memory_type> types;
  for (int i = 1; i <= memory_type_count; ++i) types.push_back(static_cast<memory_type>(i));
  return types;
}

/// A value of every kind but `kind`.
std::vector<field_value> other_kinds(field_kind kind) {
  std::vector<field_value> values;
  if (kind != field_kind::text && kind != field_kind::name) values.emplace_back(text("x"));
  if (kind != field_kind::integer && kind != field_kind::real) values.emplace_back(std::int64_t{1});
  if (kind != field_kind::real) values.emplace_back(0.5);
  if (kind != field_kind::boolean) values.emplace_back(true);
  if (kind != field_kind::time) values.emplace_back(timestamp{1});
  if (kind != field_kind::id) values.emplace_back(memory_id{});
  if (kind != field_kind::text_list) values.emplace_back(std::vector<text>{"x"});
  return values;
}

} // namespace

TEST_CASE("the least data of every type is accepted, and nothing less") {
  for (const memory_type type : all_types()) {
    CAPTURE(to_string(type));
    CHECK(validate_data(type, least(type)));
    for (const field_schema& f : fields_of(type)) {
      if (!f.required) continue;
      memory_data data = least(type);
      data.erase(text(f.name));
      refused(type, data, errc::missing_field, "data." + text(f.name));
      refused(type, with(type, f.name, text()), errc::missing_field, "data." + text(f.name));
      refused(type, with(type, f.name, text(" \t\n")), errc::missing_field, "data." + text(f.name));
    }
  }
}

TEST_CASE("fields of another kind are refused") {
  for (const memory_type type : all_types())
    for (const field_schema& f : fields_of(type))
      for (const field_value& value : other_kinds(f.kind))
        refused(type, with(type, f.name, value), errc::wrong_type, "data." + text(f.name));
}

TEST_CASE("unknown fields and types are refused") {
  refused(memory_type::fact, with(memory_type::fact, "polarity", text("do")), errc::unknown_key,
          "data.polarity");
  refused(memory_type::event, with(memory_type::event, "cost", text("1 USD")), errc::unknown_key,
          "data.cost");
  refused(memory_type::fact, with(memory_type::fact, "\xFF", text("x")), errc::unknown_key, "data");
  refused(memory_type{}, {}, errc::bad_value, "type");
  refused(static_cast<memory_type>(16), {}, errc::bad_value, "type");
}

TEST_CASE("names that the enum does not have are refused") {
  for (const memory_type type : all_types())
    for (const field_schema& f : fields_of(type)) {
      if (f.kind != field_kind::name) continue;
      refused(type, with(type, f.name, text("perhaps")), errc::bad_value, "data." + text(f.name));
      for (const std::string_view name : f.names)
        CHECK(validate_data(type, with(type, f.name, text(name))));
    }
  refused(memory_type::constraint, with(memory_type::constraint, "polarity", text()),
          errc::bad_value, "data.polarity");
}

TEST_CASE("numbers are finite and strengths are in [0, 1]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [type, field] : {std::pair(memory_type::preference, "strength_val"),
                                    std::pair(memory_type::pattern, "strength")}) {
    const text at = text("data.") + field;
    for (const double bad : {-0.001, 1.001, infinity, -infinity, nan})
      refused(type, with(type, field, bad), errc::out_of_range, at);
    refused(type, with(type, field, std::int64_t{2}), errc::out_of_range, at);
    refused(type, with(type, field, std::int64_t{-1}), errc::out_of_range, at);
    CHECK(validate_data(type, with(type, field, 0.0)));
    CHECK(validate_data(type, with(type, field, 1.0)));
    CHECK(validate_data(type, with(type, field, std::int64_t{1})));
  }
}

TEST_CASE("times are in their range") {
  for (const timestamp bad : {timestamp{-1}, timestamp{max_timestamp.ns + 1}})
    refused(memory_type::fact, with(memory_type::fact, "as_of", bad), errc::bad_time, "data.as_of");
  CHECK(validate_data(memory_type::fact, with(memory_type::fact, "as_of", timestamp{})));
  CHECK(validate_data(memory_type::fact, with(memory_type::fact, "as_of", max_timestamp)));
}

TEST_CASE("text is UTF-8, in lists too") {
  refused(memory_type::note, with(memory_type::note, "statement", text("\xFF")), errc::bad_utf8,
          "data.statement");
  refused(memory_type::note, with(memory_type::note, "label", text("a\xC3")), errc::bad_utf8,
          "data.label");
  refused(memory_type::identity,
          with(memory_type::identity, "roles", std::vector<text>{"a", "\xFF"}), errc::bad_utf8,
          "data.roles[1]");
}

TEST_CASE("an amount is a decimal number") {
  for (const text good : {"0", "12", "12.50", "-3.25", "000.1", "123456789012345678901234567890"})
    CHECK(validate_data(memory_type::event, with(memory_type::event, "cost.amount", good)));
  for (const text bad : {"", ".5", "5.", "1e3", "+1", "1,5", "1.2.3", "--1", "-", " 1", "1 USD"})
    refused(memory_type::event, with(memory_type::event, "cost.amount", bad), errc::bad_value,
            "data.cost.amount");
}

TEST_CASE("data is at most 1 MiB of canonical bytes") {
  // A map of one pair, its number, and a text of over 64 KiB: 1 + 1 + 5 bytes.
  const std::size_t frame = 7;
  const auto data_of = [](std::size_t size) { return memory_data{{"statement", text(size, 'x')}}; };
  CHECK(encode_data(memory_type::note, data_of(max_data_bytes - frame)).size() == max_data_bytes);
  CHECK(validate_data(memory_type::note, data_of(max_data_bytes - frame)));
  refused(memory_type::note, data_of(max_data_bytes - frame + 1), errc::limit_exceeded, "data");
  refused(memory_type::note, data_of(max_data_bytes + 1), errc::limit_exceeded, "data");
}

TEST_CASE("shape is reported before values") {
  memory_data data = least(memory_type::preference);
  data["polarity"] = text("perhaps");
  data["zzz"] = text();
  refused(memory_type::preference, data, errc::unknown_key, "data.zzz");
  data.erase("zzz");
  data["topic"] = true;
  refused(memory_type::preference, data, errc::wrong_type, "data.topic");
}

TEST_CASE("what validation accepts can be stored") {
  rc::prop("validate, encode, decode", [] {
    version v = any_version();
    for (const auto& [name, value] : least(v.type))
      if (find_field(v.type, name)->kind == field_kind::text)
        v.data[name] = "x" + any_text();
      else
        v.data.try_emplace(name, value);
    if (v.type == memory_type::event) v.data["cost.amount"] = text("-1.50");
    RC_ASSERT(validate_data(v.type, v.data).has_value());
    v.data = with_defaults(v.type, v.data, v.created_at);
    const auto back = decode_version(encode(v));
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->data == v.data);
  });
}

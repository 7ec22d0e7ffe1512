#include "views/packed_record.hpp"

#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "messages/codec/records.hpp"
#include "messages/held_bytes.hpp"

using namespace mneme;

namespace {

head head_of(std::uint8_t importance) {
  head h;
  h.type = memory_type::note;
  h.current_version = 1;
  h.declared_importance = importance;
  h.tags = {"a tag", "b"};
  return h;
}

version version_of(std::string text) {
  version v;
  v.number = 1;
  v.type = memory_type::note;
  v.data.emplace("statement", std::move(text));
  v.forms.short_form = "short";
  return v;
}

packed_record packed(const head& h, const version& v) {
  return {h, encode(h), v, encode(v)};
}

} // namespace

TEST_CASE("a record comes out of its bytes as it went in, for who has it as long as they wish") {
  const head h = head_of(7);
  const version v = version_of("a text");
  std::optional<packed_record> record = packed(h, v);
  CHECK(record->held() == held_bytes(h) + held_bytes(v));
  CHECK(record->size() > encode(h).size() + encode(v).size());
  const auto unpacked = record->unpack();
  const auto copy = unpacked.version;
  record.reset();
  CHECK(*unpacked.head == h);
  CHECK(*copy == v);
  // Decoded once, for all copies.
  CHECK(&*copy == &*unpacked.version);
}

TEST_CASE("a new head stands before the content that was there") {
  const packed_record before = packed(head_of(7), version_of("a text"));
  head coloured = head_of(3);
  coloured.colour = colour{.hashtags = {"joy"}, .L = 1, .a = 2, .b = 3, .mode = "Sparse"};
  const packed_record after = before.with_head(coloured, encode(coloured));
  CHECK(after.unpack().is_coloured);
  CHECK_FALSE(before.unpack().is_coloured);
  CHECK(after.held() == held_bytes(coloured) + held_bytes(version_of("a text")));
  CHECK(*after.unpack().head == coloured);
  CHECK(*after.unpack().version == version_of("a text"));
  CHECK(*before.unpack().head == head_of(7));
}

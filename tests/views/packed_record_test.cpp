#include "views/packed_record.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "messages/codec/records.hpp"

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

/// With something between the two.
taken_record through_bytes(const head& h, const version& v) {
  const std::string head_bytes = encode(h);
  const std::string version_bytes = encode(v);
  const std::string all = head_bytes + "between" + version_bytes;
  auto bytes = std::make_shared_for_overwrite<char[]>(all.size());
  std::ranges::copy(all, bytes.get());
  return unpack({.bytes = std::move(bytes),
                 .head_size = static_cast<std::uint32_t>(head_bytes.size()),
                 .version_at = static_cast<std::uint32_t>(all.size() - version_bytes.size()),
                 .version_size = static_cast<std::uint32_t>(version_bytes.size()),
                 .held = 1234,
                 .is_coloured = true});
}

} // namespace

TEST_CASE("a record comes out of its bytes as it went in, for who has it as long as they wish") {
  const head h = head_of(7);
  const version v = version_of("a text");
  std::optional<taken_record> record = through_bytes(h, v);
  CHECK(record->held == 1234);
  CHECK(record->is_coloured);
  const auto taken = *record;
  const auto copy = taken.version;
  record.reset();
  CHECK(*taken.head == h);
  CHECK(*copy == v);
  // Decoded once, for all copies.
  CHECK(&*copy == &*taken.version);
}

#include "state/checkpoint/world_file.hpp"

#include <algorithm>
#include <optional>

#include "messages/codec/canonical.hpp"
#include "messages/hash.hpp"
#include "state/checkpoint/sealed_file.hpp"

namespace mneme {

namespace {
constexpr std::string_view magic = "MNEMEWLD";
constexpr std::uint64_t format_of_defaults = 1;
constexpr std::uint64_t format_with_search = 2;
constexpr std::uint64_t world_format = 3;
constexpr std::string_view default_language = "english";

std::uint64_t format_of(const world_file& w) {
  if (w.language != default_language) return world_format;
  return w.search.empty() ? format_of_defaults : format_with_search;
}
} // namespace

std::string encode(const world_file& w) {
  canonical_writer out;
  const std::uint64_t format = format_of(w);
  out.map(5U + (w.search.empty() ? 0U : 1U) + (format == world_format ? 1U : 0U));
  out.unsigned_integer(0);
  out.unsigned_integer(format);
  out.unsigned_integer(1);
  out.binary(w.id.raw());
  out.unsigned_integer(2);
  out.text(w.name);
  out.unsigned_integer(3);
  out.binary({reinterpret_cast<const char*>(w.branch.data()), w.branch.size()});
  out.unsigned_integer(4);
  out.text(w.embedder);
  if (!w.search.empty()) {
    out.unsigned_integer(5);
    out.text(w.search);
  }
  if (format == world_format) {
    out.unsigned_integer(6);
    out.text(w.language);
  }
  return seal_file(magic, out.bytes());
}

result<world_file> decode_world_file(std::string_view bytes) {
  auto body = open_sealed_file(magic, bytes, "the WORLD file");
  if (!body) return propagate(body);
  canonical_reader in(*body);
  const auto damaged = [] { return fail(errc::corrupt, "the WORLD file cannot be read"); };
  const auto expect_key = [&](std::uint64_t key) {
    auto k = in.unsigned_integer();
    return k && *k == key;
  };
  auto size = in.map();
  if (!size || !expect_key(0)) return damaged();
  auto version = in.unsigned_integer();
  if (!version) return damaged();
  if (*version > world_format)
    return fail(errc::format_unsupported, "the WORLD file has format " + std::to_string(*version)
                                              + "; this build reads up to "
                                              + std::to_string(world_format));
  const bool has_language = *version == world_format;
  const std::uint32_t others = has_language ? 6 : 5; // members but the search weights
  const bool has_search = *size == others + 1;
  const bool fits = has_language || has_search == (*version == format_with_search);
  if (*version == 0 || (*size != others && !has_search) || !fits || !expect_key(1))
    return damaged();
  world_file w;
  auto id = in.binary();
  if (!id || id->size() != w.id.bytes.size()) return damaged();
  std::copy(id->begin(), id->end(), w.id.bytes.begin());
  if (!expect_key(2)) return damaged();
  auto name = in.text();
  if (!name || !expect_key(3)) return damaged();
  w.name = std::string(*name);
  auto branch = in.binary();
  if (!branch || branch->size() != w.branch.size() || !expect_key(4)) return damaged();
  std::copy(branch->begin(), branch->end(), w.branch.begin());
  auto embedder = in.text();
  if (!embedder) return damaged();
  w.embedder = std::string(*embedder);
  const auto non_empty_text = [&](std::uint64_t key) -> std::optional<std::string> {
    if (!expect_key(key)) return std::nullopt;
    auto text = in.text();
    return text && !text->empty() ? std::optional(std::string(*text)) : std::nullopt;
  };
  if (has_search) {
    auto search = non_empty_text(5);
    if (!search) return damaged();
    w.search = std::move(*search);
  }
  if (has_language) {
    auto language = non_empty_text(6);
    if (!language || *language == default_language) return damaged();
    w.language = std::move(*language);
  }
  if (!in.at_end()) return damaged();
  return w;
}

world_id seeded_world_id(std::string_view name, std::uint64_t seed) {
  sha256 hash;
  hash.update("mneme world").update(std::uint8_t{0}).update(name).update_u64be(seed);
  const digest d = hash.finish();
  world_id id;
  std::copy_n(d.bytes.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

} // namespace mneme

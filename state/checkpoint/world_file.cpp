#include "state/checkpoint/world_file.hpp"

#include <algorithm>
#include <optional>

#include "index/lexical/text_terms.hpp"
#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"
#include "messages/hash.hpp"
#include "state/checkpoint/sealed_file.hpp"

namespace mneme {

namespace {
constexpr std::string_view magic = "MNEMEWLD";
constexpr std::uint64_t format_of_defaults = 1;
constexpr std::uint64_t format_with_search = 2;
constexpr std::uint64_t format_with_language = 3;
constexpr std::uint64_t world_format = 4;

std::uint64_t format_of(const world_file& w) {
  if (!w.former.empty()) return world_format;
  if (w.language != default_language) return format_with_language;
  return w.search.empty() ? format_of_defaults : format_with_search;
}

void put_former(canonical_writer& out, const world_file& w) {
  out.unsigned_integer(7);
  out.array(static_cast<std::uint32_t>(w.former.size()));
  for (const former_embedder& f : w.former) {
    out.array(2);
    out.text(f.spec);
    out.unsigned_integer(f.until.value);
  }
  if (!w.is_being_embedded) return;
  out.unsigned_integer(8);
  out.boolean(true);
}

/// False if it cannot be read.
bool get_former(canonical_reader& in, world_file& w) {
  auto count = in.array();
  if (!count || *count == 0) return false;
  for (std::uint32_t i = 0; i < *count; ++i) {
    auto pair = in.array();
    if (!pair || *pair != 2) return false;
    auto spec = in.text();
    if (!spec) return false;
    std::string named(*spec);
    auto until = in.unsigned_integer();
    if (!until) return false;
    const seq_no last{*until};
    if (!w.former.empty() && last < w.former.back().until) return false;
    w.former.push_back({std::move(named), last});
  }
  return true;
}

} // namespace

std::string encode(const world_file& w) {
  canonical_writer out;
  const std::uint64_t format = format_of(w);
  const bool has_language = w.language != default_language;
  ensure(!w.is_being_embedded || !w.former.empty(), "what is embedded anew was embedded before");
  out.map(5U + (w.search.empty() ? 0U : 1U) + (has_language ? 1U : 0U)
          + (w.former.empty() ? 0U : 1U) + (w.is_being_embedded ? 1U : 0U));
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
  if (has_language) {
    out.unsigned_integer(6);
    out.text(w.language);
  }
  if (!w.former.empty()) put_former(out, w);
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
  if (*version == 0 || *size < 5 || !expect_key(1)) return damaged();
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
  // What follows is there or not, by ascending keys.
  std::uint64_t before = 4;
  for (std::uint32_t i = 5; i < *size; ++i) {
    auto key = in.unsigned_integer();
    if (!key || *key <= before) return damaged();
    before = *key;
    if (*key == 5 || *key == 6) {
      auto text = in.text();
      if (!text || text->empty()) return damaged();
      (*key == 5 ? w.search : w.language) = std::string(*text);
      if (*key == 6 && w.language == default_language) return damaged();
    } else if (*key == 7) {
      if (!get_former(in, w)) return damaged();
    } else if (*key == 8) {
      auto is = in.boolean();
      if (!is || !*is || w.former.empty()) return damaged();
      w.is_being_embedded = true;
    } else {
      return damaged();
    }
  }
  if (*version != format_of(w)) return damaged();
  if (!in.at_end()) return damaged();
  return w;
}

std::vector<seq_no> world_file::changes_of_space() const {
  std::vector<seq_no> changes;
  changes.reserve(former.size());
  for (const former_embedder& f : former) changes.push_back(f.until.next());
  return changes;
}

world_file as_of(world_file w, seq_no last) {
  while (!w.former.empty() && last <= w.former.back().until) {
    w.embedder = std::move(w.former.back().spec);
    w.former.pop_back();
    w.is_being_embedded = false;
  }
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

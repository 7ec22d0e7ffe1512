#include "state/checkpoint/leaf_image.hpp"

#include <bit>
#include <string>
#include <vector>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::string_view leaves_image_name = "mnLEAVE1";
/// About so many are in memory at once.
constexpr std::uint64_t portion_leaves = 4096;

/// The first path that begins with these bits.
digest path_of(std::uint64_t begin, unsigned bits) {
  digest path;
  const std::uint64_t first = bits == 0 ? 0 : begin << (64 - bits);
  for (std::size_t i = 0; i < sizeof first; ++i)
    path.bytes[i] = static_cast<std::uint8_t>(first >> (56 - 8 * i));
  return path;
}

/// The last one.
digest last_path_of(std::uint64_t begin, unsigned bits) {
  digest path;
  path.bytes.fill(0xFF);
  if (bits == 0) return path;
  const std::uint64_t last = begin << (64 - bits) | (~0ULL >> bits);
  for (std::size_t i = 0; i < sizeof last; ++i)
    path.bytes[i] = static_cast<std::uint8_t>(last >> (56 - 8 * i));
  return path;
}

} // namespace

result<void> put_leaves(image_writer& out, const leaf_layers& leaves, const leaf_counts& counts) {
  out.begin(leaves_image_name);
  for (std::size_t of = 0; of < counts.size(); ++of) {
    out.put(counts[of]);
    out.align();
    const auto bits = static_cast<unsigned>(std::bit_width(counts[of] / portion_leaves));
    ensure(bits < 64, "there are fewer leaves than portions can tell apart");
    std::uint64_t written = 0;
    for (std::uint64_t begin = 0; begin >> bits == 0 && !out.has_failed(); ++begin) {
      const std::vector<tree_leaf> portion = leaves.read(
          static_cast<state_namespace>(of), path_of(begin, bits), last_path_of(begin, bits));
      out.put_raw(
          {reinterpret_cast<const char*>(portion.data()), portion.size() * sizeof(tree_leaf)});
      written += portion.size();
    }
    if (written != counts[of] && !out.has_failed())
      return fail(errc::corrupt, "there are " + std::to_string(written) + " state leaves where "
                                     + std::to_string(counts[of]) + " belong");
  }
  return {};
}

result<leaf_base> open_leaves(const image_bytes& image) {
  ensure(image.holder != nullptr, "leaves stay in an image that is held");
  image_bytes unread = image;
  unread.is_checked = true;
  auto in = image_reader::open_kept(unread, leaves_image_name);
  if (!in) return propagate(in);
  leaf_base base{.leaves = {}, .holder = image.holder};
  for (auto& leaves : base.leaves)
    leaves = in->get_array<tree_leaf>(in->get_count(sizeof(tree_leaf)));
  if (!in->at_end()) return fail(errc::corrupt, "the image of the leaves does not fit together");
  return base;
}

leaf_counts counts_of(const leaf_base& base) {
  leaf_counts counts{};
  for (std::size_t of = 0; of < counts.size(); ++of) counts[of] = base.leaves[of].size();
  return counts;
}

leaf_counts counts_of(const ledger& trees) {
  leaf_counts counts{};
  for (std::size_t of = 0; of < counts.size(); ++of)
    counts[of] = trees.leaf_count(static_cast<state_namespace>(of));
  return counts;
}

} // namespace mneme

#include "journal/ledger_state.hpp"

#include "journal/roots.hpp"
#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::uint64_t image_format = 1;
constexpr std::uint32_t image_items = 6;

std::unexpected<error> malformed() {
  return fail(errc::corrupt, "the ledger image is malformed");
}

result<void> read_trees(canonical_reader& in, ledger_state& fresh) {
  const auto count = in.array();
  if (!count || *count != state_namespace_count) return malformed();
  for (auto& tree : fresh.trees) {
    const auto image = in.binary();
    if (!image) return malformed();
    if (auto ok = tree.load(*image); !ok) return ok;
  }
  return {};
}

result<void> read_undo(canonical_reader& in, ledger_state& fresh) {
  const auto count = in.array();
  if (!count || *count > fresh.log.size()) return malformed();
  std::vector<std::string_view> images;
  images.reserve(*count);
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto image = in.binary();
    if (!image) return malformed();
    images.push_back(*image);
  }
  return fresh.undo.load(std::move(images));
}

} // namespace

void refresh_roots(ledger_state& state) {
  root_set& roots = state.roots;
  roots.seq = {state.log.size()};
  roots.journal_root = state.log.root();
  for (std::size_t i = 0; i < state_namespace_count; ++i)
    roots.state_roots[i] = state.trees[i].root();
  roots.overall = overall_root_of(roots.world, roots.seq, roots.journal_root, roots.state_roots);
}

frozen_ledger_state freeze(const ledger_state& state) {
  frozen_ledger_state frozen{.log = state.log.save(),
                             .trees = {},
                             .undo = state.undo.freeze(),
                             .roots = state.roots,
                             .image = state.image};
  for (const auto& tree : state.trees) frozen.trees.push_back(tree.freeze());
  return frozen;
}

std::string encode_image(const frozen_ledger_state& state) {
  canonical_writer out;
  out.array(image_items);
  out.unsigned_integer(image_format);
  out.binary(state.roots.world.raw());
  out.binary(state.log);
  out.array(state_namespace_count);
  for (const auto& tree : state.trees) out.binary(tree.save());
  out.binary(state.roots.overall.raw());
  out.array(static_cast<std::uint32_t>(state.undo.size()));
  state.undo.each_saved([&](std::string_view one) { out.binary(one); });
  return out.take();
}

result<void> decode_image(std::string_view image, ledger_state& fresh) {
  ensure(fresh.trees.size() == state_namespace_count, "an image fills one tree per namespace");
  canonical_reader in(image);
  const auto items = in.array();
  const auto format = in.unsigned_integer();
  if (!items || !format) return malformed();
  if (*format > image_format)
    return fail(errc::format_unsupported, "the ledger image is of a newer format");
  if (*items != image_items || *format != image_format) return malformed();
  const auto world = in.binary();
  if (!world || *world != fresh.roots.world.raw())
    return fail(errc::corrupt, "the ledger image is of another world");
  const auto log_image = in.binary();
  if (!log_image) return malformed();
  auto log = merkle_log::load(*log_image);
  if (!log) return propagate(log);
  fresh.log = std::move(*log);
  if (auto ok = read_trees(in, fresh); !ok) return ok;
  const auto overall = in.binary();
  if (!overall) return malformed();
  if (auto ok = read_undo(in, fresh); !ok) return ok;
  if (!in.at_end()) return malformed();
  refresh_roots(fresh);
  if (fresh.roots.overall.raw() != *overall)
    return fail(errc::corrupt, "the ledger image does not have the root that it names");
  return {};
}

} // namespace mneme

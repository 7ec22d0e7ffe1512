#include <algorithm>

#include "index/image.hpp"
#include "index/vectors/vectors_state.hpp"

namespace mneme {

namespace {

constexpr std::string_view vectors_image_name = "mnVECTS1";

std::unexpected<error> damaged() {
  return fail(errc::corrupt, "the image of the vectors does not fit together");
}

/// Positions ascend with slots, so those of ascending slots do.
std::vector<std::uint32_t> positions_of(const vector_rows& rows, std::span<const slot_no> slots) {
  ensure(std::ranges::is_sorted(slots), "slots are given in order");
  std::vector<std::uint32_t> positions;
  positions.reserve(slots.size());
  for (const slot_no slot : slots)
    if (const std::uint32_t found = rows.position_of(slot); found != no_number)
      positions.push_back(found);
  return positions;
}

} // namespace

std::string vectors::save(std::span<const slot_no> kept, seq_no at) const {
  const vector_rows& rows = impl_->rows;
  const auto positions = positions_of(rows, kept);
  // Fixed for good, whether or not a vector that fixed it is kept.
  const vector_space space = space_at(at);
  ensure(space.dim != 0 || positions.empty(), "the space is fixed before its first vector");
  image_writer out(vectors_image_name);
  out.reserve(positions.size() * (space.dim + 1) * sizeof(float) + space.model.size() + 64);
  out.put_text(space.model);
  out.put(space.dim);
  out.put(std::uint64_t{positions.size()});
  for (const std::uint32_t position : positions) {
    const auto values = rows.values(position);
    out.put(rows.slot(position).value);
    out.put_raw({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  return out.finish();
}

std::unique_ptr<vectors> vectors::copy(std::span<const slot_no> kept) const {
  auto fresh = std::make_unique<vectors>(impl_->options);
  const vector_space space = this->space();
  if (space.dim == 0) return fresh;
  fresh->set_space(space, impl_->fixed_since);
  const vector_rows& rows = impl_->rows;
  for (const std::uint32_t position : positions_of(rows, kept))
    fresh->append(rows.slot(position), rows.values(position));
  return fresh;
}

result<void> vectors::load(std::string_view image) {
  ensure(impl_->space.load() == nullptr, "an image is loaded into empty vectors");
  auto in = image_reader::open(image, vectors_image_name);
  if (!in) return propagate(in);
  vector_space space;
  space.model = in->get_text();
  space.dim = in->get<std::uint32_t>();
  if (!in->ok() || space.dim > dimension_max) return damaged();
  const std::size_t bytes = space.dim * sizeof(float);
  const std::uint64_t count = in->get_count(sizeof(std::uint32_t) + bytes);
  if (space.dim == 0) {
    if (count != 0 || !in->at_end() || !space.model.empty()) return damaged();
    return {};
  }
  auto loaded = std::make_unique<impl>(impl_->options);
  loaded->fix_space(space, {});
  std::vector<float> values(space.dim);
  std::uint64_t slots_from = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const slot_no slot{in->get<std::uint32_t>()};
    const std::string_view raw = in->get_raw(bytes);
    if (!in->ok() || slot.value < slots_from || slot.value == no_number) return damaged();
    slots_from = std::uint64_t{slot.value} + 1;
    std::memcpy(values.data(), raw.data(), raw.size());
    loaded->rows.append(slot, values);
  }
  if (!in->at_end()) return damaged();
  impl_ = std::move(loaded);
  if (impl_->options.background_segments) impl_->builder.wake();
  return {};
}

} // namespace mneme

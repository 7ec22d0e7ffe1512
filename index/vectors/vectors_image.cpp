#include <algorithm>

#include "index/image.hpp"
#include "index/vectors/vectors_state.hpp"

namespace mneme {

namespace {

constexpr std::string_view vectors_image_name = "mnVECTS1";

std::unexpected<error> damaged() {
  return fail(errc::corrupt, "the image of the vectors does not fit together");
}

/// The saved vectors are those below a slot: slots ascend with positions.
std::uint32_t count_below(const vector_rows& rows, slot_no below) {
  std::uint32_t low = 0;
  std::uint32_t high = rows.size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rows.slot(middle) < below)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

} // namespace

std::string vectors::save(slot_no below) const {
  const vector_rows& rows = impl_->rows;
  const std::uint32_t count = count_below(rows, below);
  // A vector above fixes a space that the image knows nothing of.
  const vector_space space = count == 0 ? vector_space{} : this->space();
  image_writer out(vectors_image_name);
  out.reserve(std::size_t{count} * (space.dim + 1) * sizeof(float) + space.model.size() + 64);
  out.put_text(space.model);
  out.put(space.dim);
  out.put(std::uint64_t{count});
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto values = rows.values(i);
    out.put(rows.slot(i).value);
    out.put_raw({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  return out.finish();
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

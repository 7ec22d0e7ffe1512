#include "index/vectors/vector_rows.hpp"

#include <algorithm>
#include <cmath>

namespace mneme {

namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t line_floats = line_bytes / sizeof(float);

void prefetch(const void* begin, std::size_t bytes) {
  const auto* const at = static_cast<const char*>(begin);
  for (std::size_t i = 0; i < bytes; i += line_bytes) __builtin_prefetch(at + i);
}

} // namespace

void vector_rows::set_dimension(std::uint32_t dim) {
  ensure(size_.load(std::memory_order_relaxed) == 0, "the dimension is fixed before the vectors");
  dim_ = dim;
  values_.set_stride((dim + line_floats - 1) / line_floats * line_floats);
  codes_.set_stride(padded(dim));
}

void vector_rows::append(slot_no slot, std::span<const float> values) {
  const std::uint32_t position = size_.load(std::memory_order_relaxed);
  ensure(values.size() == dim_ && dim_ != 0, "a vector has the space's dimension");
  ensure(position == 0 || slots_[position - 1] < slot.value, "slots ascend");
  float* const row = values_.grow(position);
  std::fill(std::ranges::copy(values, row).out, row + values_.stride(), 0.0F);
  const double norm = norm_f64(values.data(), values.size());
  norms_.grow(position) = norm;
  scales_.grow(position) = encode(values, norm, {codes_.grow(position), codes_.stride()});
  slots_.grow(position) = slot.value;
  store_release(positions_.grow(slot.value), position + 1);
  size_.store(position + 1, std::memory_order_release);
}

bool vector_rows::adopt(const saved_rows& saved, std::shared_ptr<const void> holder) {
  ensure(size_.load(std::memory_order_relaxed) == 0 && dim_ != 0, "rows are adopted by none");
  const std::size_t count = saved.slots.size();
  ensure(saved.norms.size() == count && saved.scales.size() == count
             && saved.codes.size() == count * codes_.stride()
             && saved.values.size() == count * values_.stride(),
         "each row has all its parts");
  const auto descends = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
  if (std::ranges::adjacent_find(saved.slots, descends) != saved.slots.end()) return false;
  if (count != 0 && saved.slots.back() == no_number) return false;
  const auto is_none = [](const code_scale& s) { return std::isnan(s.factor + s.error); };
  // Bounds could not be compared. In an image that is held they are as they were when it was
  // written.
  if (holder == nullptr && std::ranges::any_of(saved.scales, is_none)) return false;
  if (holder != nullptr && values_.can_adopt(saved.values) && codes_.can_adopt(saved.codes)) {
    holder_ = std::move(holder);
    values_.adopt(saved.values);
    codes_.adopt(saved.codes);
    norms_.adopt(saved.norms);
    scales_.adopt(saved.scales);
    slots_.adopt(saved.slots);
  } else {
    values_.fill(saved.values);
    codes_.fill(saved.codes);
    norms_.fill(saved.norms);
    scales_.fill(saved.scales);
    slots_.fill(saved.slots);
  }
  for (std::uint32_t position = 0; position < count; ++position)
    store_release(positions_.grow(saved.slots[position]), position + 1);
  size_.store(static_cast<std::uint32_t>(count), std::memory_order_release);
  return true;
}

std::uint32_t vector_rows::position_of(slot_no slot) const {
  if (slot.value == no_number) return no_number;
  const std::uint32_t* position = positions_.find(slot.value);
  return position == nullptr ? no_number : load_acquire(*position) - 1;
}

void vector_rows::prefetch_codes(std::uint32_t position) const {
  __builtin_prefetch(&scales_[position]);
  prefetch(codes_[position], codes_.stride());
}

void vector_rows::prefetch_values(std::uint32_t position) const {
  __builtin_prefetch(&norms_[position]);
  prefetch(values_[position], dim_ * sizeof(float));
}

prepared_query::prepared_query(std::span<const float> values, std::size_t code_count)
    : values_(values),
      norm_(norm_f64(values.data(), values.size())),
      codes_(std::make_unique_for_overwrite<std::int16_t[]>(code_count)),
      scale_(encode_query(values, norm_, {codes_.get(), code_count})) {
  ensure(values.size() <= code_count, "each number of a query has a code");
}

} // namespace mneme

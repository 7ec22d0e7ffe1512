#include "index/vectors/vectors.hpp"

#include "index/vectors/vectors_state.hpp"

namespace mneme {

void vectors::impl::fix_space(const vector_space& s, seq_no since) {
  ensure(s.dim >= 1 && s.dim <= dimension_max, "a vector has 1 to 4096 numbers");
  rows.set_dimension(s.dim);
  fixed_space = std::make_unique<const vector_space>(s);
  fixed_since = since;
  space.store(fixed_space.get(), std::memory_order_release);
}

std::unique_ptr<hnsw_segment>
vectors::impl::no_segment(const hnsw_segment* /*base*/, const vector_rows& /*rows*/,
                          std::uint32_t /*begin*/, std::uint32_t /*end*/,
                          const graph_parameters& /*p*/, const std::atomic<bool>& /*stop*/) {
  return nullptr;
}

bool vectors::impl::fits(std::span<const float> query) const {
  const vector_space* s = space.load(std::memory_order_acquire);
  return s != nullptr && s->dim == query.size();
}

vectors::vectors(const vector_index_options& options) : impl_(std::make_unique<impl>(options)) {
}
vectors::~vectors() = default;

void vectors::set_space(const vector_space& space, seq_no since) {
  const vector_space* fixed = impl_->space.load(std::memory_order_relaxed);
  ensure(fixed == nullptr || *fixed == space, "a world has one vector space");
  if (fixed == nullptr) impl_->fix_space(space, since);
}

void vectors::append(slot_no slot, std::span<const float> values) {
  ensure(impl_->space.load(std::memory_order_relaxed) != nullptr, "the space is fixed first");
  impl_->rows.append(slot, values);
  if (impl_->builds()) impl_->builder.wake();
}

vector_space vectors::space() const {
  const vector_space* fixed = impl_->space.load(std::memory_order_acquire);
  return fixed == nullptr ? vector_space{} : *fixed;
}

vector_space vectors::space_at(seq_no at) const {
  const vector_space* fixed = impl_->space.load(std::memory_order_acquire);
  return fixed == nullptr || at < impl_->fixed_since ? vector_space{} : *fixed;
}

std::uint64_t vectors::size() const {
  return impl_->rows.size();
}

std::uint64_t vectors::failed_builds() const {
  return impl_->failed_before + impl_->builder.failed();
}

std::span<const float> vectors::get(slot_no slot) const {
  const std::uint32_t position = impl_->rows.position_of(slot);
  if (position == no_number) return {};
  return impl_->rows.values(position);
}

void vectors::wait_for_segments() {
  if (impl_->builds()) impl_->builder.wait();
}

} // namespace mneme

#include "state/id_source.hpp"

#include <algorithm>

namespace mneme {

namespace {

memory_id successor(memory_id id) {
  for (std::size_t i = id.bytes.size(); i-- > 0;)
    if (++id.bytes[i] != 0) break;
  return id;
}

} // namespace

memory_id id_source::draw_id(timestamp now, const std::function<bool(const memory_id&)>& is_taken) {
  memory_id fresh;
  auto ms = static_cast<std::uint64_t>(now.ns / 1'000'000);
  for (std::size_t i = 6; i-- > 0; ms >>= 8) fresh.bytes[i] = static_cast<std::uint8_t>(ms);
  random_->fill(std::span(fresh.bytes).subspan(6));
  last_drawn_ = std::max(fresh, successor(last_drawn_));
  while (is_taken(last_drawn_)) last_drawn_ = successor(last_drawn_);
  return last_drawn_;
}

mneme::nonce id_source::draw_nonce() {
  mneme::nonce n{};
  random_->fill(n);
  return n;
}

} // namespace mneme

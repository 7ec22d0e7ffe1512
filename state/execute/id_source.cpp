#include "state/execute/id_source.hpp"

#include <algorithm>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

memory_id successor(memory_id id) {
  for (std::size_t i = id.bytes.size(); i-- > 0;)
    if (++id.bytes[i] != 0) break;
  return id;
}

} // namespace

id_source::random_bytes id_source::draw() {
  random_bytes bytes{};
  if (given_back_.empty()) {
    random_->fill(bytes);
  } else {
    bytes = given_back_.back();
    given_back_.pop_back();
  }
  if (is_marked_) since_mark_.push_back(bytes);
  return bytes;
}

void id_source::mark() {
  is_marked_ = true;
  last_at_mark_ = last_drawn_;
  since_mark_.clear();
}

void id_source::give_back() {
  ensure(is_marked_, "only marked draws are given back");
  is_marked_ = false;
  last_drawn_ = last_at_mark_;
  given_back_.insert(given_back_.end(), since_mark_.rbegin(), since_mark_.rend());
}

memory_id id_source::draw_id(timestamp now, const std::function<bool(const memory_id&)>& is_taken) {
  memory_id fresh;
  auto ms = static_cast<std::uint64_t>(now.ns / 1'000'000);
  for (std::size_t i = 6; i-- > 0; ms >>= 8) fresh.bytes[i] = static_cast<std::uint8_t>(ms);
  const random_bytes random = draw();
  std::copy_n(random.begin(), fresh.bytes.size() - 6, fresh.bytes.begin() + 6);
  last_drawn_ = std::max(fresh, successor(last_drawn_));
  while (is_taken(last_drawn_)) last_drawn_ = successor(last_drawn_);
  return last_drawn_;
}

mneme::nonce id_source::draw_nonce() {
  return draw();
}

} // namespace mneme

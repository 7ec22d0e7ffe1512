#include "tools/protocol/json_path.hpp"

namespace mneme::protocol {

std::string json_path::text() const {
  if (parent_ == nullptr) return {};
  std::string text = parent_->text();
  if (is_item_) return text + "[" + std::to_string(index_) + "]";
  if (!text.empty()) text += '.';
  return text.append(key_);
}

} // namespace mneme::protocol

#include "sim/own_profile.hpp"

#include <algorithm>

#include "messages/ensure.hpp"

namespace mneme::sim {

namespace {

class by_importance final : public query_profile {
public:
  [[nodiscard]] result<void> parse_input(chroma_request& request,
                                         const profile_context& context) const override {
    request.hashtags = context.suggest(*request.text);
    if (!request.k) request.k = own_profile_k;
    return {};
  }
  /// Private memories stay out of the answer, and are touched all the same.
  void post_process(chroma_result& answer, const chroma_request&) const override {
    const auto dropped = std::erase_if(answer.rows, [](const chroma_row& row) {
      return row.memory.head->visibility == visibility::private_;
    });
    answer.notes["private"] = std::to_string(dropped);
  }
  [[nodiscard]] bool has_custom_scoring() const override { return true; }
  /// Up to 1.25, which the engine clamps.
  [[nodiscard]] double custom_scoring(const chroma_row& row, const chroma_request&) const override {
    return row.memory.head->declared_importance / 8.0;
  }
};

} // namespace

std::shared_ptr<profile_registry> profiles_of_host() {
  auto profiles = std::make_shared<profile_registry>();
  const auto added =
      profiles->add(std::string(own_profile_name), std::make_shared<by_importance>());
  ensure(added.has_value(), "the name is free");
  return profiles;
}

} // namespace mneme::sim

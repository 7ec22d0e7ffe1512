#include "messages/seams/lent_embedder.hpp"

#include <atomic>
#include <utility>

namespace mneme {

namespace {

class lent_embedder final : public remote_embedder {
public:
  explicit lent_embedder(std::shared_ptr<const embedder> whole)
      : whole_(std::move(whole)), remote_(*whole_->remote()) {}

  [[nodiscard]] vector_space space() const override { return remote_.space(); }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    if (is_stopped_) return stopped();
    return remote_.embed(text);
  }
  [[nodiscard]] result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> texts) const override {
    if (is_stopped_) return stopped();
    return remote_.embed_many(texts);
  }
  void stop() const override { is_stopped_ = true; }

private:
  static std::unexpected<error> stopped() {
    return fail(errc::shutdown, "the engine that asks is closing");
  }

  std::shared_ptr<const embedder> whole_;
  const remote_embedder& remote_; ///< the same object
  mutable std::atomic<bool> is_stopped_{false};
};

} // namespace

std::shared_ptr<embedder> lend_embedder(const std::shared_ptr<embedder>& whole) {
  if (whole == nullptr || whole->remote() == nullptr) return whole;
  return std::make_shared<lent_embedder>(whole);
}

} // namespace mneme

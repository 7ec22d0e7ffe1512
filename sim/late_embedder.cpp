#include "sim/late_embedder.hpp"

#include <fmt/format.h>

namespace mneme::sim {

namespace {

constexpr std::uint32_t dim = 16;

/// The built-in hash, moved away from zero: a remote embedder has a vector for every text.
class prompt_embedder final : public embedder {
public:
  [[nodiscard]] vector_space space() const override { return hash_->space(); }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    auto v = hash_->embed(text);
    if (!v) return v;
    v->resize(dim);
    v->front() += 2.0F;
    return v;
  }

private:
  std::shared_ptr<embedder> hash_ = make_hash_embedder(dim);
};

} // namespace

std::shared_ptr<const embedder> make_prompt_embedder() {
  return std::make_shared<prompt_embedder>();
}

late_embedder::late_embedder(std::uint64_t seed, std::uint64_t boot, std::uint64_t down_percent)
    : prompt_(make_prompt_embedder()),
      draw_(seed, fmt::format("embedder {}", boot)),
      down_percent_(down_percent) {
}

result<void> late_embedder::answer_phone() const {
  if (is_stopped_) return fail(errc::shutdown, "the embedder was stopped");
  if (draw_.percent(down_percent_)) return fail(late_outage, "the embedder did not answer");
  return {};
}

result<std::vector<float>> late_embedder::vector_of(std::string_view text) const {
  if (text.size() > late_text_bytes) return fail(errc::bad_value, "the text is too long");
  return prompt_->embed(text);
}

result<std::vector<float>> late_embedder::embed(std::string_view text) const {
  if (auto ok = answer_phone(); !ok) return propagate(ok);
  return vector_of(text);
}

result<std::vector<std::vector<float>>>
late_embedder::embed_many(std::span<const std::string> texts) const {
  if (auto ok = answer_phone(); !ok) return propagate(ok);
  std::vector<std::vector<float>> vectors;
  for (const auto& text : texts) {
    auto v = vector_of(text);
    if (!v) return propagate(v);
    vectors.push_back(std::move(*v));
  }
  return vectors;
}

} // namespace mneme::sim

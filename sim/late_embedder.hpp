#pragma once
/// A remote embedder as a host may have one: its vectors come late, some calls fail, and texts that
/// are too long it refuses for good. What a text's vector is depends on the text alone.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mneme/seams.hpp"
#include "sim/random_stream.hpp"

namespace mneme::sim {

/// Texts of more bytes are refused; the engine cuts its own to `late_cut_bytes` then.
inline constexpr std::size_t late_text_bytes = 600;
inline constexpr std::size_t late_cut_bytes = 512;
/// What a call fails with that may succeed when it is made again.
inline constexpr errc late_outage = errc::deadline_exceeded;

/// The same vectors at once, for the model: no failures, nothing remote.
std::shared_ptr<const embedder> make_prompt_embedder();

class late_embedder final : public remote_embedder {
public:
  late_embedder(std::uint64_t seed, std::uint64_t boot, std::uint64_t down_percent);

  [[nodiscard]] vector_space space() const override { return prompt_->space(); }
  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override;
  [[nodiscard]] result<std::vector<std::vector<float>>>
  embed_many(std::span<const std::string> texts) const override;
  void stop() const override { is_stopped_ = true; }

  /// From now on every call is answered.
  void heal() { down_percent_ = 0; }

private:
  [[nodiscard]] result<void> answer_phone() const;
  [[nodiscard]] result<std::vector<float>> vector_of(std::string_view text) const;

  std::shared_ptr<const embedder> prompt_;
  mutable random_stream draw_;
  mutable bool is_stopped_ = false;
  std::uint64_t down_percent_;
};

} // namespace mneme::sim

#pragma once
/// A memory's head and version as their canonical bytes, in one piece that all who read them share:
/// a third of what they take decoded.

#include <cstdint>
#include <memory>
#include <string_view>

#include "mneme/types.hpp"

namespace mneme {

/// A record as a reader takes it. Head and version may be decoded when somebody first looks in.
struct taken_record {
  shared<mneme::head> head;
  shared<mneme::version> version;
  std::uint64_t held = 0; ///< bytes that both hold decoded, about
  bool is_coloured = false;
};

/// Immutable; copies share the bytes and may go to other threads.
class packed_record {
public:
  /// Precondition: the bytes are those of encode().
  packed_record(const head& h, std::string_view head_bytes, const version& v,
                std::string_view version_bytes);
  /// The same content under another head.
  [[nodiscard]] packed_record with_head(const head& h, std::string_view head_bytes) const;

  [[nodiscard]] taken_record unpack() const;

  /// Bytes that both hold decoded, about.
  [[nodiscard]] std::uint64_t held() const { return std::uint64_t{head_held_} + version_held_; }
  /// Bytes that it takes itself, about.
  [[nodiscard]] std::uint64_t size() const {
    return std::uint64_t{head_size_} + version_size_ + overhead;
  }

private:
  /// Of the block, and of whoever keeps it by its seq.
  static constexpr std::uint64_t overhead = 128;

  packed_record(std::string_view head_bytes, std::string_view version_bytes);
  [[nodiscard]] std::string_view head_bytes() const { return {bytes_.get(), head_size_}; }
  [[nodiscard]] std::string_view version_bytes() const {
    return {bytes_.get() + head_size_, version_size_};
  }

  std::shared_ptr<const char[]> bytes_; // NOLINT(modernize-avoid-c-arrays): one allocation for all
  std::uint32_t head_size_;
  std::uint32_t version_size_;
  std::uint32_t head_held_ = 0;
  std::uint32_t version_held_ = 0;
  bool is_coloured_ = false;
};

} // namespace mneme

#pragma once
/// SHA-256 (OpenSSL). One hasher per thread of work; not thread-safe.

#include <memory>
#include <string_view>

#include "mneme/ids.hpp"

namespace mneme {

class sha256 {
public:
  sha256();
  ~sha256();
  sha256(const sha256&) = delete;
  sha256& operator=(const sha256&) = delete;

  sha256& update(std::string_view bytes);
  sha256& update(std::uint8_t byte);
  sha256& update_u64be(std::uint64_t value);
  sha256& update_u16be(std::uint16_t value);
  /// Ends the message and starts the next one.
  [[nodiscard]] digest finish();

private:
  struct context;
  std::unique_ptr<context> context_;
};

/// SHA-256 of `bytes` with a per-thread hasher.
digest sha256_of(std::string_view bytes);

} // namespace mneme

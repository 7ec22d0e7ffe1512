#include "messages/sip_hash.hpp"
#include "mneme/ids.hpp"
#include "mneme/seams.hpp"

namespace mneme {

namespace {

/// Not of a world's random stream, which a seed makes known.
sip_key drawn_key() {
  std::array<std::uint8_t, 16> bytes{};
  make_system_random()->fill(bytes);
  return std::bit_cast<sip_key>(bytes);
}

} // namespace

const sip_key& id_hash_key() {
  static const sip_key key = drawn_key();
  return key;
}

} // namespace mneme

std::size_t std::hash<mneme::memory_id>::operator()(const mneme::memory_id& id) const noexcept {
  return static_cast<std::size_t>(mneme::sip_hash(mneme::id_hash_key(), id.bytes));
}

#pragma once
/// The profile that a simulated host adds to the engine's own: words as the default one reads them,
/// important memories first, and only three rows unless more are asked for.

#include <memory>

#include "mneme/chroma.hpp"

namespace mneme::sim {

inline constexpr std::string_view own_profile_name = "importance";
inline constexpr std::int64_t own_profile_k = 3;

/// The built-in profiles and the host's.
std::shared_ptr<profile_registry> profiles_of_host();

} // namespace mneme::sim

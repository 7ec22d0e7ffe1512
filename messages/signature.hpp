#pragma once
/// Ed25519 (RFC 8032): pure signatures over whole messages.

#include <string_view>

#include "mneme/scope.hpp"

namespace mneme {

result<ed25519_signature> sign(const ed25519_key& private_key, std::string_view message);
bool verify_signature(const ed25519_key& public_key, std::string_view message,
                      const ed25519_signature& signature);

} // namespace mneme

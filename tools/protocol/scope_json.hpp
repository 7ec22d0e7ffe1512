#pragma once
/// Scopes as JSON, both ways, and the files of keys.

#include <memory>

#include "mneme/scope.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace shapes {
/// A whole scope.
extern const shape scope;
} // namespace shapes

/// Reads the key `scope`; null where it is absent.
std::shared_ptr<const mneme::scope> read_scope(value_reader& in);
/// The same, of a request whose shape was checked.
result<std::shared_ptr<const mneme::scope>> scope_of(const json& request, const json_path& at = {});
/// A scope that stands alone; its shape is checked here. `signature` may be absent.
result<mneme::scope> read_scope_document(const json& document);
json scope_json(const mneme::scope& s);

/// {"agent": base64 of the 32 bytes of its public key}; "" is the host.
result<std::shared_ptr<key_resolver>> read_keys(const json& document);
/// 32 bytes as base64.
result<ed25519_key> read_key(std::string_view text, const std::string& at);
std::string key_text(const ed25519_key& key);

} // namespace mneme::protocol

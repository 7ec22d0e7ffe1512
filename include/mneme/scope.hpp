#pragma once
/// A scope: what one agent lets another one see. It opens memories of `actor` to `granted_to`,
/// signed by `granted_by`, which is that actor or the host "".

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/proof.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Memories framed on a verb and, unless `refs` is empty, on one of these objects.
struct frame_selector {
  verb action{};
  std::vector<std::string> refs;

  friend bool operator==(const frame_selector&, const frame_selector&) = default;
};

/// A union: a memory is selected by its type, by any of its tags, by its id, or by a frame.
/// A selector without anything selects nothing.
struct scope_selector {
  std::vector<memory_type> types;
  std::vector<std::string> tags;
  std::vector<memory_id> ids;
  std::optional<frame_selector> frame;

  [[nodiscard]] bool empty() const {
    return types.empty() && tags.empty() && ids.empty() && !frame;
  }
  friend bool operator==(const scope_selector&, const scope_selector&) = default;
};

inline constexpr std::int64_t scope_schema = 1;
using ed25519_key = std::array<std::uint8_t, 32>;
using ed25519_signature = std::array<std::uint8_t, 64>;

struct scope {
  std::int64_t schema = scope_schema;
  std::string actor;    ///< whose memories
  digest snapshot_root; ///< overall root of a snapshot of the world
  scope_selector include;
  scope_selector exclude;
  /// One proof of membership for each of include.ids, in the ascending order of the ids, against
  /// the snapshot's root of the memories; absent: nothing is proved.
  std::optional<std::vector<tree_proof>> proofs;
  timestamp expires_at;           ///< not valid from then on
  std::int64_t budget_tokens = 0; ///< the most that a context may ask for
  std::string granted_by;
  std::string granted_to;
  bool writable = false;
  ed25519_signature signature{};
};

/// What is signed: the canonical array [schema, actor, snapshot_root, include, exclude, proofs or
/// nil, expires_at, budget_tokens, granted_by, granted_to, writable]; a selector is [types, tags,
/// ids, frame], each list ascending and without repetition, a frame nil or [verb, refs]; a proof is
/// [path, value hash, siblings]. docs/AGENTS.md has it in full.
std::string scope_bytes(const scope& s);
/// Signs with the granter's Ed25519 private key (its 32 bytes of seed).
result<void> sign_scope(scope& s, const ed25519_key& private_key);
/// The public key that belongs to a private one.
result<ed25519_key> public_key_of(const ed25519_key& private_key);

/// Public keys of agents; the engine holds no private one. Thread-safe.
class key_resolver {
public:
  virtual ~key_resolver() = default;
  /// nullopt: the agent is not known. "" is the host.
  [[nodiscard]] virtual std::optional<ed25519_key> public_key(std::string_view agent) const = 0;
};
/// Keys that do not change.
std::shared_ptr<key_resolver>
make_key_resolver(std::map<std::string, ed25519_key, std::less<>> keys);

} // namespace mneme

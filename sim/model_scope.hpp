#pragma once
/// Who asks, and what a scope opens to whom: the rules of scopes, written down a second time.

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "mneme/requests.hpp"
#include "mneme/scope.hpp"
#include "sim/model.hpp"

namespace mneme::sim {

struct viewer {
  std::optional<std::string> actor; ///< absent: the host
  const scope* within = nullptr;

  [[nodiscard]] bool sees_all() const { return !actor && within == nullptr; }
  /// Through a scope for reading only nothing is reinforced.
  [[nodiscard]] bool may_touch() const;
  /// In whose name it acts, and whose learned weights rank.
  [[nodiscard]] std::string name() const {
    return within != nullptr ? within->granted_to : actor.value_or("");
  }
  /// Whose memories are its own, or opened to it.
  [[nodiscard]] std::string owner() const { return within != nullptr ? within->actor : name(); }
  /// What asking for one memory is answered with that it does not see.
  [[nodiscard]] errc refusal() const {
    return within != nullptr ? errc::scope_violation : errc::not_found;
  }
};
/// Of a request with an actor ("" is the host where it is no option) and perhaps a scope.
template <class Request>
viewer viewer_of(const Request& r) {
  viewer who;
  if constexpr (std::is_same_v<std::decay_t<decltype(r.actor)>, std::string>)
    who.actor = r.actor.empty() ? std::nullopt : std::optional(r.actor);
  else
    who.actor = r.actor && !r.actor->empty() ? r.actor : std::nullopt;
  if constexpr (requires { r.scope; }) who.within = r.scope.get();
  return who;
}

bool sees(const viewer& who, const head& h);

/// The keys of the simulated agents; not everybody has one.
ed25519_key private_key_of(const std::string& agent);
std::shared_ptr<const key_resolver> keys_of_agents();

/// A proof of membership for each of `ids`, in ascending order and each once, in the state of a
/// snapshot; nullopt if there is no such snapshot or one was not there.
std::optional<std::vector<tree_proof>> proofs_of(const model& state, const digest& snapshot,
                                                 std::vector<memory_id> ids);

/// Why a scope is no good at `now` for somebody who comes in the name of `actor`, if it is not.
std::optional<errc> refusal_of(const model& state, const viewer& who, timestamp now);

/// Mutations as the grantee may make them, as of the model's last state.
std::expected<std::vector<mutation>, errc>
admitted(const model& state, const std::vector<mutation>& items, const scope& within);

} // namespace mneme::sim

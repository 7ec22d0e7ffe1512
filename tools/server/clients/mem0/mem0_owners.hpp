#pragma once
/// Whose a memory of Mem0 is: a user, an agent, an app, a run, in any combination. Memories of one
/// combination are put into one namespace, and each name is a tag too.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mneme::server::mem0 {

enum class mem0_kind : std::uint8_t { user, agent, app, run };
inline constexpr std::array<std::string_view, 4> mem0_kind_names = {"user", "agent", "app", "run"};
/// Of all memories that were written by this wire.
inline constexpr std::string_view mem0_tag = "mem0";

struct mem0_owners {
  std::array<std::string, mem0_kind_names.size()> names{}; ///< by kind; empty: none

  [[nodiscard]] bool empty() const;
  friend bool operator==(const mem0_owners&, const mem0_owners&) = default;
};

std::optional<mem0_kind> mem0_kind_of(std::string_view name);
/// The kind of "user_id" and its like.
std::optional<mem0_kind> mem0_kind_of_key(std::string_view key);

/// At most 512 bytes, or there is none.
std::optional<std::string> mem0_namespace(const mem0_owners& owners);
/// Nothing: this is a namespace of somebody else.
std::optional<mem0_owners> owners_of_namespace(std::string_view name);

/// Nothing where the name is no tag: too long, or not plain ASCII, which tags are normalised to.
std::optional<std::string> mem0_tag_of(mem0_kind kind, std::string_view name);
/// All tags of a memory of these owners.
std::vector<std::string> mem0_tags(const mem0_owners& owners);

} // namespace mneme::server::mem0

#pragma once
/// A memory as JSON: its members, their order, and which of them a request wants.

#include <bitset>
#include <cstdint>
#include <vector>

#include "mneme/engine.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

/// The members of a memory that an answer has: all, unless the key `select` names some. What warns
/// of a memory (trust, stale, ended, superseded) is told all the same.
class member_selection {
public:
  static constexpr std::size_t most = 32;

  void add(std::size_t member) { named_.set(member); }
  [[nodiscard]] bool has(std::size_t member) const { return named_.none() || named_[member]; }

private:
  std::bitset<most> named_;
};

/// What the key `select` may name.
std::span<const std::string_view> memory_member_names() noexcept;
/// Of the key `select`; bad_value for what no memory has.
member_selection read_select(value_reader& in);
/// Of a request that was read before.
member_selection selection_of(const json& request);

json memory_json(const memory& m, const member_selection& selected = {});

/// What a find says of a memory beside what it is.
struct found_marks {
  past_marks past;
  std::string told; ///< how it is told of; empty: not said
};
/// Both, as they are printed.
std::string memory_text(const memory& m, const member_selection& selected,
                        const found_marks& marks);
json version_json(const version& v);
/// {reason, cause, at, by, superseded_by?}, or null.
json tombstone_of(const head& h);
/// Adds `namespace` and `key`, where the memory has one.
void put_key(json& into, const head& h);
/// strength_raw, kept in units of 1e-9.
json strength_json(std::int64_t strength_e9);
/// Adds `ended` and `superseded` to those of the memories that are.
void mark_past(json& memories, const std::vector<past_marks>& past);

} // namespace mneme::protocol

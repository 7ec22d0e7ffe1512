#pragma once
/// How much memory values hold in texts, lists and numbers, about: what bounds are kept by. Only
/// what somebody else can make large is counted exactly.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "mneme/scope.hpp"
#include "mneme/topics.hpp"
#include "mneme/types.hpp"

namespace mneme {

// Declared first: each may hold the others.
inline std::uint64_t held_bytes(const json_value& v);
template <class T>
std::uint64_t held_bytes(const std::optional<T>& value);
template <class T>
std::uint64_t held_bytes(const std::vector<T>& values);
template <class Value>
std::uint64_t held_bytes(const std::map<std::string, Value, std::less<>>& values);
template <class... Kinds>
std::uint64_t held_bytes(const std::variant<Kinds...>& value);

inline std::uint64_t held_bytes(const std::string& text) {
  return sizeof(std::string) + text.size();
}
inline std::uint64_t held_bytes(const intent_frame& f) {
  return sizeof(f) + f.ref.size();
}
inline std::uint64_t held_bytes(const memory_id& id) {
  return sizeof(id);
}
inline std::uint64_t held_bytes(const timestamp& t) {
  return sizeof(t);
}
template <class Number>
  requires std::is_arithmetic_v<Number>
std::uint64_t held_bytes(const Number& n) {
  return sizeof(n);
}
inline std::uint64_t held_bytes(std::monostate) {
  return 0;
}
inline std::uint64_t held_bytes(const json_member& m) {
  return held_bytes(m.name) + held_bytes(m.value);
}
inline std::uint64_t held_bytes(const json_value& v) {
  return sizeof(v) + held_bytes(v.node);
}
inline std::uint64_t held_bytes(const mneme::provenance& p) {
  return held_bytes(p.derived_from) + held_bytes(p.attestations) + p.signed_by.size()
         + p.signature.size();
}
inline std::uint64_t held_bytes(const head& h) {
  return sizeof(h) + h.actor_scope.size() + held_bytes(h.tags) + held_bytes(h.frames)
         + held_bytes(h.metadata) + (h.lifecycle ? h.lifecycle->project.size() : 0)
         + (h.tombstone ? h.tombstone->reason.size() : 0)
         + (h.key ? h.key->name_space.size() + h.key->name.size() : 0);
}
inline std::uint64_t held_bytes(const version& v) {
  return sizeof(v) + held_bytes(v.data) + v.created_by.size() + held_bytes(v.provenance)
         + v.forms.short_form.size() + v.forms.medium_form.size() + v.payload.size();
}
inline std::uint64_t held_bytes(const forms_override& f) {
  return held_bytes(f.short_form) + held_bytes(f.medium_form);
}
template <class T>
std::uint64_t held_bytes(const std::optional<T>& value) {
  return value ? held_bytes(*value) : 0;
}
template <class T>
std::uint64_t held_bytes(const std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) return values.size() * sizeof(T);
  std::uint64_t bytes = 0;
  for (const auto& v : values) bytes += held_bytes(v);
  return bytes;
}
template <class Value>
std::uint64_t held_bytes(const std::map<std::string, Value, std::less<>>& values) {
  std::uint64_t bytes = 0;
  for (const auto& [key, value] : values) bytes += held_bytes(key) + held_bytes(value);
  return bytes;
}
inline std::uint64_t held_bytes(const tree_proof& p) {
  return sizeof(p) + p.siblings.size() * sizeof(digest);
}
inline std::uint64_t held_bytes(const scope_selector& s) {
  return s.types.size() * sizeof(memory_type) + held_bytes(s.tags) + held_bytes(s.ids)
         + (s.frame ? held_bytes(s.frame->refs) : 0);
}
inline std::uint64_t held_bytes(const scope& s) {
  return sizeof(s) + s.actor.size() + held_bytes(s.include) + held_bytes(s.exclude)
         + held_bytes(s.proofs) + s.granted_by.size() + s.granted_to.size();
}
/// Counted with each of those that share it.
inline std::uint64_t held_bytes(const std::shared_ptr<const scope>& s) {
  return s != nullptr ? held_bytes(*s) : 0;
}
template <class... Kinds>
std::uint64_t held_bytes(const std::variant<Kinds...>& value) {
  return std::visit([](const auto& v) { return held_bytes(v); }, value);
}

} // namespace mneme

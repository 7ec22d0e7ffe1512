#include "messages/codec/leaf_of.hpp"

#include "messages/codec/records.hpp"
#include "messages/hash.hpp"

namespace mneme {

state_leaf leaf_of(const head& h) {
  return leaf_of(h, encode(h));
}

state_leaf leaf_of(const edge_record& e) {
  return leaf_of(e, encode(e));
}

state_leaf leaf_of(const head& h, std::string_view bytes) {
  return {state_namespace::memories, state_path(state_namespace::memories, h.id.raw()),
          sha256_of(bytes)};
}

state_leaf leaf_of(const edge_record& e, std::string_view bytes) {
  return {state_namespace::edges, state_path(state_namespace::edges, key_bytes(e.key)),
          sha256_of(bytes)};
}

state_leaf leaf_of(const field_head& f) {
  return {state_namespace::fields,
          state_path(state_namespace::fields, field_key_bytes(f.topic, f.name)),
          sha256_of(encode(f))};
}

state_leaf no_leaf_of(const field_head& f) {
  return {state_namespace::fields,
          state_path(state_namespace::fields, field_key_bytes(f.topic, f.name)), digest{}};
}

} // namespace mneme

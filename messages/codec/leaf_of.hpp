#pragma once
/// The leaf of a record in the state tree of its namespace: path of its key, hash of its canonical
/// bytes.

#include "messages/codec/entry.hpp"
#include "messages/codec/topic_records.hpp"

namespace mneme {

state_leaf leaf_of(const head& h);
state_leaf leaf_of(const edge_record& e);
/// Of a record whose canonical bytes are at hand.
state_leaf leaf_of(const head& h, std::string_view bytes);
state_leaf leaf_of(const edge_record& e, std::string_view bytes);
state_leaf leaf_of(const field_head& f);
/// Of a field that is in its tree no more.
state_leaf no_leaf_of(const field_head& f);

} // namespace mneme

#pragma once
/// Keys by which hosts call memories, as the indexes find them: a row of a memory that has one
/// carries, beside its tags, a tag for the key and one for its namespace. Neither is UTF-8, so that
/// no request can name them and no tag of a memory is one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/types.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// The tags of the head, and those of its key.
std::vector<std::string> tags_of_row(const head& h);

/// The tag that what was put into the namespace has.
std::string namespace_tag(std::string_view name_space);
/// A tag that drives a query, as a plan says it.
std::string shown_tag(const std::string& tag);
/// The namespaces that there ever were, with their tags.
std::vector<std::pair<std::string, term_no>> known_namespaces(const attributes& columns);

/// The memory that has the key as of `at`, tombstoned or not; no_number if there is none, or only
/// what was erased.
node_no keyed_node(const read_views& views, const memory_key& key, seq_no at);

} // namespace mneme

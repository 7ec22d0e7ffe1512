#pragma once
/// Topics of imported documents: one per scope (a conversation, a collection), and one per session.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tools/import/import_sink.hpp"

namespace mneme::importing {

memory_id docs_memory_id(std::string_view scope, std::string_view id);

/// The time of what has none: 2000-01-01 plus the order in seconds, held inside the range of times.
timestamp time_of_docs_order(std::int64_t order);

std::optional<std::string> text_of(const metadata_map& metadata, const char* key);

/// Counts what the world has of these scopes, also from other files, and puts their topics.
result<void> put_docs_topics(engine& target, import_sink& sink, import_report& report,
                             const std::set<std::string>& scopes);

} // namespace mneme::importing

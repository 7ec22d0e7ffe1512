#pragma once
/// Cuts a file, a folder or a git working tree into Chunks. A second time, only what changed is
/// written: chunks are known by their source, path and content, so that a chunk keeps its id (and
/// what it was promoted to) as long as its text stays.

#include "tools/protocol/session.hpp"

namespace mneme::importing {

result<protocol::source_counts> ingest_source(engine& target,
                                              const protocol::source_request& request);

} // namespace mneme::importing

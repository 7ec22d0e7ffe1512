#pragma once
/// Another embedder for a world that no engine has open.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mneme/recovery.hpp"
#include "mneme/seams.hpp"

namespace mneme {

struct reembed_options {
  remote_embedder_factory remote_embedders{}; ///< makes the new one, where its spec is "http:…"
  std::string embedder_key{};                 ///< for its endpoint; never stored in the world
  progress on_progress{};                     ///< memories that have got their vectors
  std::shared_ptr<clock> time{};              ///< null = the system's
};
struct reembed_report {
  std::string from; ///< the embedder before
  std::string to;
  seq_no since; ///< vectors of entries before this one are of the embedder before
  seq_no at;    ///< the last entry that gave a vector
  std::uint64_t embedded = 0;
  std::uint64_t left = 0; ///< memories whose text holds nothing to embed, or was refused
};

/// Gives the world the embedder of `spec`, and every live memory and topic a vector of that: an
/// `embed` entry each. Entries before stay what they are; what was near as of them is answered by a
/// fork --at an earlier seq, which has the embedder of that time.
///
/// bad_value at `embedder` if the world's is the same, or `spec` names none; busy if an engine has
/// the world open; unsupported if it is kept in a log. An endpoint that cannot be asked at all
/// refuses before anything is changed. What is broken off later goes on when it is asked for again
/// with the same spec; until then memories that have no vector yet are not found by nearness.
result<reembed_report> reembed_world(const std::string& directory, std::string_view spec,
                                     const reembed_options& options = {});

} // namespace mneme

#pragma once
/// The texts of memories that wait for their vectors.

#include <span>
#include <string>
#include <vector>

#include "state/embedding/embed_queue.hpp"
#include "state/execute/execute_embed.hpp"
#include "state/world.hpp"

namespace mneme {

struct waiting_texts {
  std::vector<late_vector> items; ///< vectors yet to come
  std::vector<std::string> texts;
};

/// Of those that still wait as of what is published; each text cut to what its job allows.
result<waiting_texts> read_waiting_texts(world& w, std::span<const embed_job> jobs);

} // namespace mneme

#pragma once
/// The vectors of queries by text where the embedder is remote: asked for before a query reaches
/// the coordinator, which never waits for a network. Without a remote embedder nothing is done
/// here.

#include <caf/all.hpp>

#include "actors/spawn.hpp"

namespace mneme {

/// Has the job's text embedded, in the calling thread. What compile() is going to refuse anyway
/// asks no network.
void embed_text_of(query_job& job, world& w, const actor_options& options,
                   std::optional<seq_no> pinned);
bool asks_by_text(const tick_request& request);
/// The texts of all reads that have one, in as few calls as the embedder takes.
texts_of_reads embed_texts_of(const tick_request& request, world& w, const actor_options& options);

/// An actor of its own thread: queries and ticks go on to the coordinator with their vectors.
caf::behavior query_vectors_behavior(caf::event_based_actor* self, const std::shared_ptr<world>& w,
                                     const caf::actor& coordinator, const actor_options& options);

} // namespace mneme

#include "sim/profile.hpp"

namespace mneme::sim {

namespace {

using numbers = std::initializer_list<std::uint64_t>;

std::uint64_t one_of(random_stream& draw, numbers choices) {
  return choices.begin()[draw.below(choices.size())];
}

engine_setup draw_setup(random_stream& draw) {
  engine_setup s;
  s.embedder = draw.percent(50) ? "hash:16" : "none";
  if (s.embedder != "none" && draw.percent(40)) s.late_percent = one_of(draw, {0, 10, 60});
  s.mode = draw.percent(70) ? commit_mode::grouped : commit_mode::per_request;
  s.readers = one_of(draw, {1, 2, 3});
  s.clients = one_of(draw, {1, 3, 6, 6, 12});
  s.max_queued = draw.percent(10) ? 2 : 4096;
  s.max_entries = one_of(draw, {1024, 1024, 3});
  s.retained_seqs = one_of(draw, {~0ULL, ~0ULL, ~0ULL, 400, 60});
  s.segment_bytes = one_of(draw, {4 << 10, 16 << 10, 64 << 10});
  s.extend_bytes = one_of(draw, {0, 4 << 10, 16 << 10});
  s.checkpoint_journal_bytes = one_of(draw, {0, 0, 16 << 10, 128 << 10});
  s.touches = draw.percent(30) ? touch_mode::batched : touch_mode::immediate;
  return s;
}

} // namespace

profile draw_profile(std::uint64_t seed) {
  random_stream draw(seed, "profile");
  profile p;
  p.setup = draw_setup(draw);
  p.setup.seed = seed;
  // Drawn apart, so that seeds go on to mean what they did.
  random_stream compaction(seed, "compaction");
  p.setup.compaction_states = one_of(compaction, {1, 10, 100, 512});
  // A run is short: under a window that is shorter still, copies are made again and again.
  if (compaction.percent(25)) {
    p.setup.compaction_states = 1;
    p.setup.retained_seqs = 12;
  }
  random_stream buffered(seed, "row buffer");
  p.setup.row_buffer_bytes = one_of(buffered, {1, 300 << 10, 2 << 20, 32 << 20});
  p.setup.opens_store_late = one_of(buffered, {0, 1}) == 1;
  random_stream applied(seed, "applied here");
  p.setup.entries_applied_here = one_of(applied, {0, 0, 1, 8});
  random_stream selected(seed, "select");
  random_stream weighed(seed, "set weights");
  const auto select = static_cast<std::size_t>(operation_kind::select);
  for (std::size_t kind = 0; kind < select; ++kind) p.weights[kind] = one_of(draw, {0, 1, 4, 16});
  p.weights[select] = one_of(selected, {0, 1, 4});
  p.weights[static_cast<std::size_t>(operation_kind::set_weights)] = one_of(weighed, {0, 0, 1});
  random_stream restored(seed, "restore");
  p.weights[static_cast<std::size_t>(operation_kind::restore)] = one_of(restored, {0, 1, 4});
  random_stream shaken(seed, "stale");
  p.weights[static_cast<std::size_t>(operation_kind::stale)] = one_of(shaken, {0, 1, 4});
  random_stream keyed(seed, "put");
  p.weights[static_cast<std::size_t>(operation_kind::put)] = one_of(keyed, {0, 1, 4});
  p.weights[static_cast<std::size_t>(operation_kind::list)] = one_of(keyed, {0, 1, 4});
  // Without memories there is nothing to do for the others, and every run asks something.
  p.weights[static_cast<std::size_t>(operation_kind::write)] += 8;
  p.weights[static_cast<std::size_t>(operation_kind::find)] += 2;
  p.weights[static_cast<std::size_t>(operation_kind::add_edge)] += 1;
  p.weights[static_cast<std::size_t>(operation_kind::edges)] += 1;
  for (const auto rare :
       {operation_kind::snapshot, operation_kind::checkpoint, operation_kind::prove,
        operation_kind::root, operation_kind::revise, operation_kind::forget, operation_kind::decay,
        operation_kind::chroma_many, operation_kind::search_many, operation_kind::retrieve_many}) {
    auto& weight = p.weights[static_cast<std::size_t>(rare)];
    weight = (weight + 3) / 4;
  }
  constexpr auto full = static_cast<std::size_t>(fault_kind::full_disk);
  if (draw.percent(80))
    for (std::size_t kind = 0; kind < full; ++kind) p.faults[kind] = one_of(draw, {0, 1, 3});
  random_stream filled(seed, "full disk");
  if (filled.percent(40)) p.faults[full] = one_of(filled, {1, 3});
  p.steps_between_faults = one_of(draw, {200, 500, 1500});
  p.deliver_weight = one_of(draw, {6, 12, 40});
  p.relaxed_percent = one_of(draw, {0, 10, 50});
  p.invalid_percent = one_of(draw, {0, 5, 20});
  p.scoped_percent = one_of(draw, {0, 10, 40});
  p.clock_moves_one_in = one_of(draw, {10, 40, 200});
  p.clock_may_go_back = draw.percent(30);
  random_stream erased(seed, "erase");
  p.steps_between_erasures = one_of(erased, {0, 300, 1000});
  random_stream trimmed(seed, "trim");
  p.steps_between_trims = one_of(trimmed, {0, 200, 600});
  return p;
}

} // namespace mneme::sim

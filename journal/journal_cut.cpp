#include "journal/journal_cut.hpp"

#include <fmt/format.h>

#include "journal/roots.hpp"
#include "journal/segment_walk.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// The seq of the last whole frame.
result<seq_no> end_of(file_system& fs, const std::string& dir, const world_id& world) {
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  if (walk->segments().empty()) return fail(errc::corrupt, dir + " has no segment");
  if (auto ok = walk->seek(seq_no{~0ULL}); !ok) return propagate(ok);
  if (walk->torn() && walk->torn()->whole_segment) return seq_no{walk->segments().back().value - 1};
  return walk->last();
}

result<std::uint64_t> size_of(file_system& fs, const std::string& dir, seq_no segment) {
  auto reader = segment_reader::open(fs, dir, segment);
  if (!reader) return propagate(reader);
  return reader->size();
}

/// Before the first entry: a head, and no frame.
journal_cut cut_at_start(const world_id& world) {
  return {.at = {},
          .full = {},
          .begun = seq_no{1},
          .begun_bytes = segment_head_bytes,
          .entry_bytes = segment_head_bytes,
          .entry_frame = {},
          .last_frame = {},
          .ends_with_seal = false,
          .root = empty_roots(world).overall};
}

/// What the frame behind the cut says of it. One that cannot be read, as a running writer's last,
/// says nothing.
void look_behind(segment_walk& walk, journal_cut& cut) {
  auto next = walk.next();
  if (!next || !*next) return;
  cut.root = (*next)->prefix.previous_root;
  if (!(*next)->prefix.seal || !cut.begun || (*next)->segment_first != *cut.begun) return;
  cut.begun_bytes = walk.offset();
  cut.last_frame = (*next)->hash;
  cut.ends_with_seal = true;
}

} // namespace

result<journal_cut> find_cut(file_system& fs, const std::string& dir, const world_id& world,
                             std::optional<seq_no> at) {
  if (!at) {
    auto end = end_of(fs, dir, world);
    if (!end) return propagate(end);
    at = *end;
  }
  if (at->value == 0) return cut_at_start(world);
  auto walk = segment_walk::open(fs, dir, world, seq_no{0});
  if (!walk) return propagate(walk);
  if (auto ok = walk->seek(*at); !ok) return propagate(ok);
  auto frame = walk->next();
  if (!frame) return propagate(frame);
  if (!*frame)
    return fail(errc::seq_unavailable,
                fmt::format("the journal ends before seq {}, at {}", at->value, walk->last().value),
                "at_seq");
  const frame_prefix& prefix = (*frame)->prefix;
  if (last_seq(prefix) != *at)
    return fail(errc::bad_value,
                fmt::format("the entries {} to {} were committed together, and stay or go "
                            "together: take {} or {} in place of {}",
                            prefix.first_seq.value, last_seq(prefix).value,
                            prefix.first_seq.value - 1, last_seq(prefix).value, at->value),
                "at_seq");
  const std::size_t index = walk->segment_index();
  const auto first = walk->segments().begin();
  journal_cut cut{.at = *at,
                  .full = {first, first + static_cast<std::ptrdiff_t>(index)},
                  .begun = walk->segments()[index],
                  .begun_bytes = walk->offset(),
                  .entry_bytes = walk->offset(),
                  .entry_frame = (*frame)->hash,
                  .last_frame = (*frame)->hash,
                  .root = {}};
  auto size = size_of(fs, dir, walk->segments()[index]);
  if (!size) return propagate(size);
  // One that has a successor is durable and gets no more.
  if (index + 1 < walk->segments().size() && *size == cut.begun_bytes) {
    cut.full.push_back(*cut.begun);
    cut.begun.reset();
    cut.begun_bytes = 0;
  }
  look_behind(*walk, cut);
  ensure(cut.begun || !cut.full.empty(), "what stays is in a segment");
  ensure(!cut.begun || cut.begun_bytes > segment_head_bytes, "an entry that stays has its frame");
  return cut;
}

std::string seal_behind(const journal_cut& cut) {
  ensure(!cut.ends_with_seal || cut.root, "a seal carries the root");
  if (cut.ends_with_seal || !cut.root || cut.at.value == 0) return {};
  return encode_frame({}, cut.at.next(), true, cut.last_frame, *cut.root, cut.at).bytes;
}

} // namespace mneme

#include "state/branch/shared_past.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "journal/journal_cut.hpp"
#include "journal/segment_walk.hpp"
#include "messages/ensure.hpp"
#include "state/branch/branch_note.hpp"
#include "state/branch/named_side.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme {

namespace {

struct two_journals {
  world_id world;
  world_place a; ///< their directories
  world_place b;
};

result<bool> begin_alike(const two_journals& both, seq_no segment) {
  auto first =
      named_side(segment_reader::open(both.a.files, both.a.directory, segment), both.a.directory);
  if (!first) return propagate(first);
  auto second =
      named_side(segment_reader::open(both.b.files, both.b.directory, segment), both.b.directory);
  if (!second) return propagate(second);
  auto head = named_side(first->head(both.world), both.a.directory);
  if (!head) return propagate(head);
  auto other = named_side(second->head(both.world), both.b.directory);
  if (!other) return propagate(other);
  return head->previous_frame == other->previous_frame;
}

/// The last entry before a segment that begins behind the same frame in both.
result<seq_no> common_by_heads(const two_journals& both, seq_no before) {
  auto a = list_segments(both.a.files, both.a.directory);
  if (!a) return propagate(a);
  auto b = list_segments(both.b.files, both.b.directory);
  if (!b) return propagate(b);
  std::vector<seq_no> in_both;
  std::ranges::set_intersection(*a, *b, std::back_inserter(in_both));
  // Behind the first that differs all do.
  std::size_t alike = 0;
  std::size_t end = in_both.size();
  while (alike < end) {
    const std::size_t middle = alike + (end - alike) / 2;
    auto is_alike = begin_alike(both, in_both[middle]);
    if (!is_alike) return propagate(is_alike);
    if (*is_alike && in_both[middle].value <= before.value + 1)
      alike = middle + 1;
    else
      end = middle;
  }
  return alike == 0 ? seq_no{0} : seq_no{in_both[alike - 1].value - 1};
}

/// Where one was made of the other at, by its note, if the chains say the same.
seq_no common_by_note(const two_journals& both, const world_place& noted, seq_no before) {
  const auto note = read_origin(noted.files, noted.directory);
  if (!note || note->at > before) return {};
  auto a = find_cut(both.a.files, both.a.directory, both.world, note->at);
  auto b = find_cut(both.b.files, both.b.directory, both.world, note->at);
  return a && b && a->entry_frame == b->entry_frame ? note->at : seq_no{};
}

/// The next frame with entries; seals may be in one journal alone.
result<std::optional<journal_frame>> next_entries(segment_walk& walk) {
  for (;;) {
    auto frame = walk.next();
    if (!frame || !*frame || !(*frame)->prefix.seal) return frame;
  }
}

} // namespace

result<seq_no> find_common(const world_place& a, const world_place& b, const world_id& world,
                           seq_no before) {
  ensure(!(a == b), "two journals have something in common");
  const two_journals both{.world = world,
                          .a = {a.files, journal_directory(a.directory)},
                          .b = {b.files, journal_directory(b.directory)}};
  auto common = common_by_heads(both, before);
  if (!common) return common;
  for (const world_place* noted : {&a, &b})
    common = std::max(*common, common_by_note(both, *noted, before));
  auto first =
      named_side(segment_walk::open(a.files, both.a.directory, world, seq_no{0}), a.directory);
  if (!first) return propagate(first);
  auto second =
      named_side(segment_walk::open(b.files, both.b.directory, world, seq_no{0}), b.directory);
  if (!second) return propagate(second);
  if (auto ok = named_side(first->seek(common->next()), a.directory); !ok) return propagate(ok);
  if (auto ok = named_side(second->seek(common->next()), b.directory); !ok) return propagate(ok);
  while (*common < before) {
    auto frame = named_side(next_entries(*first), a.directory);
    if (!frame) return propagate(frame);
    auto other = named_side(next_entries(*second), b.directory);
    if (!other) return propagate(other);
    if (!*frame || !*other || (*frame)->hash != (*other)->hash) break;
    common = last_seq((*frame)->prefix);
  }
  return std::min(*common, before);
}

} // namespace mneme

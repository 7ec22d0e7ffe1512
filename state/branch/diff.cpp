#include "state/branch/diff.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "journal/journal_cut.hpp"
#include "messages/ensure.hpp"
#include "state/branch/branch_point.hpp"
#include "state/branch/named_side.hpp"
#include "state/branch/shared_past.hpp"
#include "state/branch/side_changes.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/erased_note.hpp"
#include "state/recovery/entry_check.hpp"
#include "state/recovery/verify.hpp"

namespace mneme {

namespace {

struct opened_side {
  file_system& files;
  std::string directory;
  world_file info;
  seq_no at;
  std::optional<digest> root;
  std::string_view key; ///< by which it was asked for as of that
};

result<opened_side> open_side(const diff_place& place) {
  const auto& [files, side] = place;
  auto info = read_world_file(files, side.directory);
  if (!info) return propagate(info);
  if (auto ok = check_journal_reaches_checkpoint(files, side.directory, info->id); !ok)
    return propagate(ok);
  const auto point = branch_point(files, side.directory, info->id, side.at_seq, side.at);
  if (!point) return std::unexpected(point.error());
  auto cut = find_cut(files, journal_directory(side.directory), info->id, *point);
  if (!cut) return propagate(cut);
  return opened_side{files,   side.directory, std::move(*info),
                     cut->at, cut->root,      side.at ? "at" : "at_seq"};
}

result<side_changes> changes_of(const opened_side& side, seq_no common) {
  side_changes changes;
  changes.totals.at = side.at;
  changes.totals.root = side.root;
  auto elsewhere = read_erased_elsewhere(side.files, side.directory);
  if (!elsewhere) return propagate(elsewhere);
  changes.elsewhere = std::move(*elsewhere);
  if (side.at == common) return changes;
  auto walked =
      read_journal(side.files, journal_directory(side.directory), side.info.id, common.next(), true,
                   [&](const journal_frame& frame) -> result<bool> {
                     if (frame.prefix.trimmed_by > side.at)
                       return fail(errc::seq_unavailable,
                                   fmt::format("history up to seq {} was trimmed by "
                                               "entry {}: take that or a later one",
                                               side.at.value, frame.prefix.trimmed_by.value),
                                   std::string(side.key));
                     auto entries = open_entries(frame, side.at);
                     if (!entries) return propagate(entries);
                     for (const entry& e : *entries)
                       if (e.header.seq > common) changes.take(e);
                     return last_seq(frame.prefix) < side.at;
                   });
  if (!walked) return propagate(walked);
  return changes;
}

/// What one side has of a thing that the other has changed, or both have.
template <class Changed>
struct pair_of {
  const Changed* a = nullptr;
  const Changed* b = nullptr;

  [[nodiscard]] const Changed& known() const { return a != nullptr ? *a : *b; }
  /// As each side has it: a side that has not changed it has it as it was before.
  [[nodiscard]] auto now_a() const { return a != nullptr ? now(*a) : b->before; }
  [[nodiscard]] auto now_b() const { return b != nullptr ? now(*b) : a->before; }
  /// Both have come to the same, as where one is a copy whose frames are cut otherwise.
  [[nodiscard]] bool agrees() const { return a != nullptr && b != nullptr && a->leaf == b->leaf; }

private:
  static auto now(const Changed& c) { return decltype(c.before)(c.now); }
};

/// Visits the keys of both in order; false once the visitor has returned that.
template <class Key, class Changed, class Visit>
bool for_each_pair(const std::map<Key, Changed>& a, const std::map<Key, Changed>& b, Visit visit) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool has_a = i != a.end() && (j == b.end() || i->first <= j->first);
    const bool has_b = j != b.end() && (i == a.end() || j->first <= i->first);
    ensure(has_a || has_b, "one of them is next");
    const Key& key = has_a ? i->first : j->first;
    if (!visit(key, pair_of<Changed>{has_a ? &i->second : nullptr, has_b ? &j->second : nullptr}))
      return false;
    if (has_a) ++i;
    if (has_b) ++j;
  }
  return true;
}

/// What a memory is found by came anew, its vector or of a topic the text of its fields: the fields
/// are told of, and the memory says what it said.
bool is_found_anew(const changed_memory* m) {
  return m == nullptr || m->now.changes == std::vector{std::string(to_string(entry_kind::embed))};
}

class difference_walk {
public:
  difference_walk(const side_changes& a, const side_changes& b, diff_report& report,
                  const std::function<bool(const difference&)>& visit)
      : a_(a), b_(b), report_(report), visit_(visit) {}

  void run() { (void)(memories() && fields() && edges() && saliences() && uses()); }

private:
  /// A side that has not changed a memory may have lost what it said to the other one's erasure.
  static void note_erased(const side_changes& of, const changed_memory* changed,
                          std::optional<memory_side>& side, const memory_id& id) {
    if (changed == nullptr && side) side->erased = of.elsewhere.memories.contains(id);
  }
  bool memories() {
    return for_each_pair(a_.memories, b_.memories, [&](const memory_id& id, const auto& both) {
      if (both.agrees() || (is_found_anew(both.a) && is_found_anew(both.b))) return true;
      memory_difference d{.id = id,
                          .type = both.known().type,
                          .actor = both.known().actor,
                          .a = both.now_a(),
                          .b = both.now_b()};
      note_erased(a_, both.a, d.a, id);
      note_erased(b_, both.b, d.b, id);
      if (d.a && d.b && d.a->erased && d.b->erased) return true; // nothing is left to differ
      ++(!d.b ? report_.only_a : !d.a ? report_.only_b : report_.changed);
      return visit_(d);
    });
  }
  bool fields() {
    return for_each_pair(a_.fields, b_.fields, [&](const field_key& key, const auto& both) {
      return both.agrees()
             || visit_(field_difference{key.topic, key.name, both.now_a(), both.now_b()});
    });
  }
  bool edges() {
    return for_each_pair(a_.edges, b_.edges, [&](const edge_key& key, const auto& both) {
      return both.agrees() || visit_(edge_difference{key, both.now_a(), both.now_b()});
    });
  }
  bool saliences() {
    return for_each_pair(
        a_.saliences, b_.saliences, [&](const salience_key& key, const auto& both) {
          const salience_difference d{key.id, key.is_strength, both.now_a(), both.now_b()};
          return (d.a && d.a == d.b) || visit_(d);
        });
  }
  bool uses() {
    std::map<memory_id, use_difference> found;
    for (const auto& [id, count] : a_.uses) found[id].a = count;
    for (const auto& [id, count] : b_.uses) found[id].b = count;
    return std::ranges::all_of(found, [&](auto& item) {
      item.second.id = item.first;
      return item.second.a == item.second.b || visit_(item.second);
    });
  }

  const side_changes& a_;
  const side_changes& b_;
  diff_report& report_;
  const std::function<bool(const difference&)>& visit_;
};

/// Whether all leaves up to a side's end fold to the root that its journal records there.
result<std::optional<bool>> folds(const opened_side& side) {
  if (!side.root) return std::nullopt;
  auto roots = fold_roots(side.files, side.directory, side.at);
  if (!roots) return propagate(roots);
  return roots->overall == *side.root;
}

} // namespace

result<diff_report> diff_files(file_system& files, const diff_side& a, const diff_side& b,
                               const diff_options& options,
                               const std::function<bool(const difference&)>& visit) {
  return diff_files({files, a}, {files, b}, options, visit);
}

result<diff_report> diff_files(const diff_place& a, const diff_place& b,
                               const diff_options& options,
                               const std::function<bool(const difference&)>& visit) {
  auto first = named_side(open_side(a), a.side.directory);
  if (!first) return propagate(first);
  auto second = named_side(open_side(b), b.side.directory);
  if (!second) return propagate(second);
  if (first->info.id != second->info.id)
    return fail(errc::bad_value, first->directory + " and " + second->directory
                                     + " are no branches of one world: nothing is common to them");
  const seq_no most = std::min(first->at, second->at);
  const world_place of_first{first->files, first->directory};
  const world_place of_second{second->files, second->directory};
  auto common = of_first == of_second ? result<seq_no>(most)
                                      : find_common(of_first, of_second, first->info.id, most);
  if (!common) return propagate(common);
  ensure(*common <= most, "what both have is behind neither's end");
  auto changes_a = named_side(changes_of(*first, *common), first->directory);
  if (!changes_a) return propagate(changes_a);
  auto changes_b = named_side(changes_of(*second, *common), second->directory);
  if (!changes_b) return propagate(changes_b);
  diff_report report;
  report.common = *common;
  report.a = changes_a->totals;
  report.b = changes_b->totals;
  report.leaves_agree = changes_a->leaves_agree() && changes_b->leaves_agree();
  if (options.fold_roots) {
    auto of_a = named_side(folds(*first), first->directory);
    if (!of_a) return propagate(of_a);
    auto of_b = named_side(folds(*second), second->directory);
    if (!of_b) return propagate(of_b);
    if (*of_a && *of_b) report.roots_agree = **of_a && **of_b;
  }
  difference_walk(*changes_a, *changes_b, report, visit).run();
  return report;
}

} // namespace mneme

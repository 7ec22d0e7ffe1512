#pragma once
/// Where importers put what they read: compares it with what the world has, so that only changes
/// are written, in batches that are all or none.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "mneme/engine.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_colours.hpp"
#include "tools/import/import_report.hpp"
#include "tools/import/returned_ids.hpp"

namespace mneme::importing {

/// Which parts of a head the source decides. The others are left as they are in the world, so that
/// an import does not undo what was changed here. Metadata is merged: the source's keys win.
struct source_keys {
  bool tags = false;
  bool frames = false;
  bool importance = false;
  bool visibility = false;
  bool lifecycle = false;
  bool created_at = false; ///< of the version
};

/// How an import writes all that it writes.
struct import_manner {
  bool colours = true;
  /// Of what does not say itself whose word it is. Absent: what is there keeps what it says.
  std::optional<mneme::source_class> source_class{};
  /// What was erased here comes back, under the ids that follow from those it had (returned_ids).
  bool brings_back_erased = false;
};

import_manner manner_of(const import_request& request);

class import_sink {
public:
  /// Borrows both.
  import_sink(engine& target, import_report& report, const import_manner& how = {})
      : engine_(target), report_(report), how_(how), ids_(target, how.brings_back_erased) {}

  /// The id under which the world has, or would get, what the source knows as `id`. put(),
  /// remove(), was_removed() and sources_of() ask by themselves.
  result<memory_id> id_here(const memory_id& id) { return ids_.of(id); }
  result<place_here> place_of(const memory_id& id) { return ids_.place_of(id); }
  /// Takes those out that were erased of the topic, unless they are to come back.
  result<void> leave_out_erased(const memory_id& topic, std::vector<field_input>& fields);

  /// `request` must have an id. Written if the id is new, updated where the content differs.
  /// `where` (file:line, or a path) leads the message of an error. What is new is coloured, where
  /// `colour` is given and has words enough; the colour of what is there is fixed.
  result<void> put(write_request request, const source_keys& keys, std::string where,
                   const std::optional<colour_source>& colour = {});
  /// The same under a key, and without an id.
  result<void> put(memory_key key, write_request request, const source_keys& keys,
                   std::string where);
  /// An edge that exists, also a tombstoned one, is left as it is; at what was erased there is
  /// none.
  result<void> put(add_edge_request request, std::string where);
  /// Hands a mutation of `id` on without a comparison, an ingest with the source class; `count`
  /// (may be null) goes up if it changed something.
  result<void> put_as_is(mutation request, const memory_id& id, std::string where,
                         std::uint64_t import_report::* count);
  /// Tombstones a live memory. False if there was none.
  result<bool> remove(const memory_id& id, std::string_view reason, std::string where);
  /// Whether there is such a memory, or was one.
  result<bool> knows(const memory_id& id);
  /// Whether a memory was tombstoned with a reason that starts so.
  result<bool> was_removed(const memory_id& id, std::string_view reason_prefix);
  /// The live memories that have a live edge of this type to `dst`.
  result<std::vector<memory>> sources_of(const memory_id& dst, edge_type type);
  /// Writes what is left. Nothing is written after an error.
  result<void> flush();

private:
  struct pending {
    mutation request;
    std::string where;
    std::uint64_t import_report::* count;
  };

  /// What it names is what is there now.
  result<void> rename(write_request& request);
  result<void> push(mutation request, std::string where, std::uint64_t import_report::* count);
  result<void> give_colour(write_request& request, const colour_source& colour,
                           const std::string& where);
  result<void> put_changes(const memory& existing, write_request&& request, const source_keys& keys,
                           const std::string& where);

  engine& engine_;
  import_report& report_;
  import_manner how_;
  returned_ids ids_;
  std::optional<import_colours> colours_; ///< read when the first memory wants one
  std::vector<pending> pending_;
  std::set<memory_id> pending_ids_; ///< their state in the world is about to change
  std::set<memory_key> pending_keys_;
};

/// The error with its place in the source in front.
error located(error e, const std::string& where);

} // namespace mneme::importing

#pragma once
/// Find, the typed query: what is asked and what is answered.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mneme/past_marks.hpp"
#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Literal of a predicate. Times may come as text or int64; they are read by the field's kind.
using literal = std::variant<std::string, std::int64_t, double, bool>;

enum class comparison : std::uint8_t { eq, ne, gt, gte, lt, lte };

struct predicate;

struct compare_predicate {
  comparison op{};
  std::string field; ///< head.*, version.*, data.*, meta.*
  literal value;
};
struct in_predicate {
  std::string field;
  std::vector<literal> values;
};
struct has_tag_predicate {
  std::string tag;
};
/// RE2 syntax, unanchored, text fields only.
struct matches_predicate {
  std::string field;
  std::string pattern;
};
struct and_predicate {
  std::vector<predicate> items; ///< empty is true
};
struct or_predicate {
  std::vector<predicate> items; ///< empty is false
};
struct not_predicate {
  std::shared_ptr<const predicate> item; ///< never null
};
struct predicate {
  std::variant<compare_predicate, in_predicate, has_tag_predicate, matches_predicate, and_predicate,
               or_predicate, not_predicate>
      node;
};

enum class order_field : std::uint8_t {
  salience,
  version_created_at,
  head_last_updated_at,
  head_declared_importance,
  near_distance,
  hop,
  head_created_at,
  head_id, ///< decides for good
};
struct order_by {
  order_field field{};
  bool descending = false;
};

enum class form_kind : std::uint8_t { short_form, medium, full };
enum class rank_kind : std::uint8_t { salience, distance };
enum class edge_direction : std::uint8_t { out, in, both };

// Every member below has an initialiser, so that a request can be written with designated ones.

/// Graph traversal from `find_request::from`. Numbers are signed so that bad ones are reported.
struct follow_spec {
  std::vector<edge_type> types{}; ///< empty = any
  edge_direction direction = edge_direction::out;
  std::int64_t min_hops = 1;
  std::int64_t max_hops = 1; ///< at most 6
  bool include_tombstoned = false;
  std::int64_t max_visited = 100'000;
};

struct find_request {
  std::vector<memory_type> types{}; ///< union; empty = any
  std::optional<predicate> where{};
  std::vector<mneme::order_by> order{};
  std::optional<std::int64_t> limit{};
  std::int64_t offset = 0;
  std::optional<std::int64_t> budget_tokens{};
  std::optional<form_kind> form{};
  std::optional<std::string> near{}; ///< text, embedded by the world's embedder
  std::optional<memory_uri> near_uri{};
  std::optional<std::vector<float>> near_vector{};
  /// How many of the nearest there are to choose from: at least a page. Default: four pages; where
  /// the budget is the only bound as many as fit it, and at least the nearest 16.
  std::optional<std::int64_t> near_k{};
  std::optional<rank_kind> rank{};
  std::optional<memory_id> from{};
  std::optional<follow_spec> follow{};
  std::optional<timestamp> as_of{}; ///< valid time
  std::optional<seq_no> at_seq{};   ///< journal position
  /// What salience has faded by, and what has ended by; default: the clock, with at_seq the time of
  /// that entry.
  std::optional<timestamp> now{};
  bool include_tombstoned = false;
  bool include_archived = false; ///< lifecycle status archived, and what is superseded
  /// Also what no longer holds: what has ended, what a newer memory supersedes or replaces, and
  /// what was tombstoned as superseded. A walk (`from`) without near leaves out neither of the
  /// first two.
  bool include_ended = false;
  std::optional<double> min_trust{}; ///< in [0,1]: leaves out what is trusted less (standing)
  std::optional<bool> stale{};       ///< only what is stale, or what is not (standing)
  bool late_binding = false;
  bool exact = false; ///< force the exact scan for near
  bool count = false; ///< compute `total`
  bool explain = false;
  std::optional<std::string> actor{};          ///< who is asking; absent or "" = the host, sees all
  std::shared_ptr<const mneme::scope> scope{}; ///< shows what it opens, and nothing else
  std::optional<std::int64_t> deadline_ms{};
};

enum class near_mode : std::uint8_t { exact, hnsw };

/// One stage of the plan as explain shows it.
struct plan_stage {
  std::string name;         ///< bfs, near, tag, type, filter, order, fetch, trim, touch
  std::string detail;       ///< what it worked on
  std::uint64_t in = 0;     ///< candidates that entered
  std::uint64_t out = 0;    ///< candidates that left
  std::int64_t time_ns = 0; ///< zero when the engine has no real clock
};

struct query_plan {
  std::string driver;    ///< bfs, near, tags, types, visible (what the asker may see)
  std::string predicate; ///< canonical text of `where`
  std::vector<plan_stage> stages;
};

struct find_result {
  std::vector<memory> memories;
  std::vector<past_marks> past;      ///< of each of them; a walk judges its own, too
  std::vector<std::string> rendered; ///< empty when nothing is rendered
  /// Of each topic what its fields hold, in one line; only where nothing is rendered. A text that
  /// is rendered in another form than short ends with it.
  std::vector<std::string> told{};
  std::vector<std::int64_t> rendered_tokens; ///< as rendered
  std::vector<double> scores;                ///< salience, from before the touch
  std::vector<double> distances;             ///< empty without near
  std::vector<std::int64_t> hops;            ///< empty without from
  std::vector<std::optional<edge_key>> via;  ///< the edge a row was reached by; empty without from
  std::int64_t trimmed_by_budget = 0;
  std::int64_t candidates_scanned = 0;
  std::optional<std::int64_t> total; ///< only with `count`
  std::optional<form_kind> form;     ///< absent when nothing is rendered
  bool form_defaulted = false;
  bool truncated = false; ///< the walk stopped at max_visited
  seq_no at_seq;
  std::optional<mneme::near_mode> near_mode;
  std::optional<query_plan> plan;
  std::optional<seq_no> seq; ///< of the find_late entry, with late_binding
};

} // namespace mneme

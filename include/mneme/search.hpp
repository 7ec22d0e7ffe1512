#pragma once
/// Search: one question over memories and chunks, for an agent that does not know where something
/// is. Read-only and idempotent: it reinforces nothing.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/query.hpp"
#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// How the parts of a score weigh. A world is made with its own, and may be given others
/// (set_weights_request).
///
/// The score of a row in its leg is  vector·cosine + text·bm25  (cosine at least 0; bm25 divided by
/// the largest one among the rows that pass), plus  neighbours  times the best such score right
/// before it and the best right after it, along edges of type related_to and kind "next" or
/// "answer", plus  answers  times the best right before it along those of kind "answer", which lead
/// from what asks to what answers it. A query without a vector has bm25 alone, at weight 1.
/// Memories of the window then gain  dates  where the query names the time of their created_at, and
/// speakers  where it names who said them (their tag "speaker:NAME").
struct search_weights {
  double vector = 0.8;     ///< >= 0
  double text = 0.2;       ///< >= 0
  double k1 = 1.2;         ///< of BM25, >= 0
  double b = 0.75;         ///< of BM25, in [0,1], where documents have `long_length` terms and more
  double b_short = 0.75;   ///< where the documents searched have `short_length` terms and fewer
  double short_length = 0; ///< in terms, on average; in between b is interpolated
  double long_length = 1;  ///< above short_length
  double function_words = 0.3; ///< in [0,1]: what a function word ("the", "why") keeps of its idf
  double common_words = 10;    ///< >= 0: a word that n of N have keeps 1 / (1 + common_words·n/N)
  double neighbours = 0;       ///< >= 0
  double answers = 0;          ///< >= 0
  double dates = 0;            ///< >= 0
  double speakers = 0;         ///< >= 0
  double least_match = 0;      ///< in [0,1]: where no hit has it, there is no good match
  /// In [0,1]: of hits that say the same, the newer goes first if it has this share of the older's
  /// raw score; 0 is never.
  double newer = 0;
  bool relative = false; ///< divide cosines by the largest one, as bm25 is

  friend bool operator==(const search_weights&, const search_weights&) = default;
};
/// What a world has unless it was made with others: tuned ones with an embedder, those above
/// without.
search_weights default_search_weights(std::string_view embedder_spec);
/// `text` as "name=number,…" (names as in the struct; relative is 0 or 1) over the defaults of the
/// embedder. bad_value or out_of_range, at "search".
result<search_weights> parse_search_weights(std::string_view text, std::string_view embedder_spec);
/// The same over `base`; errors are at "weights".
result<search_weights> change_search_weights(search_weights base, std::string_view text);
std::string to_string(const search_weights& w);

/// What searches weigh by unless they say otherwise, as of a seq.
struct world_weights {
  search_weights weights;
  /// The entry that set them, when, and who did; absent: none did, and the world was made with
  /// them. An entry may also say that those hold again (`is_reset`).
  std::optional<seq_no> since;
  timestamp set_at;
  std::string set_by;
  bool is_reset = false;
  seq_no at_seq;
};

/// Raised by whatever changes which rows a door answers with, their order or their scores: of
/// receipts, which are equal where it is.
inline constexpr std::int64_t ranking_version = 9;

enum class search_source : std::uint8_t { all, memory, content };
enum class search_sort : std::uint8_t { automatic, relevance, recency, hybrid, updated };
enum class search_audience : std::uint8_t { personal, work, all };
enum class sibling_mode : std::uint8_t { automatic, always, never };
/// A lifecycle status, or overdue: due before now and open, waiting or scheduled.
enum class search_status : std::uint8_t {
  open = 1,
  waiting,
  scheduled,
  resolved,
  expired,
  archived,
  overdue,
};
enum class chunk_source : std::uint8_t { github, local };

/// The tag of topics that tell of an import and of nothing else: how many turns, files and authors
/// there were. Search leaves such a Topic out unless it is asked for.
inline constexpr std::string_view overview_tag = "import:overview";

struct search_request {
  std::string query{}; ///< not blank, unless memory_ids are given
  std::int64_t limit = 10;
  search_source source = search_source::all;
  std::optional<std::vector<memory_id>> memory_ids{}; ///< look these up; the query is ignored
  bool include_lineage = false;                       ///< with memory_ids only
  // The memory leg.
  std::optional<memory_type> type{}; ///< not chunk
  std::optional<std::string> project{};
  std::optional<search_status> status{};
  std::optional<timestamp> due_after{};  ///< inclusive
  std::optional<timestamp> due_before{}; ///< inclusive
  std::optional<lifecycle_origin> origin{};
  std::optional<std::string> tag{};
  search_sort sort = search_sort::automatic;
  bool include_archived = false;  ///< and what a newer memory supersedes or replaces
  bool include_ended = false;     ///< also what no longer holds: ended, superseded or replaced
  bool include_overviews = false; ///< also topics with overview_tag; so does asking for that tag
  /// In [0,1]: leaves out what is trusted less, in both legs (memory_standing).
  std::optional<double> min_trust{};
  /// In both legs: only what is stale, or what is not (memory_standing).
  std::optional<bool> stale{};
  /// In both legs: what was valid then, and not what is now; what began later hides nothing.
  std::optional<timestamp> as_of{};
  sibling_mode include_siblings = sibling_mode::automatic; ///< echoed
  bool atomic_only = false;                                ///< never runs the content leg
  std::optional<search_audience> audience{};               ///< default: the engine's, if any
  bool include_metadata = false;                           ///< how the answer came about
  // The content leg.
  std::optional<std::string> source_filter{}; ///< substring of the path
  std::optional<chunk_source> content_source{};
  bool include_low_relevance = false; ///< no floor under the raw scores of chunks
  /// In [0,1], under scores, but not under what has about as much as the best of its window; where
  /// it is above 0, an answer without a good match is empty. 0 = none.
  double similarity_floor = 0.1;
  std::optional<std::vector<float>> vector{}; ///< of the query; default: embedded
  std::optional<std::int64_t> budget_tokens{};
  std::optional<form_kind> form{};             ///< render hits; default medium with budget_tokens
  bool explain = false;                        ///< the parts of each score
  std::optional<std::string> weights{};        ///< "name=number,…" instead of the world's
  std::optional<std::string> actor{};          ///< who is asking; absent or "" = the host, sees all
  std::shared_ptr<const mneme::scope> scope{}; ///< shows what it opens, and nothing else
  std::optional<seq_no> at_seq{};
  /// What "yesterday" and age count from, and what has ended by; default: the clock, with at_seq
  /// the time of that entry.
  std::optional<timestamp> now{};
  std::optional<std::int64_t> deadline_ms{};
};

/// The parts of a hit's raw score, before weights.
struct score_parts {
  double vector = 0;     ///< cosine, relative where the weights say so
  double text = 0;       ///< bm25 over the largest
  double neighbours = 0; ///< best score right before plus best right after
  double answers = 0;    ///< best score of what it answers
  double dates = 0;      ///< 1 where the query names its time
  double speakers = 0;   ///< 1 where the query names who said it
  double recency = 0;    ///< 0.5^(age / 90 days)
};

struct lineage_item {
  memory_uri uri;
  std::string title;
  std::optional<lifecycle_status> status;
};
/// What a Decision replaced, oldest first, and what replaced it, by id; through `replaces`.
struct search_lineage {
  std::vector<lineage_item> ancestors;
  std::vector<lineage_item> descendants;
  bool truncated = false; ///< there is more than 10 steps away
};

struct search_hit {
  memory_uri uri;
  double score = 0;     ///< in [0,1] over its leg's window
  double raw_score = 0; ///< of the leg, before a hybrid mix
  /// How much of the question it has, in [0,1], whatever else was found: the larger of its share
  /// of the question's words, and of 0.8 times its cosine. 1 of what is looked up.
  double match = 0;
  std::string path; ///< of a chunk
  std::int64_t chunk_index = 0;
  std::string title;   ///< short form
  std::string content; ///< the first 600 bytes of what is searched (docs/SEARCH.md, "Text")
  std::string field{}; ///< of a topic: the field that has most of the question's words
  bool truncated = false;
  std::optional<lifecycle_status> status;
  bool overdue = false;
  bool ended = false;                  ///< by valid_until or expires_at, at as_of or now
  bool superseded = false;             ///< something took its place, as the asker sees it
  std::optional<memory_id> older_of{}; ///< says the same, is newer and ranks before it
  std::optional<timestamp> due_date;
  std::optional<lifecycle_audience> audience;
  std::string project;
  std::vector<std::string> tags;
  metadata_map metadata;
  timestamp created_at;
  timestamp updated_at;
  memory_standing standing;
  bool trust_told = false; ///< its content says how far it is trusted, or whose word it is
  std::optional<mneme::source_class> source_class;
  std::optional<search_lineage> lineage;
  std::optional<score_parts> parts;    ///< with explain
  std::optional<std::string> rendered; ///< with form or budget_tokens
  std::int64_t tokens = 0;             ///< of what is rendered
};

/// candidates = below_floor + cut + returned.
struct leg_coverage {
  std::int64_t searched = 0;        ///< rows that the asker sees and the filters pass
  std::int64_t candidates = 0;      ///< of them, in the window
  std::int64_t below_floor = 0;     ///< candidates under a floor
  std::int64_t cut = 0;             ///< candidates past limit, budget, or two of one path
  std::int64_t promoted_hidden = 0; ///< chunks found as the memory they became; not in searched
  std::int64_t ended = 0;           ///< left out for having ended alone; not in searched
  std::int64_t distrusted = 0;      ///< left out for their trust alone; not in searched
  std::int64_t superseded = 0;      ///< left out for what took their place alone; not in searched
  std::int64_t overviews = 0;       ///< left out for telling of an import alone; not in searched
  std::int64_t returned = 0;
  std::int64_t indexed_sources = 0; ///< paths with a chunk that the asker sees
};

struct search_coverage {
  leg_coverage memory;
  leg_coverage content;
  std::vector<std::string> requested_sources_not_found;
  std::vector<memory_id> not_found_ids;
  double best_match = 0; ///< of all candidates but chunks of low relevance or too many of a path
  std::vector<std::string> notes;
};

/// How the answer came about, with include_metadata.
struct search_metadata {
  search_weights weights;
  std::vector<std::string> terms; ///< of the query
  /// The query without function words and names of who speaks, which say nothing of what is looked
  /// for. Empty where it asks for what somebody said or what was at a time, whatever that was, and
  /// where nothing is left of it.
  std::string telling{};
  bool has_vector = false; ///< the query had one
  std::int64_t window = 0; ///< rows kept of each leg
};

struct search_result {
  std::string query;
  std::vector<search_hit> results;
  std::optional<search_audience> applied_audience;
  search_source source = search_source::all;
  search_sort sort = search_sort::relevance; ///< what auto meant
  double similarity_floor = 0;
  sibling_mode include_siblings = sibling_mode::automatic;
  search_coverage coverage;
  std::optional<search_metadata> metadata;
  std::optional<form_kind> form; ///< absent when nothing is rendered
  std::int64_t tokens = 0;       ///< of all that is rendered
  /// Why a remote embedder gave the query no vector: the answer then comes by words alone, as if
  /// the world had no embedder. Empty = it gave one, or was not asked.
  std::string embedder_problem;
  seq_no at_seq;
  std::optional<seq_no> seq; ///< never set: a search writes nothing
};

} // namespace mneme

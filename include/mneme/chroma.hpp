#pragma once
/// Chroma, the door by colour: a set of hashtags is a point in L*a*b*, and memories near it are
/// ranked by nearness, recency and strength. docs/CHROMA.md explains it with an example.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mneme/error.hpp"
#include "mneme/past_marks.hpp"
#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// How many anchors of each zone a set of hashtags names.
struct hashtag_counts {
  std::size_t core = 0;
  std::size_t mid = 0;
  std::size_t outer = 0;

  [[nodiscard]] std::size_t total() const { return core + mid + outer; }
  friend bool operator==(const hashtag_counts&, const hashtag_counts&) = default;
};

/// Why a set of hashtags has no colour; unknown tags are reported first.
enum class hashtag_problem : std::uint8_t {
  unknown_tag = 1, ///< a hashtag that is not assigned
  no_core,         ///< at least one Core anchor
  no_outer,        ///< at least one Outer anchor
  too_few,         ///< at least 8 anchors
  mid_ratio,       ///< at least 65 % of them Mid
};
std::string_view to_string(hashtag_problem v) noexcept;

/// What a bad_hashtags error says to programs; read from the error's text.
struct hashtag_refusal {
  hashtag_problem reason{};
  hashtag_counts counts;
};
std::optional<hashtag_refusal> hashtag_refusal_of(const error& e);

/// `node_` and the first 12 hex digits of SHA-256 over the three coordinates as big-endian f64
/// (-0 as +0): one name for one point, whatever memories are there.
std::string node_id_of(double L, double a, double b);

/// A set of hashtags as a point.
struct colour_point {
  double L = 0; ///< 0..100
  double a = 0; ///< -128..127
  double b = 0; ///< -128..127
  std::string node_id;
  hashtag_counts counts;
};

/// All three in [0,1]; their sum is 1 within 1e-6.
struct score_weights {
  double relevance = 0;
  double recency = 0;
  double strength = 0;

  friend bool operator==(const score_weights&, const score_weights&) = default;
};

/// One condition on a metadata value. A missing key passes none.
struct metadata_filter {
  std::vector<scalar> any_of; ///< the value equals one of these; empty = no such condition
  std::optional<scalar> gte;  ///< numbers with numbers, text with text (bytewise)
  std::optional<scalar> gt;
  std::optional<scalar> lte;
  std::optional<scalar> lt;
  std::optional<scalar> contains; ///< substring of a text, element of a list
};
using metadata_filters = std::map<std::string, metadata_filter, std::less<>>;

/// Both ends inclusive; an absent end is open.
struct time_range {
  std::optional<timestamp> start;
  std::optional<timestamp> end;

  friend bool operator==(const time_range&, const time_range&) = default;
};

struct chroma_request {
  std::vector<std::string> hashtags{};        ///< exclusive with `text`, but for knowledge_patch
  std::optional<std::string> text{};          ///< read by the profile
  std::optional<std::int64_t> k{};            ///< >= 1; default: the engine's, 5
  std::optional<double> max_distance{};       ///< >= 0, inclusive
  std::optional<time_range> temporal_range{}; ///< created or last accessed inside
  metadata_filters filters{};
  std::optional<bool> include_rotten{};
  bool include_ended = false;                  ///< also what no longer holds: ended, or superseded
  std::optional<score_weights> weights{};      ///< default: the engine's, else those of each mode
  std::optional<std::string> profile{};        ///< default: the engine's, else "default"
  std::optional<bool> touch{};                 ///< default: true, false with at_seq or read-only
  bool approximate = false;                    ///< score the 3k nearest only
  std::optional<std::string> actor{};          ///< who is asking; absent or "" = the host, sees all
  std::shared_ptr<const mneme::scope> scope{}; ///< shows what it opens, and nothing else
  std::optional<seq_no> at_seq{};
  std::optional<std::int64_t> deadline_ms{};
};

/// One memory found. Values are from before the touch.
struct chroma_row {
  mneme::memory memory;     ///< with its colour and signals
  std::string label;        ///< data.label, else the short form
  double distance = 0;      ///< Euclidean, in L*a*b*
  double relevance = 0;     ///< exp(-distance / 20)
  double recency = 0;       ///< exp(-days since last access / tau_rec of the mode)
  double strength_norm = 0; ///< s / (s + 5)
  double health = 0;        ///< exp(-days since last access / tau_decay of the mode)
  double score = 0;         ///< in [0,1]
  past_marks past{};        ///< of what no longer holds, where that is asked for
};

struct chroma_result {
  colour_point point;
  std::vector<chroma_row> rows;      ///< score descending, distance ascending, id ascending
  std::vector<std::string> hashtags; ///< as they were understood
  std::string profile;
  std::map<std::string, std::string, std::less<>> notes; ///< what a profile says about its answer
  std::map<std::string, double, std::less<>> traits;     ///< numbers that a profile adds
  std::int64_t candidates_scanned = 0;
  seq_no at_seq;
  /// Of the reinforce entry, if something was touched and its entry is made already.
  std::optional<seq_no> seq;
};

/// What a profile may ask of the engine while it reads a text.
struct profile_context {
  timestamp now;
  /// Assigned hashtags in a text, in the order of their first occurrence.
  std::function<std::vector<std::string>(std::string_view)> suggest;
};

/// A way to ask in one's own words. Implementations are thread-safe and pure: the same text at the
/// same time gives the same request.
class query_profile {
public:
  virtual ~query_profile() = default;
  /// True if a request may give hashtags beside its text.
  [[nodiscard]] virtual bool takes_hashtags() const;
  /// Fills what `request.text` says into the request, whose explicit keys win. A text that cannot
  /// be read is query_profile_error.
  [[nodiscard]] virtual result<void> parse_input(chroma_request& request,
                                                 const profile_context& context) const = 0;
  /// Changes the rows of the answer; what was touched stays touched.
  virtual void post_process(chroma_result& answer, const chroma_request& request) const;
  /// True if custom_scoring() is to be blended in: score = 0.7 score + 0.3 custom.
  [[nodiscard]] virtual bool has_custom_scoring() const;
  /// In [0,1]; what is outside is clamped.
  [[nodiscard]] virtual double custom_scoring(const chroma_row& row,
                                              const chroma_request& request) const;
};

/// Profiles by name; "default" and "knowledge_patch" are there from the start. Thread-safe: a host
/// keeps the pointer that it gave to engine_options and may add to it while the engine runs.
class profile_registry {
public:
  profile_registry();
  ~profile_registry();

  /// already_exists if the name is taken, bad_value for an empty one.
  result<void> add(std::string name, std::shared_ptr<const query_profile> profile);
  /// query_profile_error if there is no such profile.
  result<void> set_default(std::string_view name);
  [[nodiscard]] std::string default_name() const;
  /// Null if there is none of this name.
  [[nodiscard]] std::shared_ptr<const query_profile> find(std::string_view name) const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// When what chroma queries touch is reinforced.
enum class touch_mode : std::uint8_t {
  immediate, ///< each query is answered when its own reinforce entry is durable
  /// Queries are answered at once, and their touches become one reinforce entry: after 100 queries,
  /// or when 1 s of the engine's clock has passed and the next query or write comes; also before a
  /// tick, a decay cycle, a snapshot, a checkpoint, and when the engine closes. A crash takes those
  /// that wait. The touches of a tick's queries never wait.
  batched,
};

/// Engine-wide defaults of chroma requests. The physics (constants of the modes) cannot be set.
struct chroma_defaults {
  std::int64_t k = 5;
  std::optional<double> max_distance{};
  std::optional<score_weights> weights{};
  bool include_rotten = false;
  std::shared_ptr<profile_registry> profiles{}; ///< default: the built-in profiles
  touch_mode touches = touch_mode::immediate;
};

/// What a decay cycle changed.
struct decay_result {
  std::int64_t decayed = 0;  ///< rows whose strength fell
  std::int64_t ascended = 0; ///< rows that ascended
  std::int64_t rotten = 0;   ///< rows that became rotten
  seq_no seq;
};

} // namespace mneme

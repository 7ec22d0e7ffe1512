#pragma once
/// A validated predicate over flat nodes. It is tested on a row's columns first, which may leave
/// it open; an open one is tested on the whole record. Both give the same answer where both give
/// one. Errors are static: they depend on the predicate and the types asked, never on rows.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "index/columns/attributes.hpp"
#include "index/rows/node_table.hpp"
#include "mneme/query.hpp"
#include "query/predicate/field_reference.hpp"
#include "query/predicate/line_bounds.hpp"

namespace re2 {
class RE2;
}

namespace mneme {

inline constexpr std::size_t max_predicate_nodes = 1024;
inline constexpr std::size_t max_predicate_depth = 64;
/// Of RE2's programs, for all patterns together: some ten milliseconds to compile.
inline constexpr std::size_t max_pattern_steps = 1U << 18;
/// That one pattern and its automaton may take.
inline constexpr std::int64_t pattern_bytes = 2 << 20;

enum class verdict : std::uint8_t { no, yes, open };

/// A field's value on one row or record; kind none if it is absent there.
struct field_view {
  value_kind kind = value_kind::none;
  bool boolean = false;
  double number = 0;
  std::int64_t time_ns = 0;
  std::string_view text{};
  memory_id id{};
};

class compiled_predicate {
public:
  /// bad_field, type_mismatch, field_not_comparable, field_unknown, bad_regex, bad_time, bad_id,
  /// bad_utf8, out_of_range, limit_exceeded; `at` is the path below "where".
  static result<compiled_predicate> compile(const predicate& p, type_set types,
                                            const attributes& columns);
  compiled_predicate(compiled_predicate&&) noexcept;
  compiled_predicate& operator=(compiled_predicate&&) noexcept;
  ~compiled_predicate();

  /// Not const: remembers verdicts by actor. One caller at a time.
  [[nodiscard]] verdict test_columns(row_no row, const attributes& columns,
                                     const node_table& nodes);
  /// What every row that passes has in its line.
  [[nodiscard]] const line_bounds& bounds() const { return bounds_; }
  /// Does every row pass that is within the bounds?
  [[nodiscard]] bool bounds_are_all() const { return rest_.empty(); }
  /// The same as test_columns() for a row within the bounds.
  [[nodiscard]] verdict test_within_bounds(row_no row, const attributes& columns,
                                           const node_table& nodes) {
    return rest_.empty() ? verdict::yes : test_rest(row, columns, nodes);
  }
  [[nodiscard]] bool test_record(const memory& m) const;
  /// False if the columns always decide.
  [[nodiscard]] bool may_stay_open() const;
  /// True if some test needs columns beyond the line of the row.
  [[nodiscard]] bool reads_rest() const;
  /// Every row tested within bounds from now on has this tag, so that its has_tag at the top needs
  /// no look-up.
  void assume_tag(term_no tag);

private:
  enum class node_op : std::uint8_t {
    eq,
    ne,
    gt,
    gte,
    lt,
    lte,
    in,
    matches,
    has_tag,
    all_of,
    any_of,
    negate,
  };
  /// Literals by the kind they are read as, each list sorted.
  struct operand_lists {
    std::vector<double> numbers;
    std::vector<std::string> texts;
    std::vector<std::int64_t> times_ns;
    std::vector<memory_id> ids;
    bool has_true = false;
    bool has_false = false;
  };
  struct node {
    node_op op = node_op::any_of;
    field_reference field;
    operand_lists operands;
    std::unique_ptr<re2::RE2> pattern;
    std::string tag;
    term_no tag_term;
    std::shared_ptr<const posting_view> tagged; ///< rows that have the tag, or that of a namespace
    std::vector<std::uint32_t> children;
    std::vector<verdict> by_actor; ///< remembered verdicts of an actor field; open = not known yet
    std::uint32_t by_value = 0;    ///< of a field that has few values: which ones pass, as bits
  };
  class builder;
  /// 0: in the line of the row, 1: in its other columns, 2: in the record.
  static int cost_of(const node& n);

  compiled_predicate();
  verdict test_columns(node& n, row_no row, const attributes& columns, const node_table& nodes);
  verdict test_rest(row_no row, const attributes& columns, const node_table& nodes);
  static verdict test_field(const node& n, row_no row, const row_store& rows,
                            const node_table& nodes);
  static verdict test_actor(node& n, term_no actor, const attributes& columns);
  /// Which values of a field that has few pass.
  static std::uint32_t values_passing(const node& n);
  /// The whole numbers that pass; nullopt where they are no span.
  static std::optional<number_span> span_of(node_op op, std::int64_t operand);
  static number_span importance_passing(const node& n);
  /// Narrows the bounds by what the node asks, if they can say all of it.
  bool narrow_bounds(const node& n);
  /// Divides what all must hold between the bounds and the rest.
  void divide(std::uint32_t index);
  [[nodiscard]] bool test_record(const node& n, const memory& m) const;
  static bool test_value(const node& n, const field_view& value);
  template <class T, class List>
  static bool test_ordered(node_op op, const T& value, const List& operands);
  /// Does a value hold that stands so to its operand: below (-1), at (0) or above it (1)?
  static bool holds(node_op op, int sign);

  std::vector<node> nodes_; ///< children before parents; the root is the last
  line_bounds bounds_;
  std::vector<std::uint32_t> rest_; ///< nodes that must all hold, beside the bounds; cheap first
};

} // namespace mneme

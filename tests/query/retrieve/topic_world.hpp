#pragma once
/// A real world (in memory) for tests of retrieve, and a model beside it that answers the same
/// questions from plain structs.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "query/retrieve/retrieve.hpp"
#include "tests/state/site.hpp"

namespace mneme::testing {

struct model_value {
  std::int64_t value = 0;
  std::int64_t from = 0;
  std::optional<std::int64_t> until;
};
struct model_field {
  std::vector<model_value> values; ///< in the order in which they came
  std::optional<memory_id> ref;
};
struct model_topic {
  std::string title;
  std::string actor;
  bool is_public = false;
  bool archived = false;
  bool tombstoned = false;
  std::vector<float> vector; ///< empty = none
  std::int64_t salience_e9 = salience_one_e9;
  std::map<std::string, model_field> fields;
};
struct topic_model {
  std::map<memory_id, model_topic> topics;
  std::map<edge_key, std::string> edges; ///< live, with their kinds

  /// Candidates of a request, by the text of the specification, row by row.
  [[nodiscard]] std::vector<topic_bundle> retrieve(const retrieve_request& r) const;
};

/// Compiles and runs inline at the request's seq; the touch is not committed.
result<std::unique_ptr<retrieve_run>> run_retrieve(world& w, retrieve_request r);
/// The same, with the touch.
result<retrieve_result> retrieve_and_touch(world& w, driven& d, const retrieve_request& r);

} // namespace mneme::testing

#pragma once
/// The indexes that grow with every state of a memory, and are therefore made anew now and then
/// without what no read can ask for any more (state/compaction). Dense numbers of rows are those of
/// one generation: who has some keeps the generation that it got them from. Nodes and slots are the
/// same in all.

#include <memory>

#include "index/columns/attributes.hpp"
#include "index/lexical/lexical.hpp"
#include "index/rows/record_places.hpp"
#include "index/vectors/vectors.hpp"
#include "views/journaled_records.hpp"
#include "views/late_indexes.hpp"

namespace mneme {

struct index_generation {
  std::shared_ptr<mneme::attributes> attributes;
  std::shared_ptr<record_places> places; ///< one for each row of the attributes
  std::shared_ptr<mneme::lexical> lexical;
  std::shared_ptr<mneme::vectors> vectors;
  std::shared_ptr<journaled_records> journaled; ///< the files that the places are in
  /// Of words and vectors; null: they have been there from the beginning.
  std::shared_ptr<late_indexes> late{};

  [[nodiscard]] result<void> wait_for_late() const {
    return late == nullptr ? result<void>() : late->wait();
  }
  /// Why they never will be, if that is known.
  [[nodiscard]] std::optional<error> why_not_whole() const {
    return late == nullptr ? std::nullopt : late->problem();
  }
  [[nodiscard]] bool is_whole() const { return late == nullptr || late->are_there(); }
};

} // namespace mneme

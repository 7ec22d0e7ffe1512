#pragma once
/// What the class lexical holds; shared by its writer, its readers and its image.

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "index/columns/append_list.hpp"
#include "index/lexical/append_room.hpp"
#include "index/lexical/lexical.hpp"
#include "index/lexical/posting_block.hpp"
#include "index/lexical/term_dictionary.hpp"

namespace mneme {

/// A content, as it was written; only `live` changes, and only the writer reads that.
struct lexical_document {
  std::uint64_t begin;    ///< seq
  std::uint64_t terms;    ///< where they are: see lexical::impl::terms_of
  std::uint32_t distinct; ///< how many they are
  std::uint32_t length;   ///< the sum of their counts
  std::uint32_t node;
  std::uint8_t in; ///< corpus
  bool known;      ///< false: the index has no such content
  bool live;
};

/// A content ended, or came back.
struct liveness_change {
  std::uint64_t seq;
  std::uint32_t slot;
  std::uint32_t live; ///< 0 or 1
};

/// From `seq` on, so many contents more than were ever written are live (never above zero).
struct frequency_change {
  std::uint64_t seq;
  std::int64_t sum;
};

struct size_change {
  std::uint64_t seq;
  corpus_size size;
};

/// One term in one corpus.
struct term_lists {
  posting_blocks postings;
  append_list<frequency_change> changes;
};

struct lexical::impl {
  term_dictionary terms;
  std::array<paged_column<term_lists>, corpus_count> lists; ///< by term
  std::array<append_list<size_change>, corpus_count> sizes{};
  append_list<liveness_change> changes{};
  sparse_column<lexical_document> documents;  ///< by slot
  sparse_column<std::uint32_t> lengths;       ///< by slot; what scoring a posting needs
  std::atomic<std::uint32_t> slot_limit{0};   ///< every content is below it
  std::uint32_t held = 0;                     ///< contents; the writer's
  sparse_column<std::uint32_t> newest;        ///< by node: slot + 1; 0 = none; the writer's
  std::atomic<std::uint32_t> terms_listed{0}; ///< terms below it have lists
  std::atomic<std::uint64_t> retained{0};

  mutable std::mutex erased_guard;
  std::unordered_set<std::uint32_t> erased; ///< nodes

  append_room<term_count> counts;       ///< the terms of all contents, but for
  std::span<const term_count> saved{};  ///< those that lie in an image
  std::shared_ptr<const void> holder{}; ///< of the image
  posting_room postings;
  array_graveyard<frequency_change> frequency_arrays;
  array_graveyard<size_change> size_arrays;
  array_graveyard<liveness_change> change_arrays;

  /// The terms of a content: where they are in memory, or in the image, twice and one more.
  [[nodiscard]] std::span<const term_count> terms_of(const lexical_document& d) const {
    const auto* const first = (d.terms & 1) != 0 ? saved.data() + (d.terms >> 1)
                                                 : reinterpret_cast<const term_count*>(d.terms);
    return {first, d.distinct};
  }
  /// Enters a content, live from its begin on. Its terms, in term order, stay where they are.
  void enter(slot_no slot, node_no node, corpus in, std::span<const term_count> its_terms,
             std::uint64_t begin);
  /// A copy that stays where it is.
  std::span<const term_count> keep(std::span<const term_count> its_terms);
  /// The content ends, or comes back: it is not so yet.
  void change(std::uint32_t slot, bool live, std::uint64_t seq);
  /// Makes lists for the terms that have none.
  void list_terms();
  /// Contents with the term that were written by then, whether they have ended or not.
  [[nodiscard]] std::int64_t written_with(const term_lists& term, seq_no at) const;

  [[nodiscard]] const lexical_document* find(std::uint32_t slot) const {
    const lexical_document* d = documents.find(slot);
    return d == nullptr || !d->known ? nullptr : d;
  }
  [[nodiscard]] const term_lists* lists_of(corpus of, term_no term) const {
    if (term.value >= terms_listed.load(std::memory_order_acquire)) return nullptr;
    return &lists[static_cast<std::size_t>(of)][term.value];
  }

private:
  void resize(corpus in, std::int64_t documents_more, std::int64_t length_more, std::uint64_t seq);
};

} // namespace mneme

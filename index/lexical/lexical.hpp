#pragma once
/// The lexical index: which contents have which terms, how often, and the term statistics of each
/// corpus, exact at any retained seq. One writer, many concurrent readers.
///
/// A content is a slot. It is live from the seq that wrote it until it is replaced, moves to
/// another slot or its memory is tombstoned (but as superseded: that is found by who asks for what
/// no longer holds), and again from a seq that restores the memory. Statistics count live contents;
/// postings name every content that was ever there, in slot order: whoever reads them knows which
/// rows it wants.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "index/image.hpp"
#include "index/lexical/posting_block.hpp"
#include "index/numbers.hpp"
#include "index/rows/row_store.hpp"
#include "mneme/error.hpp"
#include "mneme/ids.hpp"

namespace mneme {

/// Memories and chunks have statistics of their own.
enum class corpus : std::uint8_t { memories, chunks };
inline constexpr std::size_t corpus_count = 2;

/// A term and how often a content has it.
struct term_count {
  std::uint32_t term;
  std::uint32_t count;
};

struct corpus_size {
  std::uint64_t documents = 0;
  std::uint64_t length = 0; ///< terms of all documents together

  friend bool operator==(const corpus_size&, const corpus_size&) = default;
};

class lexical {
public:
  /// One of text_languages().
  explicit lexical(std::string language = "english");
  ~lexical();

  /// Whose stems the terms are.
  [[nodiscard]] const std::string& language() const { return language_; }
  /// Precondition: there is no content yet.
  void set_language(std::string language);

  // Writer. Seqs ascend over all calls, slots over all calls of put and carry.
  /// A memory's new content, live from `seq` on; the one before it ends there.
  void put(node_no node, slot_no slot, corpus in, std::string_view text, seq_no seq);
  /// The newest content of `node` with its terms gets the number `slot` from `seq` on; its text is
  /// the same. Precondition: the node has a content.
  void carry(node_no node, slot_no slot, seq_no seq);
  /// The memory of `node` has no live content from `seq` on (tombstoned), or its newest one again.
  /// What is so already changes nothing.
  void set_live(node_no node, bool live, seq_no seq);
  /// The memory of `node` has no live content from `seq` on, and never gets any again: save()
  /// leaves out all that it ever had, as if they had never been written.
  void erase(node_no node, seq_no seq);
  /// Nobody reads at a seq before `seq` from now on.
  void retain_from(seq_no seq);

  /// Contents that are held, whether they are live or not.
  [[nodiscard]] std::uint32_t held() const;

  // Readers.
  /// How many distinct terms contents have ever had.
  [[nodiscard]] std::uint32_t distinct_terms() const;
  /// no_number if no content ever had the term.
  [[nodiscard]] term_no term(std::string_view text) const;
  [[nodiscard]] corpus_size size(corpus of, seq_no at) const;
  /// Live contents with the term.
  [[nodiscard]] std::uint64_t document_frequency(corpus of, term_no term, seq_no at) const;
  /// Also of contents that are not live. Valid for the index's life.
  [[nodiscard]] std::span<const posting_block> postings(corpus of, term_no term) const;
  /// Terms of a content; 0 if the slot has none.
  [[nodiscard]] std::uint32_t length(slot_no slot) const;
  /// The lengths of the contents from `first` on, as far as the next multiple of length_run. Those
  /// whose postings were seen are there to be read.
  [[nodiscard]] const std::uint32_t* lengths_from(slot_no first) const;
  static constexpr std::uint32_t length_run = 4096;
  /// The terms of a content, in the order of their numbers; none if there is no such content.
  [[nodiscard]] std::span<const term_count> terms(slot_no slot) const;
  /// How often a content has a term; 0 if there is no such content.
  [[nodiscard]] std::uint32_t count(slot_no slot, term_no term) const;

  /// The state as of `at`, with what reads back to the retained seq need; may run beside the
  /// writer. `texts` are in place of what the contents of these slots say.
  [[nodiscard]] std::string save(seq_no at,
                                 const std::map<std::uint32_t, std::string>& texts = {}) const;
  void save(image_writer& out, seq_no at,
            const std::map<std::uint32_t, std::string>& texts = {}) const;
  /// Does the image say, by its first bytes alone, that this build would load it?
  [[nodiscard]] bool knows(std::string_view image) const;
  /// Into an empty index, which stays empty if the image is damaged (corrupt).
  result<void> load(const image_bytes& image);

  struct impl;

private:
  std::string language_;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme

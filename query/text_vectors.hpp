#pragma once
/// The vectors of the texts that queries ask by, where the embedder is remote: made before the
/// queries are run, by whoever may wait for a network. Without a remote embedder nothing is done
/// here.

#include <map>
#include <span>

#include "query/query_job.hpp"
#include "query/tick_reads.hpp"

namespace mneme {

/// Does a read of the tick ask by a text?
bool asks_by_text(const tick_request& request);

class text_vectors {
public:
  /// Of the world behind the views; the seams say what queries are compiled with.
  text_vectors(read_views views, const query_seams& seams);

  /// Has the job's text embedded, in the calling thread. What compile() is going to refuse anyway
  /// asks no network. `pinned` is the seq to read at when the request names none.
  void embed(query_job& job, std::optional<seq_no> pinned) const;
  /// The texts of all reads that have one, each once, in as few calls as the embedder takes.
  [[nodiscard]] texts_of_reads embed(const tick_request& request) const;

private:
  using by_text = std::map<std::string, query_vector, std::less<>>;

  [[nodiscard]] query_vector vector_of(const std::string& text) const;
  /// A vector in place of the one that a text would have: enough to see whether a request is taken.
  [[nodiscard]] query_vector any_vector() const;
  [[nodiscard]] by_text vectors_of(std::vector<std::string> texts) const;
  void embed_some(std::span<const std::string> texts, by_text& vectors) const;

  read_views views_;
  const query_seams& seams_;
  const remote_embedder* remote_; ///< null: nothing is done
};

} // namespace mneme

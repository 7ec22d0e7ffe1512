#pragma once
/// What a user would pick instead: SQLite for rows, tags, edges and words, as somebody who knows it
/// well writes it (prepared statements, covering keys, WAL, synchronous=FULL), with the vectors as
/// floats in memory beside it. Answers are row numbers.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/workloads/dataset.hpp"
#include "bench/workloads/truth.hpp"
#include "mneme/error.hpp"

namespace mneme::workloads {

class sqlite_peer {
public:
  /// One connection; each thread has its own.
  static result<std::unique_ptr<sqlite_peer>> open(const std::string& path);
  ~sqlite_peer();
  sqlite_peer(const sqlite_peer&) = delete;
  sqlite_peer& operator=(const sqlite_peer&) = delete;

  /// Makes the tables and fills them in one transaction; durable when it returns.
  result<void> load(const dataset& d);
  /// The vectors, as they are kept beside the open file.
  result<std::vector<float>> vectors();

  // The vectors of these are those of `d`.
  result<rows> near_in_tag(const dataset& d, const float* vector, std::uint32_t tag, std::size_t k);
  result<rows> salient(const query& q);
  /// By a walk over prepared one-hop queries, which is faster here than a recursive one.
  result<rows> within_three_hops(const query& q);
  result<rows> near_in_reach(const dataset& d, const query& q, const float* vector);
  result<rows> own_near(const dataset& d, std::uint32_t actor, const float* vector, std::size_t k);
  result<rows> own_salient(std::uint32_t actor, const query& q);
  result<rows> own_relevant(const dataset& d, std::uint32_t actor, const float* vector,
                            std::size_t k);
  result<rows> search(const query& q);

  result<void> begin();
  /// Durable when it returns, unless it is told not to wait for the disk.
  result<void> commit();
  result<void> sync_commits(bool sync);
  result<void> write(const dataset& d, std::uint32_t row);
  result<void> link(const edge& e);
  result<void> touch(const rows& touched);

private:
  struct impl;
  explicit sqlite_peer(std::unique_ptr<impl> made);
  std::unique_ptr<impl> impl_;
};

} // namespace mneme::workloads

#pragma once
/// A small world in memory to search, filled in few words.

#include <catch2/catch.hpp>

#include "mneme/engine.hpp"

namespace mneme::testing {

inline constexpr timestamp test_start{1'704'067'200'000'000'000}; // 2024-01-01T00:00:00Z
inline constexpr std::int64_t one_day_ns = 86'400'000'000'000;

class search_world {
public:
  /// `weights` as "name=number,…"; no embedder unless one is named.
  explicit search_world(std::string weights = "vector=0.8,text=0.2,k1=1.2,b=0.75,b_short=0.75",
                        std::string embedder = "none",
                        std::optional<lifecycle_audience> audience = {});

  engine target;
  std::shared_ptr<manual_clock> clock;

  memory_id note(std::string statement, const lifecycle& l = {});
  memory_id decision(std::string statement, std::optional<memory_id> replaces = {});
  memory_id chunk(std::string path, std::string content, std::int64_t index = 0);
  memory_id put(write_request r);
  void tombstone(const memory_id& id, tombstone_cause cause = tombstone_cause::deleted);
  void set_lifecycle(const memory_id& id, const lifecycle& l);
  void edge(const memory_id& src, edge_type type, const memory_id& dst, std::string kind = {});
  void pass(std::int64_t days) { clock->set({clock->now().ns + days * one_day_ns}); }

  search_result search(search_request r);
  search_result search(std::string query);
  errc refusal(search_request r);
  memory_uri uri(const memory_id& id);

private:
  search_world(std::shared_ptr<manual_clock> c, const std::string& weights,
               const std::string& embedder, std::optional<lifecycle_audience> audience);
};

std::vector<memory_id> ids_of(const search_result& answer);
/// The order of the ids does not matter.
bool same_ids(const search_result& answer, std::vector<memory_id> ids);
/// candidates = below_floor + cut + returned, for both legs, and what is returned is there.
void check_sums(const search_result& answer);

} // namespace mneme::testing

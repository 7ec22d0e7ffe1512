#pragma once
/// The query coordinator: compiles a request to a query_run, sends it from effect to effect through
/// the reader pool, reinforces what it touched, and answers. Keeps nothing between queries.

#include <caf/all.hpp>

#include "actors/spawn.hpp"
#include "query/find.hpp"

namespace mneme {

class coordinator_actor : public caf::event_based_actor {
public:
  coordinator_actor(caf::actor_config& config, std::shared_ptr<world> w,
                    std::vector<caf::actor> readers, caf::actor committer,
                    const actor_options& options);
  caf::behavior make_behavior() override;

private:
  using find_callback = std::function<void(result<find_result>)>;

  void start(const find_job& job);
  void advance(std::shared_ptr<find_run> query, seq_no at, find_callback reply);
  void finish(const std::shared_ptr<find_run>& query, seq_no at, const find_callback& reply);

  std::shared_ptr<world> world_;
  std::vector<caf::actor> readers_;
  caf::actor committer_;
  actor_options options_;
  std::size_t next_reader_ = 0;
};

} // namespace mneme

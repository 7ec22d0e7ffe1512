// Branches in memory, as a host makes them.

#include "mneme/arms.hpp"

#include "actors/engine_impl.hpp"
#include "actors/open_engine.hpp"
#include "messages/seams/lent_embedder.hpp"
#include "query/chroma/chroma.hpp"
#include "state/branch/open_store.hpp"
#include "state/branch/temporary_fork.hpp"
#include "storage/memory_file_system.hpp"

namespace mneme {

namespace {

/// A fork is opened with what its parent was.
result<std::shared_ptr<arm_group>> group_of(temporary_fork fork, engine_options options,
                                            const std::shared_ptr<file_system>& memory) {
  options.directory = fork.directory;
  auto opened = open_fixed_world(options, memory);
  if (!opened) {
    fork.remove();
    return propagate(opened);
  }
  return arm_group::make(std::move(*opened), std::move(options), std::move(fork.remove));
}

} // namespace

result<arm_base> arm_base::open(engine_options options, std::optional<seq_no> at) {
  if (auto ok = check_defaults(options.chroma); !ok) return propagate(ok);
  if (options.directory.empty() || options.read_only)
    return fail(errc::bad_value, "a base is opened in a directory, for itself alone", "directory");
  options = from_anywhere(std::move(options));
  if (at) {
    auto forked = fork_for_a_while(options.directory, {}, *at);
    if (!forked) return propagate(forked);
    auto group = group_of(std::move(*forked), std::move(options), {});
    if (!group) return propagate(group);
    return arm_base(std::move(*group));
  }
  auto opened = open_fixed_world(options);
  if (!opened) return propagate(opened);
  auto group = arm_group::make(std::move(*opened), std::move(options), {});
  if (!group) return propagate(group);
  return arm_base(std::move(*group));
}

result<arm_base> arm_base::of(engine& running, const std::string& into) {
  if (running.impl_->arm != nullptr)
    return fail(errc::unsupported, "an arm is of a base and cannot be one");
  auto at = running.checkpoint();
  if (!at) return propagate(at);
  auto group = running.impl_->inside([&](world& w) -> result<std::shared_ptr<arm_group>> {
    const bool is_in_memory = dynamic_cast<memory_file_system*>(w.files.get()) != nullptr;
    auto forked = is_in_memory ? fork_for_a_while(w.files, w.directory, *at)
                               : fork_for_a_while(w.directory, into, *at);
    if (!forked) return propagate(forked);
    // What the store cannot give now the first arm that writes makes.
    if (!is_in_memory && forked->checkpoint)
      static_cast<void>(place_open_store(w, forked->directory, *forked->checkpoint));
    engine_options options = running.impl_->opened_with;
    options.embedder = lend_embedder(options.embedder); // either may end first
    return group_of(std::move(*forked), std::move(options), is_in_memory ? w.files : nullptr);
  });
  if (!group) return propagate(group);
  return arm_base(std::move(*group));
}

result<engine> arm_base::arm(const arm_options& options) const {
  auto made = std::make_unique<engine::impl>(std::shared_ptr<engine_home>(group_, &group_->home));
  const world& base = group_->source->base();
  engine_options own = group_->options;
  own.seed = options.seed;
  own.random = options.random;
  made->running = group_->readers;
  if (options.clock != nullptr) {
    own.clock = options.clock;
    made->running = std::make_shared<running_engine>(*group_->readers);
    made->running->options.queries.time = options.clock;
  }
  made->report = base.report;
  made->opened_last_entry_at = base.last_entry_at;
  made->queries = own.queries;
  made->arm = std::make_unique<arm_of_engine>(group_, std::move(own), options.clock != nullptr);
  return engine(std::move(made));
}

seq_no arm_base::at() const {
  return group_->source->at();
}

} // namespace mneme

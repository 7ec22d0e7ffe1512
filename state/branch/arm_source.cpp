#include "state/branch/arm_source.hpp"

#include <utility>

#include "messages/ensure.hpp"
#include "messages/seams/lent_embedder.hpp"
#include "state/checkpoint/world_checkpoint.hpp"
#include "storage/lent_store.hpp"

namespace mneme {

namespace {

/// So that an arm reads images and nothing else.
result<void> settle(world& w) {
  const seq_no at = w.published_seq();
  if (at.value == 0) return {};
  if (auto ok = w.wait_for_late(); !ok) return ok;
  const bool is_settled = w.checkpoint_seq == at.value && w.store_matches
                          && w.store->buffered_bytes() == 0 && !w.lacks_images
                          && !w.vectors().has_unsaved_segments();
  if (!is_settled)
    if (auto ok = checkpoint_world(w); !ok) return ok;
  ensure(w.checkpoint_seq == at.value, "a base has the images of its last entry");
  // Zeros behind the last frame would be cut by each arm, in a copy of the segment.
  return w.journal->trim();
}

store_source lent_by(const std::shared_ptr<arm_source>& from) {
  return {.open = [from]() -> result<std::unique_ptr<kv_store>> {
            auto files = from->base().store->files();
            if (!files) return propagate(files);
            return make_lent_store(std::shared_ptr<kv_store>(from, *files), from->at());
          },
          .is_there = [has_rows = from->at().value > 0] { return has_rows; }};
}

} // namespace

arm_source::arm_source(std::unique_ptr<world> base, world_options options)
    : base_(std::move(base)),
      options_(std::move(options)),
      at_(base_->published_seq()),
      files_(std::make_shared<fixed_files>(base_->files)) {
}

arm_source::~arm_source() {
  files_.reset();
  base_.reset();
  if (when_gone_) when_gone_();
}

result<std::shared_ptr<arm_source>> arm_source::make(std::unique_ptr<world> base,
                                                     world_options options,
                                                     std::function<void()> when_gone) {
  std::shared_ptr<arm_source> made(new arm_source(std::move(base), std::move(options)));
  ensure(made->base_ != nullptr, "a base is a world");
  made->when_gone_ = std::move(when_gone); // also where what follows fails
  if (auto ok = settle(made->base()); !ok) return propagate(ok);
  return made;
}

result<std::unique_ptr<world>> arm_source::branch_off(const std::shared_ptr<arm_source>& from,
                                                      const branch_id& branch,
                                                      const std::shared_ptr<clock>& time) {
  const world& base = from->base();
  ensure(branch != base.info.branch, "an arm is a branch of its own");
  const auto files = std::make_shared<overlay_file_system>(from->files_);
  world_file info = base.info;
  info.branch = branch;
  if (auto ok = replace_file(*files, world_path(base.directory), encode(info)); !ok)
    return propagate(ok);
  if (auto ok = note_origin(*files, base.directory,
                            {.world = base.info.id,
                             .branch = base.info.branch,
                             .at = from->at(),
                             .path = base.directory});
      !ok)
    return propagate(ok);
  world_options own = from->options_;
  own.create = false;
  own.embedder = lend_embedder(own.embedder);
  own.files = files;
  own.store = lent_by(from);
  if (time != nullptr) own.time = time;
  own.journal.begins_segment = true;
  own.journal.extend_bytes = 0; // there is no disk whose metadata would move
  // Rows are never given to the store, which all arms read.
  constexpr std::uint64_t no_bound = 1ULL << 48;
  own.row_buffer_bytes = no_bound;
  own.is_checked_before = true;
  own.may_load_late = false;           // there is nothing to check
  own.vectors.builds_segments = false; // each arm would take a thread, for the same graphs
  return open_world(own);
}

} // namespace mneme

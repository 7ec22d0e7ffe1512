#include "state/recovery/replay_check.hpp"

#include <algorithm>
#include <map>

#include "messages/codec/leaf_of.hpp"

namespace mneme {

namespace {

/// The state before an entry: the store's, and what earlier entries of the frame made of it.
class frame_state {
public:
  explicit frame_state(world& w) : world_(w), space_(w.vectors().space()) {}

  void take(const entry& e) {
    if (const auto* p = std::get_if<write_payload>(&e.payload)) take(e, p->head, p->vector);
    if (const auto* p = std::get_if<update_payload>(&e.payload)) take(e, p->head, p->vector);
    if (const auto* p = std::get_if<head_payload>(&e.payload)) take(e, p->head, {});
    if (const auto* p = std::get_if<embed_payload>(&e.payload)) take(e, p->head, p->vector);
    if (const auto* p = std::get_if<topic_archive_payload>(&e.payload)) take(e, p->head, {});
    if (const auto* p = std::get_if<topic_merge_payload>(&e.payload)) take(e, p->head, {});
  }
  result<std::optional<head>> head_before(const memory_id& id, seq_no seq) {
    if (const auto found = heads_.find(id); found != heads_.end()) return found->second;
    if (reader_ == nullptr) {
      auto opened = world_.store->reader();
      if (!opened) return propagate(opened);
      reader_ = std::move(*opened);
    }
    return read_head(*reader_, id, {seq.value - 1});
  }
  /// Its vector is of a former embedder.
  [[nodiscard]] bool is_of_before(seq_no seq) const { return seq < world_.info.vectors_since(); }
  /// What memories had as vectors before the entry may have been of a former embedder.
  [[nodiscard]] bool has_former_vectors(seq_no seq) const {
    const auto& former = world_.info.former;
    return !former.empty() && seq > former.front().until;
  }
  /// True if a vector of `space` fits: it is that of the vectors before, or of the embedder.
  [[nodiscard]] bool fits(const vector_space& space) const {
    if (space_.dim != 0) return space == space_;
    if (world_.embedder == nullptr) return true;
    const vector_space own = world_.embedder->space();
    return space.model == own.model && (own.dim == 0 || space.dim == own.dim);
  }

private:
  void take(const entry& e, const head& h, const std::optional<spaced_vector>& vector) {
    heads_.insert_or_assign(h.id, h);
    if (is_of_before(e.header.seq)) return;
    if (space_.dim == 0 && vector) space_ = vector->space;
  }

  world& world_;
  vector_space space_;
  std::map<memory_id, head> heads_;
  std::unique_ptr<kv_reader> reader_;
};

result<void> check_one(const entry& e, const embed_payload& p, frame_state& state) {
  const auto refuse = [&](std::string_view why) {
    return fail(errc::corrupt, "entry " + std::to_string(e.header.seq.value)
                                   + (p.vector ? " gives a vector" : " gives a text")
                                   + " to memory " + to_string(p.head.id) + ", "
                                   + std::string(why));
  };
  auto before = state.head_before(p.head.id, e.header.seq);
  if (!before) return propagate(before);
  if (!before->has_value()) return refuse("which does not exist");
  // With a text of its own it takes the place of the one before; so it may with a vector of another
  // space than that.
  if ((*before)->embedding && p.text.empty() && !state.has_former_vectors(e.header.seq))
    return refuse("which has one");
  head expected = std::move(**before);
  expected.embedding = p.head.embedding;
  if (expected != p.head) return refuse("whose head was another");
  if (p.vector && !state.is_of_before(e.header.seq) && !state.fits(p.vector->space))
    return refuse("but of another space than this world's");
  if (e.header.leaves.size() != 1 || e.header.leaves.front() != leaf_of(p.head))
    return refuse("but changes another leaf");
  return {};
}

bool is_embed(const entry& e) {
  return std::holds_alternative<embed_payload>(e.payload);
}

} // namespace

result<void> check_embeddings(world& w, std::span<const entry> entries) {
  if (std::ranges::none_of(entries, is_embed)) return {};
  frame_state state(w);
  for (const auto& e : entries) {
    // Before the point of a trim the head may have been another that was dropped.
    const auto* p = std::get_if<embed_payload>(&e.payload);
    if (p != nullptr && e.header.seq >= w.trims.point())
      if (auto ok = check_one(e, *p, state); !ok) return ok;
    state.take(e);
  }
  return {};
}

} // namespace mneme

#include "index/columns/tag_table.hpp"

#include <string>

#include "index/colour/semantic_stack.hpp"
#include "messages/text/hashtag.hpp"

namespace mneme {

void tag_table::assign(std::string_view tag, std::uint32_t anchor, seq_no seq) {
  ensure(anchor >= 1 && anchor <= anchor_count, "an anchor of the stack");
  const std::string_view key = hashtag_key(tag);
  const std::uint32_t term = keys_.size();
  ensure(term == 0 || bindings_[term - 1].seq < seq.value, "tags are assigned in seq order");
  // The binding is there before its number can be found.
  bindings_.grow(term) = {seq.value, anchor, key.size() != tag.size() ? 1U : 0U};
  ensure(keys_.intern(key) == term, "a tag is assigned once");
  ensure(term_of_anchor_[anchor - 1] == 0, "an anchor has one tag");
  store_release(term_of_anchor_[anchor - 1], term + 1);
}

tag_assignment tag_table::assignment(std::uint32_t term) const {
  const binding& b = bindings_[term];
  ensure(b.anchor != 0, "a tag has its anchor before it can be found");
  std::string tag(b.has_hash != 0 ? "#" : "");
  tag += keys_.text(term);
  return {std::move(tag), b.anchor, zone_of(b.anchor)};
}

std::optional<tag_assignment> tag_table::find(std::string_view tag, seq_no at) const {
  const std::uint32_t term = keys_.find(hashtag_key(tag));
  if (term == no_number || bindings_[term].seq > at.value) return {};
  return assignment(term);
}

bool tag_table::taken(std::uint32_t anchor, seq_no at) const {
  ensure(anchor >= 1 && anchor <= anchor_count, "an anchor of the stack");
  const std::uint32_t term = load_acquire(term_of_anchor_[anchor - 1]);
  return term != 0 && bindings_[term - 1].seq <= at.value;
}

std::uint32_t tag_table::count_at(seq_no at) const {
  std::uint32_t count = keys_.size();
  while (count > 0 && bindings_[count - 1].seq > at.value) --count;
  return count;
}

std::vector<tag_assignment> tag_table::all(seq_no at) const {
  std::vector<tag_assignment> found;
  const std::uint32_t count = count_at(at);
  found.reserve(count);
  for (std::uint32_t term = 0; term < count; ++term) found.push_back(assignment(term));
  return found;
}

void tag_table::save(image_writer& out, seq_no at) const {
  const std::uint32_t count = count_at(at);
  out.put(std::uint64_t{count});
  for (std::uint32_t term = 0; term < count; ++term) {
    out.put(bindings_[term].seq);
    out.put(bindings_[term].anchor);
    out.put_text(assignment(term).tag);
  }
}

bool tag_table::load(image_reader& in, seq_no at) {
  const std::uint64_t count = in.get_count(sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t));
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto seq = in.get<std::uint64_t>();
    const auto anchor = in.get<std::uint32_t>();
    const std::string_view tag = in.get_text();
    if (!in.ok() || seq <= last || seq > at.value || anchor == 0 || anchor > anchor_count)
      return false;
    if (hashtag_key(tag).empty() || term_of_anchor_[anchor - 1] != 0
        || keys_.find(hashtag_key(tag)) != no_number)
      return false;
    assign(tag, anchor, {seq});
    last = seq;
  }
  return in.ok();
}

} // namespace mneme

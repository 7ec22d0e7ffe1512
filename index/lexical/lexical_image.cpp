// The image: the terms in use, the contents that some read still needs, and when each of them ended
// or came back. Loading enters them again in the order of their seqs.

#include <algorithm>

#include "index/image.hpp"
#include "index/lexical/lexical_state.hpp"
#include "index/lexical/text_terms.hpp"

namespace mneme {

namespace {

constexpr std::string_view words_image_name = "mnWORD04";
constexpr std::size_t document_bytes = 8 + 4 + 4 + 1 + 4;
constexpr std::size_t change_bytes = 8 + 4 + 1;

/// What of an index is saved, as of one seq.
struct saved_contents {
  std::vector<std::uint32_t> slots; ///< ascending
  std::vector<liveness_change> changes;
};

saved_contents contents_at(const lexical::impl& index, seq_no at, std::uint64_t retained) {
  const std::uint32_t limit = index.slot_limit.load(std::memory_order_acquire);
  constexpr std::uint64_t never = ~0ULL;
  std::vector<std::uint64_t> ended(limit, never);
  std::vector<liveness_change> changes;
  for (const auto& c : index.changes.view()) {
    if (c.seq > at.value) break;
    ended[c.slot] = c.live != 0 ? never : c.seq;
    changes.push_back(c);
  }
  // The newest content of a memory may come back with it.
  std::vector<std::uint32_t> newest_of_node;
  const auto written = [&](std::uint32_t slot) {
    const lexical_document* d = index.find(slot);
    return d != nullptr && d->begin <= at.value ? d : nullptr;
  };
  for (std::uint32_t slot = 0; slot < limit; ++slot) {
    const lexical_document* d = written(slot);
    if (d == nullptr) continue;
    if (d->node >= newest_of_node.size()) newest_of_node.resize(d->node + 1, no_number);
    newest_of_node[d->node] = slot;
  }
  saved_contents saved;
  std::vector<bool> kept(limit, false);
  for (std::uint32_t slot = 0; slot < limit; ++slot) {
    const lexical_document* d = written(slot);
    if (d == nullptr) continue;
    kept[slot] = newest_of_node[d->node] == slot || ended[slot] > retained;
    if (kept[slot]) saved.slots.push_back(slot);
  }
  for (const auto& c : changes)
    if (kept[c.slot]) saved.changes.push_back(c);
  return saved;
}

/// The texts of the terms that the contents have, numbered anew in order of first use.
std::vector<std::uint32_t> put_terms(image_writer& out, const lexical::impl& index,
                                     const std::vector<std::uint32_t>& slots) {
  std::vector<std::uint32_t> renumbered(index.terms.size(), no_number);
  std::vector<std::uint32_t> used;
  for (const std::uint32_t slot : slots) {
    const lexical_document& d = *index.find(slot);
    for (const auto& t : std::span(d.terms, d.distinct)) {
      if (renumbered[t.term] != no_number) continue;
      renumbered[t.term] = static_cast<std::uint32_t>(used.size());
      used.push_back(t.term);
    }
  }
  out.put(std::uint64_t{used.size()});
  for (const std::uint32_t term : used) out.put_text(index.terms.text(term));
  return renumbered;
}

struct read_document {
  std::uint64_t begin = 0;
  std::uint32_t slot = 0;
  std::uint32_t node = 0;
  std::uint8_t in = 0;
  std::vector<term_count> terms;
};

bool get_document(image_reader& in, std::uint32_t term_count_limit, read_document& d) {
  d.begin = in.get<std::uint64_t>();
  d.slot = in.get<std::uint32_t>();
  d.node = in.get<std::uint32_t>();
  d.in = in.get<std::uint8_t>();
  const auto distinct = in.get<std::uint32_t>();
  const std::string_view raw = in.get_raw(std::size_t{distinct} * sizeof(term_count));
  if (!in.ok() || d.slot == no_number || d.node == no_number || d.in >= corpus_count) return false;
  d.terms.resize(distinct);
  if (!raw.empty()) std::memcpy(d.terms.data(), raw.data(), raw.size());
  std::ranges::sort(d.terms, {}, &term_count::term);
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < d.terms.size(); ++i) {
    if (d.terms[i].term >= term_count_limit || d.terms[i].count == 0) return false;
    if (i != 0 && d.terms[i].term == d.terms[i - 1].term) return false;
    length += d.terms[i].count;
  }
  return length <= 0xFFFFFFFFULL;
}

bool get_changes(image_reader& in, std::vector<liveness_change>& changes) {
  changes.resize(in.get_count(change_bytes));
  std::uint64_t last = 0;
  for (auto& c : changes) {
    c.seq = in.get<std::uint64_t>();
    c.slot = in.get<std::uint32_t>();
    c.live = in.get<std::uint8_t>();
    if (c.seq < last || c.live > 1) return false;
    last = c.seq;
  }
  return in.ok();
}

bool load_contents(image_reader& in, lexical::impl& index, std::uint64_t at) {
  const std::uint64_t terms = in.get_count(sizeof(std::uint32_t));
  for (std::uint64_t t = 0; t < terms; ++t)
    if (index.terms.intern(in.get_text()) != t || !in.ok()) return false;
  index.list_terms();
  std::vector<liveness_change> changes;
  if (!get_changes(in, changes)) return false;
  std::size_t next = 0;
  const auto change_before = [&](std::uint64_t seq) {
    for (; next < changes.size() && changes[next].seq < seq; ++next) {
      const auto& c = changes[next];
      const lexical_document* d = index.find(c.slot);
      if (d == nullptr || d->live == (c.live != 0)) return false;
      index.change(c.slot, c.live != 0, c.seq);
    }
    return true;
  };
  const std::uint64_t count = in.get_count(document_bytes);
  std::uint64_t last_begin = 0;
  read_document d;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!get_document(in, static_cast<std::uint32_t>(terms), d)) return false;
    if (d.begin < last_begin || d.begin > at) return false;
    if (d.slot < index.slot_limit.load(std::memory_order_relaxed)) return false;
    last_begin = d.begin;
    if (!change_before(d.begin)) return false;
    index.enter({d.slot}, {d.node}, static_cast<corpus>(d.in), index.keep(d.terms), d.begin);
  }
  return change_before(at + 1) && next == changes.size();
}

} // namespace

std::string lexical::save(seq_no at) const {
  const std::uint64_t retained =
      std::min(impl_->retained.load(std::memory_order_acquire), at.value);
  const saved_contents saved = contents_at(*impl_, at, retained);
  image_writer out(words_image_name);
  out.put_text(term_rules(language_));
  out.put(at.value);
  out.put(retained);
  const auto renumbered = put_terms(out, *impl_, saved.slots);
  out.put(std::uint64_t{saved.changes.size()});
  for (const auto& c : saved.changes) {
    out.put(c.seq);
    out.put(c.slot);
    out.put(static_cast<std::uint8_t>(c.live));
  }
  out.put(std::uint64_t{saved.slots.size()});
  for (const std::uint32_t slot : saved.slots) {
    const lexical_document& d = *impl_->find(slot);
    out.put(d.begin);
    out.put(slot);
    out.put(d.node);
    out.put(d.in);
    out.put(d.distinct);
    for (const auto& t : std::span(d.terms, d.distinct)) {
      out.put(renumbered[t.term]);
      out.put(t.count);
    }
  }
  return out.finish();
}

result<void> lexical::load(std::string_view image) {
  ensure(impl_->slot_limit.load() == 0, "an image is loaded into an empty index");
  auto in = image_reader::open(image, words_image_name);
  if (!in) return propagate(in);
  // Terms of other rules would never meet those of a query, without a word.
  if (const auto rules = in->get_text(); rules != term_rules(language_))
    return fail(errc::corrupt, "the image of the lexical index has terms of other rules (\""
                                   + std::string(rules) + "\" instead of \"" + term_rules(language_)
                                   + "\")");
  auto loaded = std::make_unique<impl>();
  const auto at = in->get<std::uint64_t>();
  const auto retained = in->get<std::uint64_t>();
  if (!in->ok() || retained > at || !load_contents(*in, *loaded, at) || !in->at_end())
    return fail(errc::corrupt, "the image of the lexical index does not fit together");
  loaded->retained.store(retained, std::memory_order_release);
  impl_ = std::move(loaded);
  return {};
}

} // namespace mneme

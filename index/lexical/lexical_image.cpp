// The image: the terms in use, the contents that some read still needs, and when each of them ended
// or came back, with all lists of an index that has nothing else, as they lie in memory. Loading
// leaves them there: it looks at each term and at each block of postings, not at what is in them.

#include <algorithm>
#include <map>

#include "index/columns/column_image.hpp"
#include "index/image.hpp"
#include "index/lexical/lexical_state.hpp"
#include "index/lexical/terms_image.hpp"
#include "index/lexical/text_terms.hpp"

namespace mneme {

namespace {

constexpr std::string_view words_image_name = "mnWORD06";

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
  const auto erased = [&] {
    const std::lock_guard hold(index.erased_guard);
    return index.erased;
  }();
  // The newest content of a memory may come back with it.
  std::vector<std::uint32_t> newest_of_node;
  const auto written = [&](std::uint32_t slot) {
    const lexical_document* d = index.find(slot);
    return d != nullptr && d->begin <= at.value && !erased.contains(d->node) ? d : nullptr;
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

/// The same contents in an index of their own, with nothing else in it, and its terms in the order
/// of their first use: as it lies in an image.
/// `replaced`: the terms of the contents of these slots, in place of what they are.
std::unique_ptr<lexical::impl>
gathered(const lexical::impl& from, const saved_contents& contents,
         const std::map<std::uint32_t, std::vector<std::string>>& replaced) {
  auto fresh = std::make_unique<lexical::impl>();
  std::vector<std::uint32_t> renumbered(from.terms.size(), no_number);
  for (const std::uint32_t slot : contents.slots) {
    if (const auto other = replaced.find(slot); other != replaced.end()) {
      for (const std::string& text : other->second) fresh->terms.intern(text);
      continue;
    }
    for (const auto& t : from.terms_of(*from.find(slot)))
      if (renumbered[t.term] == no_number)
        renumbered[t.term] = fresh->terms.intern(from.terms.text(t.term));
  }
  fresh->list_terms();
  auto next = contents.changes.begin();
  const auto change_before = [&](std::uint64_t seq) {
    for (; next != contents.changes.end() && next->seq < seq; ++next)
      fresh->change(next->slot, next->live != 0, next->seq);
  };
  std::vector<term_count> terms;
  for (const std::uint32_t slot : contents.slots) {
    const lexical_document& d = *from.find(slot);
    if (const auto other = replaced.find(slot); other != replaced.end()) {
      std::map<std::uint32_t, std::uint32_t> counts;
      for (const std::string& text : other->second) ++counts[fresh->terms.find(text)];
      terms.clear();
      for (const auto& [term, count] : counts) terms.push_back({term, count});
    } else {
      const auto old = from.terms_of(d);
      terms.assign(old.begin(), old.end());
      for (auto& t : terms) t.term = renumbered[t.term];
      std::ranges::sort(terms, {}, &term_count::term);
    }
    change_before(d.begin);
    fresh->enter({slot}, {d.node}, static_cast<corpus>(d.in), fresh->keep(terms), d.begin);
  }
  change_before(~0ULL);
  return fresh;
}

template <class T>
void put_each(image_writer& out, std::span<const T> entries) {
  out.put_raw({reinterpret_cast<const char*>(entries.data()), entries.size_bytes()});
}

/// By slot, with their terms one behind the other.
void put_documents(image_writer& out, const lexical::impl& index,
                   const std::vector<std::uint32_t>& slots) {
  sparse_column<lexical_document> documents;
  std::uint64_t counts = 0;
  std::uint32_t node_limit = 0;
  for (const std::uint32_t slot : slots) {
    const lexical_document& d = *index.find(slot);
    lexical_document& saved = documents.grow(slot); // zeros between its members, too
    saved.begin = d.begin;
    saved.terms = 2 * counts + 1;
    saved.distinct = d.distinct;
    saved.length = d.length;
    saved.node = d.node;
    saved.in = d.in;
    saved.known = d.known;
    saved.live = d.live;
    counts += index.terms_of(d).size();
    node_limit = std::max(node_limit, d.node + 1);
  }
  const std::uint32_t limit = index.slot_limit.load(std::memory_order_relaxed);
  out.put(limit);
  out.put(index.held);
  put_list_of<term_count>(out, counts, [&] {
    for (const std::uint32_t slot : slots)
      put_each<term_count>(out, index.terms_of(*index.find(slot)));
  });
  put_column(out, documents, limit);
  put_column(out, index.lengths, limit);
  put_column(out, index.newest, node_limit);
}

bool adopt_documents(image_reader& in, lexical::impl& index) {
  index.slot_limit.store(in.get<std::uint32_t>(), std::memory_order_relaxed);
  index.held = in.get<std::uint32_t>();
  index.saved = get_list<term_count>(in);
  return in.ok() && adopt_column(in, index.documents) && adopt_column(in, index.lengths)
         && adopt_column(in, index.newest);
}

/// Where a term has its blocks and its changes among those of all terms.
struct saved_lists {
  std::uint32_t first_block;
  std::uint32_t blocks;
  std::uint32_t first_change;
  std::uint32_t changes;
};

/// Each list is made a term at a time: all of them are as large as the index.
void put_postings(image_writer& out, const lexical::impl& index, std::size_t of) {
  const auto each_term = [&](auto visit) {
    for (std::uint32_t t = 0; t < index.terms.size(); ++t) visit(index.lists[of][t]);
  };
  std::vector<saved_lists> lists;
  std::uint64_t blocks = 0;
  std::uint64_t data = 0;
  std::uint64_t changes = 0;
  each_term([&](const term_lists& term) {
    const std::size_t its_changes = term.changes.view().size();
    lists.push_back({.first_block = static_cast<std::uint32_t>(blocks),
                     .blocks = term.postings.blocks.size,
                     .first_change = static_cast<std::uint32_t>(changes),
                     .changes = static_cast<std::uint32_t>(its_changes)});
    data += term.postings.data_size();
    blocks += term.postings.blocks.size;
    changes += its_changes;
  });
  put_list<saved_lists>(out, lists);
  put_list_of<posting_block>(out, blocks, [&] {
    std::vector<posting_block> heads;
    std::size_t at = 0;
    each_term([&](const term_lists& term) {
      heads.clear();
      term.postings.save_heads(heads, at);
      put_each<posting_block>(out, heads);
    });
  });
  put_list_of<std::uint16_t>(out, data, [&] {
    std::vector<std::uint16_t> its_data;
    each_term([&](const term_lists& term) {
      its_data.clear();
      term.postings.save_data(its_data);
      put_each<std::uint16_t>(out, its_data);
    });
  });
  put_list_of<frequency_change>(out, changes, [&] {
    each_term(
        [&](const term_lists& term) { put_each<frequency_change>(out, term.changes.view()); });
  });
  put_list<size_change>(out, index.sizes[of].view());
}

bool adopt_postings(image_reader& in, lexical::impl& index, std::size_t of) {
  const auto lists = get_list<saved_lists>(in);
  const auto blocks = get_list<posting_block>(in);
  const auto data = get_list<std::uint16_t>(in);
  const auto changes = get_list<frequency_change>(in);
  const auto sizes = get_list<size_change>(in);
  if (!in.ok() || lists.size() != index.terms.size()) return false;
  if (!posting_blocks::place(blocks, data)) return false;
  const auto adopt_part = [](auto& list, auto all, std::uint64_t first, std::uint64_t count) {
    if (first + count > all.size()) return false;
    if (count != 0) list.adopt(all.subspan(first, count));
    return true;
  };
  for (std::uint32_t t = 0; t < lists.size(); ++t) {
    term_lists& term = index.lists[of][t];
    const saved_lists& l = lists[t];
    if (!adopt_part(term.postings.blocks, blocks, l.first_block, l.blocks)
        || !adopt_part(term.changes, changes, l.first_change, l.changes))
      return false;
  }
  return adopt_part(index.sizes[of], sizes, 0, sizes.size());
}

bool adopt_contents(image_reader& in, lexical::impl& index) {
  if (!adopt_terms(in, index.terms)) return false;
  index.list_terms();
  if (!adopt_documents(in, index)) return false;
  for (std::size_t of = 0; of < corpus_count; ++of)
    if (!adopt_postings(in, index, of)) return false;
  const auto changes = get_list<liveness_change>(in);
  if (!changes.empty()) index.changes.adopt(changes);
  return in.ok();
}

} // namespace

std::string lexical::save(seq_no at, const std::map<std::uint32_t, std::string>& texts) const {
  image_writer out;
  save(out, at, texts);
  return out.finish();
}

void lexical::save(image_writer& out, seq_no at,
                   const std::map<std::uint32_t, std::string>& texts) const {
  const std::uint64_t retained =
      std::min(impl_->retained.load(std::memory_order_acquire), at.value);
  const saved_contents contents = contents_at(*impl_, at, retained);
  std::map<std::uint32_t, std::vector<std::string>> terms;
  for (const auto& [slot, text] : texts) terms.emplace(slot, text_terms(text, language_));
  const auto index = gathered(*impl_, contents, terms);
  out.begin(words_image_name);
  out.put_text(term_rules(language_));
  out.put(at.value);
  out.put(retained);
  put_terms(out, index->terms);
  put_documents(out, *index, contents.slots);
  for (std::size_t of = 0; of < corpus_count; ++of) put_postings(out, *index, of);
  put_list<liveness_change>(out, index->changes.view());
}

bool lexical::knows(std::string_view image) const {
  const std::string rules = term_rules(language_);
  std::string expected(words_image_name);
  const auto length = static_cast<std::uint32_t>(rules.size());
  expected.append(reinterpret_cast<const char*>(&length), sizeof length);
  return image.starts_with(expected + rules);
}

result<void> lexical::load(const image_bytes& image) {
  ensure(impl_->slot_limit.load() == 0, "an image is loaded into an empty index");
  const image_bytes here = kept(image);
  auto in = image_reader::open_kept(here, words_image_name);
  if (!in) return propagate(in);
  // Terms of other rules would never meet those of a query, without a word.
  if (const auto rules = in->get_text(); rules != term_rules(language_))
    return fail(errc::corrupt, "the image of the lexical index has terms of other rules (\""
                                   + std::string(rules) + "\" instead of \"" + term_rules(language_)
                                   + "\")");
  auto loaded = std::make_unique<impl>();
  loaded->holder = here.holder;
  const auto at = in->get<std::uint64_t>();
  const auto retained = in->get<std::uint64_t>();
  if (!in->ok() || retained > at || !adopt_contents(*in, *loaded) || !in->at_end())
    return fail(errc::corrupt, "the image of the lexical index does not fit together");
  loaded->retained.store(retained, std::memory_order_release);
  impl_ = std::move(loaded);
  return {};
}

} // namespace mneme

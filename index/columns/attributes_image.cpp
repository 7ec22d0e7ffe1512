// The image: the columns and postings of an index that has nothing but the rows that some read
// still needs, as they lie in memory. Loading leaves the columns there.

#include <algorithm>
#include <utility>

#include "index/columns/attributes_state.hpp"
#include "index/columns/column_image.hpp"
#include "index/image.hpp"
#include "index/lexical/terms_image.hpp"

namespace mneme {

namespace {

constexpr std::string_view rows_image_name = "mnROWS07";

/// The terms that rows refer to are those below the limit of each dictionary. Texts that only later
/// rows brought are not saved.
void take_terms(term_dictionary& to, const term_dictionary& from, std::uint32_t limit) {
  for (std::uint32_t t = 0; t < limit; ++t) to.intern(from.text(t));
}

/// The records that reads from `from` to `at` need, in the order they were made.
std::vector<activation_record> activations_of(const activation_chain& chain, seq_no from,
                                              seq_no at) {
  std::vector<activation_record> all;
  for (node_no n{0}, limit{chain.node_limit()}; n < limit; ++n.value)
    chain.append_records(n, from, at, all);
  std::ranges::sort(all, {}, [](const activation_record& r) { return std::pair(r.seq, r.node); });
  return all;
}

/// Every row of a node is bounded by all of its records.
void take_activations(activation_chain& to, row_store& rows,
                      const std::vector<activation_record>& records) {
  sparse_column<use_bound> by_node;
  for (const activation_record& record : records) {
    to.set(record.node, {record.seq}, record.values);
    use_bound& use = by_node.grow(record.node.value);
    use = most_of(use, use_bound_of(record.values));
  }
  for (row_no row{0}; row.value < rows.size(); ++row.value)
    if (const use_bound* use = by_node.find(rows.line(row).node)) rows.raise_use(row, *use);
}

} // namespace

void attributes::impl::save(image_writer& out) const {
  for (const term_dictionary* terms : {&tags, &actors, &frames, &places}) put_terms(out, *terms);
  rows.save(out);
  put_column(out, facets, rows.size());
  std::uint32_t references = 0;
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    if (facets[row].reference != no_number)
      references = std::max(references, facets[row].reference + 1);
  put_column(out, last_of_reference, references);
  std::uint32_t doubts = 0;
  for (row_no row{0}; row.value < rows.size(); ++row.value)
    if (is_doubtful(rows.line(row), facets[row.value]))
      doubts = std::max(doubts, rows.line(row).node + 1);
  put_column(out, doubted, doubts);
  for (const std::uint64_t count : live.by_type) out.put(count);
  out.put(live.unembedded);
  out.put(ended_rows);
  activations.save(out);
  by_type.save(out, memory_type_count + 1);
  by_tag.save(out, tags.size());
  by_actor.save(out, actors.size());
  by_frame.save(out, frames.size());
  for (const posting* p : {&everybodys, &archived, &ending, &referring, &distrusted}) p->save(out);
}

bool attributes::impl::adopt(image_reader& in) {
  for (term_dictionary* terms : {&tags, &actors, &frames, &places})
    if (!adopt_terms(in, *terms)) return false;
  if (!rows.adopt(in) || !adopt_column(in, facets, rows.size())) return false;
  if (!adopt_column(in, last_of_reference) || !adopt_column(in, doubted)) return false;
  for (std::uint64_t& count : live.by_type) count = in.get<std::uint64_t>();
  live.unembedded = in.get<std::uint64_t>();
  ended_rows = in.get<std::uint32_t>();
  if (!activations.adopt(in)) return false;
  for (posting_set* set : {&by_type, &by_tag, &by_actor, &by_frame})
    if (!set->load(in)) return false;
  for (posting* p : {&everybodys, &archived, &ending, &referring, &distrusted})
    if (!p->load(in)) return false;
  return in.ok();
}

std::vector<row_no> attributes::kept_rows(seq_no at) const {
  const seq_no from = std::min(retained(), at);
  const std::uint32_t limit = rows_->count_at(at);
  std::vector<row_no> kept;
  for (row_no row{0}; row.value < limit; ++row.value)
    if (rows_->end(row) > from.value) kept.push_back(row);
  return kept;
}

std::vector<slot_no> attributes::kept_slots(seq_no at) const {
  std::vector<slot_no> slots;
  for (const row_no row : kept_rows(at))
    if (const slot_no its_slot = slot(row); its_slot.value != no_number) slots.push_back(its_slot);
  std::ranges::sort(slots);
  const auto again = std::ranges::unique(slots);
  slots.erase(again.begin(), again.end());
  return slots;
}

std::string attributes::save(seq_no at) const {
  const seq_no from = std::min(retained(), at);
  const std::vector<row_no> kept = kept_rows(at);
  std::uint32_t tag_limit = 0;
  std::uint32_t actor_limit = 0;
  std::uint32_t frame_limit = 0;
  std::uint32_t place_limit = 0;
  const auto cover = [](std::uint32_t& bound, std::uint32_t term) {
    bound = std::max(bound, term + 1);
  };
  for (const row_no row : kept) {
    const row_rest& r = rows_->rest(row);
    cover(actor_limit, rows_->line(row).actor);
    for (const std::uint32_t place : {facets(row).project, facets(row).path})
      if (place != no_number) cover(place_limit, place);
    for (std::uint32_t i = 0; i < r.tag_count; ++i)
      cover(tag_limit, rows_->term(r.terms_begin + i));
    for (std::uint32_t i = 0; i < r.frame_count; ++i)
      cover(frame_limit, rows_->term(r.terms_begin + r.tag_count + i));
  }
  impl fresh;
  take_terms(fresh.tags, impl_->tags, tag_limit);
  take_terms(fresh.actors, impl_->actors, actor_limit);
  take_terms(fresh.frames, impl_->frames, frame_limit);
  take_terms(fresh.places, impl_->places, place_limit);
  std::vector<std::uint32_t> terms;
  for (const row_no row : kept) {
    const row_line line = rows_->line_as_of(row, at);
    const row_rest& r = rows_->rest(row);
    terms.clear();
    for (std::uint32_t i = 0; i < std::uint32_t{r.tag_count} + r.frame_count; ++i)
      terms.push_back(rows_->term(r.terms_begin + i));
    const std::span all(terms);
    fresh.append(line, r, facets(row), all.first(r.tag_count), all.subspan(r.tag_count));
  }
  take_activations(fresh.activations, fresh.rows, activations_of(impl_->activations, from, at));
  image_writer out(rows_image_name);
  out.put(at.value);
  fresh.save(out);
  impl_->colours.save(out, from, at);
  impl_->weights.save(out, from, at);
  // Records may have been dropped meanwhile; what is promised is what is left.
  const seq_no promised = std::min(retained(), at);
  out.put(promised.value);
  impl_->searches.save(out, at);
  impl_->times.save(out, at);
  return out.finish();
}

result<void> attributes::load(const image_bytes& image) {
  ensure(row_count() == 0, "an image is loaded into empty attributes");
  const image_bytes here = kept(image);
  auto in = image_reader::open_kept(here, rows_image_name);
  if (!in) return propagate(in);
  auto loaded = std::make_unique<impl>();
  loaded->holder = here.holder;
  const seq_no at{in->get<std::uint64_t>()};
  bool is_whole =
      loaded->adopt(*in) && loaded->colours.load(*in, at) && loaded->weights.load(*in, at);
  const seq_no from{in->get<std::uint64_t>()};
  is_whole = is_whole && loaded->searches.load(*in, at) && loaded->times.load(*in, at);
  if (!is_whole || !in->at_end() || from > at)
    return fail(errc::corrupt, "the image of the rows does not fit together");
  loaded->retained.store(from.value, std::memory_order_release);
  loaded->activations.retain_from(from);
  loaded->colours.retain_from(from);
  loaded->weights.retain_from(from);
  loaded->searches.retain_from(from);
  loaded->times.retain_from(from);
  impl_ = std::move(loaded);
  rows_ = &impl_->rows;
  facets_ = &impl_->facets;
  return {};
}

} // namespace mneme

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

constexpr std::string_view rows_image_name = "mnROWS09";

/// The terms of a dictionary that saved rows have, which get numbers of their own in the same
/// order: a text that none of them has, since it came later or was erased, is not saved.
class kept_terms {
public:
  explicit kept_terms(const term_dictionary& from)
      : from_(from), renumbered_(from.size(), no_number) {}

  void keep(std::uint32_t term) {
    if (term != no_number) renumbered_[term] = 0;
  }
  /// After all that are kept.
  void take(term_dictionary& to) {
    for (std::uint32_t t = 0; t < renumbered_.size(); ++t)
      if (renumbered_[t] != no_number) renumbered_[t] = to.intern(from_.text(t));
  }
  [[nodiscard]] std::uint32_t of(std::uint32_t term) const {
    return term == no_number ? no_number : renumbered_[term];
  }

private:
  const term_dictionary& from_;
  std::vector<std::uint32_t> renumbered_;
};

/// The records that reads from `from` to `at` need, in the order they were made.
std::vector<activation_record> activations_of(const activation_chain& chain, const row_store& rows,
                                              seq_no from, seq_no at) {
  std::vector<activation_record> all;
  for (node_no n{0}, limit{chain.node_limit()}; n < limit; ++n.value)
    if (!rows.is_erased(n, at)) chain.append_records(n, from, at, all);
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

/// The row that brought the content has a vector where the new one has; a row behind it has one
/// where it had, too.
void refill(row_line& line, const refilled_slot& by) {
  const bool had = line.begin == by.since.value || (line.flags & row_has_vector) != 0;
  line.flags = static_cast<std::uint8_t>(line.flags & ~row_has_vector);
  if (had && by.has_vector) line.flags |= row_has_vector;
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
  out.put(ended_rows.load(std::memory_order_relaxed));
  activations.save(out);
  by_type.save(out, memory_type_count + 1);
  by_tag.save(out, tags.size());
  by_actor.save(out, actors.size());
  by_frame.save(out, frames.size());
  for (const posting* p : {&everybodys, &archived, &ending, &past, &referring, &distrusted})
    p->save(out);
}

bool attributes::impl::adopt(image_reader& in) {
  for (term_dictionary* terms : {&tags, &actors, &frames, &places})
    if (!adopt_terms(in, *terms)) return false;
  note_speakers(0);
  if (!rows.adopt(in) || !adopt_column(in, facets, rows.size())) return false;
  if (!adopt_column(in, last_of_reference) || !adopt_column(in, doubted)) return false;
  for (std::uint64_t& count : live.by_type) count = in.get<std::uint64_t>();
  live.unembedded = in.get<std::uint64_t>();
  ended_rows = in.get<std::uint32_t>();
  if (!activations.adopt(in)) return false;
  for (posting_set* set : {&by_type, &by_tag, &by_actor, &by_frame})
    if (!set->load(in)) return false;
  for (posting* p : {&everybodys, &archived, &ending, &past, &referring, &distrusted})
    if (!p->load(in)) return false;
  return in.ok();
}

std::vector<row_no> attributes::kept_rows(seq_no at) const {
  const seq_no from = std::min(retained(), at);
  const std::uint32_t limit = rows_->count_at(at);
  std::vector<row_no> kept;
  for (row_no row{0}; row.value < limit; ++row.value)
    if (rows_->end(row) > from.value && !rows_->is_erased_content(row, at)) kept.push_back(row);
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

std::string attributes::save(seq_no at,
                             const std::map<std::uint32_t, refilled_slot>& refilled) const {
  image_writer out;
  save(out, at, refilled);
  return out.finish();
}

void attributes::save(image_writer& out, seq_no at,
                      const std::map<std::uint32_t, refilled_slot>& refilled) const {
  const seq_no from = std::min(retained(), at);
  const std::vector<row_no> kept = kept_rows(at);
  kept_terms tags(impl_->tags);
  kept_terms actors(impl_->actors);
  kept_terms frames(impl_->frames);
  kept_terms places(impl_->places);
  for (const row_no row : kept) {
    const row_rest& r = rows_->rest(row);
    actors.keep(rows_->line(row).actor);
    places.keep(facets(row).project);
    places.keep(facets(row).path);
    for (std::uint32_t i = 0; i < r.tag_count; ++i) tags.keep(rows_->term(r.terms_begin + i));
    for (std::uint32_t i = 0; i < r.frame_count; ++i)
      frames.keep(rows_->term(r.terms_begin + r.tag_count + i));
  }
  impl fresh;
  tags.take(fresh.tags);
  actors.take(fresh.actors);
  frames.take(fresh.frames);
  places.take(fresh.places);
  std::vector<std::uint32_t> terms;
  for (const row_no row : kept) {
    row_line line = rows_->line_as_of(row, at);
    if (const auto found = refilled.find(line.slot); found != refilled.end())
      refill(line, found->second);
    line.actor = actors.of(line.actor);
    const row_rest& r = rows_->rest(row);
    row_facets its_facets = facets(row);
    its_facets.project = places.of(its_facets.project);
    its_facets.path = places.of(its_facets.path);
    terms.clear();
    for (std::uint32_t i = 0; i < r.tag_count; ++i)
      terms.push_back(tags.of(rows_->term(r.terms_begin + i)));
    for (std::uint32_t i = 0; i < r.frame_count; ++i)
      terms.push_back(frames.of(rows_->term(r.terms_begin + r.tag_count + i)));
    const std::span all(terms);
    fresh.append(line, r, its_facets, all.first(r.tag_count), all.subspan(r.tag_count));
  }
  take_activations(fresh.activations, fresh.rows,
                   activations_of(impl_->activations, *rows_, from, at));
  out.begin(rows_image_name);
  out.put(at.value);
  fresh.save(out);
  impl_->colours.save(out, from, at, [&](node_no node) { return !rows_->is_erased(node, at); });
  impl_->weights.save(out, from, at);
  // Records may have been dropped meanwhile; what is promised is what is left.
  const seq_no promised = std::min(retained(), at);
  out.put(promised.value);
  impl_->searches.save(out, at);
  impl_->times.save(out, at);
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

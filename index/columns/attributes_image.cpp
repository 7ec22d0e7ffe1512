#include <algorithm>
#include <utility>

#include "index/columns/attributes_state.hpp"
#include "index/image.hpp"

namespace mneme {

namespace {

constexpr std::string_view rows_image_name = "mnROWS06";
constexpr std::size_t record_bytes = 4 + 8 + 8 + 8 + 8 + 1 + 8;

/// The terms a saved row may refer to: those below the limit of each dictionary. Texts that only
/// later rows brought are not saved.
struct term_limits {
  std::uint32_t tags = 0;
  std::uint32_t actors = 0;
  std::uint32_t frames = 0;
  std::uint32_t places = 0;
};

/// A row in the image, as its bytes are; its tags and frames follow.
struct saved_line {
  std::uint64_t begin;
  std::uint64_t end;
  std::int64_t created_at_ns;
  std::int64_t last_updated_at_ns;
  std::int64_t valid_from_ns;
  std::int64_t valid_until_ns;
  std::int64_t version_created_at_ns;
  double confidence;
  std::uint32_t node;
  std::uint32_t slot;
  std::uint32_t actor;
  std::uint32_t version;
  memory_type type;
  mneme::visibility visibility;
  std::uint8_t importance;
  std::uint8_t flags;
  std::uint16_t tag_count;
  std::uint16_t frame_count;
};
static_assert(sizeof(saved_line) == 88, "no padding may enter the image");

struct saved_row {
  row_line line;
  row_rest rest;
  row_facets facets;
  std::vector<std::uint32_t> tags;
  std::vector<std::uint32_t> frames;
};

void put_dictionary(image_writer& out, const term_dictionary& terms, std::uint32_t limit) {
  out.put(std::uint64_t{limit});
  for (std::uint32_t t = 0; t < limit; ++t) out.put_text(terms.text(t));
}

bool get_dictionary(image_reader& in, term_dictionary& terms) {
  const std::uint64_t count = in.get_count(sizeof(std::uint32_t));
  for (std::uint64_t t = 0; t < count; ++t)
    if (terms.intern(in.get_text()) != t || !in.ok()) return false;
  return in.ok();
}

void put_row(image_writer& out, const row_store& rows, const row_facets& facets, row_no row,
             seq_no at) {
  const row_line& l = rows.line(row);
  const row_rest& r = rows.rest(row);
  const std::uint64_t end = rows.end(row);
  const saved_line saved{.begin = l.begin,
                         .end = end > at.value ? forever : end,
                         .created_at_ns = l.created_at_ns,
                         .last_updated_at_ns = l.last_updated_at_ns,
                         .valid_from_ns = l.valid_from_ns,
                         .valid_until_ns = l.valid_until_ns,
                         .version_created_at_ns = r.version_created_at_ns,
                         .confidence = r.confidence,
                         .node = l.node,
                         .slot = l.slot,
                         .actor = l.actor,
                         .version = r.version,
                         .type = l.type,
                         .visibility = l.visibility,
                         .importance = l.importance,
                         .flags = l.flags,
                         .tag_count = r.tag_count,
                         .frame_count = r.frame_count};
  out.put_raw({reinterpret_cast<const char*>(&saved), sizeof saved});
  // The number of the row before means nothing in an image.
  row_facets own_facets = facets;
  own_facets.before_of_reference = no_number;
  out.put_raw({reinterpret_cast<const char*>(&own_facets), sizeof own_facets});
  const std::uint32_t terms_end = r.terms_begin + r.tag_count + r.frame_count;
  for (std::uint32_t i = r.terms_begin; i < terms_end; ++i) out.put(rows.term(i));
}

void get_terms(image_reader& in, std::vector<std::uint32_t>& terms, std::size_t count) {
  terms.clear();
  const std::string_view raw = in.get_raw(count * sizeof(std::uint32_t));
  if (raw.empty()) return;
  terms.resize(count);
  std::memcpy(terms.data(), raw.data(), raw.size());
}

void get_row(image_reader& in, saved_row& row) {
  const std::string_view raw = in.get_raw(sizeof(saved_line));
  if (raw.empty()) return;
  saved_line saved;
  std::memcpy(&saved, raw.data(), sizeof saved);
  row.line = {.begin = saved.begin,
              .end = saved.end,
              .created_at_ns = saved.created_at_ns,
              .last_updated_at_ns = saved.last_updated_at_ns,
              .valid_from_ns = saved.valid_from_ns,
              .valid_until_ns = saved.valid_until_ns,
              .node = saved.node,
              .slot = saved.slot,
              .actor = saved.actor,
              .type = saved.type,
              .visibility = saved.visibility,
              .importance = saved.importance,
              .flags = saved.flags};
  row.rest = {.version_created_at_ns = saved.version_created_at_ns,
              .confidence = saved.confidence,
              .version = saved.version,
              .terms_begin = 0,
              .tag_count = 0,
              .frame_count = 0,
              .before_of_node = no_number};
  const std::string_view raw_facets = in.get_raw(sizeof(row_facets));
  if (raw_facets.empty()) return;
  std::memcpy(&row.facets, raw_facets.data(), sizeof row.facets);
  get_terms(in, row.tags, saved.tag_count);
  get_terms(in, row.frames, saved.frame_count);
}

/// All records that reads from `from` to `at` need, in the order they were made.
void put_activations(image_writer& out, const activation_chain& chain, seq_no from, seq_no at) {
  std::vector<activation_record> all;
  for (node_no n{0}, limit{chain.node_limit()}; n < limit; ++n.value)
    chain.append_records(n, from, at, all);
  std::ranges::sort(all, {}, [](const activation_record& r) { return std::pair(r.seq, r.node); });
  out.put(std::uint64_t{all.size()});
  for (const activation_record& record : all) {
    out.put(record.node.value);
    out.put(record.seq);
    out.put(record.values.last_used.ns);
    out.put(record.values.access_count);
    out.put(record.values.citations);
    out.put(record.values.importance);
    out.put(record.values.topic_salience_e9);
  }
}

} // namespace

// Every row of a node is bounded by all of its records.
bool attributes::impl::load_activations(image_reader& in, seq_no at) {
  sparse_column<use_bound> by_node;
  const std::uint64_t count = in.get_count(record_bytes);
  std::uint64_t last_seq = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const node_no node{in.get<std::uint32_t>()};
    const seq_no seq{in.get<std::uint64_t>()};
    activation values;
    values.last_used.ns = in.get<std::int64_t>();
    values.access_count = in.get<std::int64_t>();
    values.citations = in.get<std::int64_t>();
    values.importance = in.get<std::uint8_t>();
    values.topic_salience_e9 = in.get<std::int64_t>();
    if (!in.ok() || node.value == no_number || seq.value < last_seq || seq > at) return false;
    last_seq = seq.value;
    activations.set(node, seq, values);
    use_bound& use = by_node.grow(node.value);
    use = most_of(use, use_bound_of(values));
  }
  for (row_no row{0}; row.value < rows.size(); ++row.value)
    if (const use_bound* use = by_node.find(rows.line(row).node)) rows.raise_use(row, *use);
  return in.ok();
}

bool attributes::impl::fits(const row_line& line, std::span<const std::uint32_t> tag_terms,
                            std::span<const std::uint32_t> frame_terms) const {
  const auto is_below = [](std::span<const std::uint32_t> terms, std::uint32_t limit) {
    return std::ranges::all_of(terms, [limit](std::uint32_t t) { return t < limit; });
  };
  if (line.node == no_number || line.end < line.begin) return false;
  if (!is_memory_type(line.type) || line.actor >= actors.size()) return false;
  if (!is_below(tag_terms, tags.size()) || !is_below(frame_terms, frames.size())) return false;
  const std::uint32_t count = rows.size();
  if (count != 0 && rows.line({count - 1}).begin > line.begin) return false;
  const row_no before = rows.last_of({line.node});
  return before.value == no_number || rows.end(before) <= line.begin;
}

bool attributes::impl::fits(const row_facets& f) const {
  const auto is_place = [this](std::uint32_t term) {
    return term == no_number || term < places.size();
  };
  return is_place(f.project) && is_place(f.path)
         && f.status <= static_cast<std::uint8_t>(lifecycle_status::archived)
         && f.origin <= static_cast<std::uint8_t>(lifecycle_origin::auto_)
         && f.audience <= static_cast<std::uint8_t>(lifecycle_audience::work)
         && (f.flags & ~facet_flags_all) == 0 && f.distrust_e9 <= distrust_max_e9;
}

bool attributes::impl::load_rows(image_reader& in, seq_no at) {
  const std::uint64_t count = in.get_count(sizeof(saved_line) + sizeof(row_facets));
  saved_row row{};
  for (std::uint64_t i = 0; i < count; ++i) {
    get_row(in, row);
    if (!in.ok() || !fits(row.line, row.tags, row.frames) || !fits(row.facets)) return false;
    if (row.facets.stands_since > row.line.begin) return false;
    if (row.line.begin > at.value || (row.line.end > at.value && row.line.end != forever))
      return false;
    append(row.line, row.rest, row.facets, row.tags, row.frames);
  }
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
  term_limits terms;
  const auto cover = [](std::uint32_t& bound, std::uint32_t term) {
    bound = std::max(bound, term + 1);
  };
  for (const row_no row : kept) {
    const row_rest& r = rows_->rest(row);
    cover(terms.actors, rows_->line(row).actor);
    for (const std::uint32_t place : {facets(row).project, facets(row).path})
      if (place != no_number) cover(terms.places, place);
    for (std::uint32_t i = 0; i < r.tag_count; ++i)
      cover(terms.tags, rows_->term(r.terms_begin + i));
    for (std::uint32_t i = 0; i < r.frame_count; ++i)
      cover(terms.frames, rows_->term(r.terms_begin + r.tag_count + i));
  }
  image_writer out(rows_image_name);
  out.reserve(kept.size() * (sizeof(saved_line) + sizeof(row_facets) + 16) + 4096);
  out.put(at.value);
  put_dictionary(out, impl_->tags, terms.tags);
  put_dictionary(out, impl_->actors, terms.actors);
  put_dictionary(out, impl_->frames, terms.frames);
  put_dictionary(out, impl_->places, terms.places);
  out.put(std::uint64_t{kept.size()});
  for (const row_no row : kept) put_row(out, *rows_, facets(row), row, at);
  put_activations(out, impl_->activations, from, at);
  impl_->colours.save(out, from, at);
  impl_->weights.save(out, from, at);
  // Records may have been dropped meanwhile; what is promised is what is left.
  const seq_no promised = std::min(retained(), at);
  out.put(promised.value);
  impl_->searches.save(out, at);
  impl_->times.save(out, at);
  return out.finish();
}

result<void> attributes::load(std::string_view image) {
  ensure(row_count() == 0, "an image is loaded into empty attributes");
  auto in = image_reader::open(image, rows_image_name);
  if (!in) return propagate(in);
  auto loaded = std::make_unique<impl>();
  const seq_no at{in->get<std::uint64_t>()};
  const bool is_whole = get_dictionary(*in, loaded->tags) && get_dictionary(*in, loaded->actors)
                        && get_dictionary(*in, loaded->frames)
                        && get_dictionary(*in, loaded->places) && loaded->load_rows(*in, at)
                        && loaded->load_activations(*in, at) && loaded->colours.load(*in, at)
                        && loaded->weights.load(*in, at);
  const seq_no from{in->get<std::uint64_t>()};
  // Images of before end here: nobody had set what searches weigh by.
  const bool has_rest =
      in->at_end() || (loaded->searches.load(*in, at) && loaded->times.load(*in, at));
  if (!is_whole || !has_rest || !in->at_end() || from > at)
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

#include "index/columns/attributes.hpp"

#include <algorithm>
#include <limits>

#include "index/columns/attributes_state.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t row_terms_max = 0xFFFF;

/// Interns each text once, in the given order.
template <class Texts, class ToText>
std::vector<std::uint32_t> intern_all(term_dictionary& terms, const Texts& texts, ToText to_text) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(texts.size());
  for (const auto& t : texts) {
    const std::uint32_t number = terms.intern(to_text(t));
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  return numbers;
}

row_line line_of(const row_values& v, seq_no begin, std::uint32_t actor) {
  return {.begin = begin.value,
          .end = forever,
          .created_at_ns = v.created_at.ns,
          .last_updated_at_ns = v.last_updated_at.ns,
          .valid_from_ns = v.valid_from.ns,
          .valid_until_ns = v.valid_until_ns,
          .node = v.node.value,
          .slot = v.slot.value,
          .actor = actor,
          .type = v.type,
          .visibility = v.visibility,
          .importance = v.importance,
          .flags = static_cast<std::uint8_t>((v.tombstoned ? row_tombstoned : 0)
                                             | (v.past ? row_past : 0) | (v.erased ? row_erased : 0)
                                             | (v.has_vector ? row_has_vector : 0)
                                             | (v.archived ? row_archived : 0))};
}

} // namespace

std::string frame_text(const intent_frame& frame) {
  std::string text;
  text.reserve(frame.ref.size() + 2);
  text.push_back(static_cast<char>(frame.action));
  text.push_back(static_cast<char>(frame.kind));
  text.append(frame.ref);
  return text;
}

std::uint32_t attributes::impl::place_terms(std::span<const std::uint32_t> tag_terms,
                                            std::span<const std::uint32_t> frame_terms,
                                            row_no like) {
  const auto equals = [&](std::uint32_t position, std::span<const std::uint32_t> terms) {
    for (const std::uint32_t term : terms)
      if (rows.term(position++) != term) return false;
    return true;
  };
  if (like.value != no_number) {
    const row_rest& r = rows.rest(like);
    if (r.tag_count == tag_terms.size() && r.frame_count == frame_terms.size()
        && equals(r.terms_begin, tag_terms) && equals(r.terms_begin + r.tag_count, frame_terms))
      return r.terms_begin;
  }
  const std::uint32_t begin = rows.terms_end();
  for (const std::uint32_t term : tag_terms) rows.append_term(term);
  for (const std::uint32_t term : frame_terms) rows.append_term(term);
  return begin;
}

namespace {

std::string speaker_text(std::span<const std::string> words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

} // namespace

void attributes::impl::note_speakers(std::uint32_t first) {
  constexpr std::string_view prefix = "speaker:";
  for (std::uint32_t tag = first; tag < tags.size(); ++tag) {
    const std::string_view text = tags.text(tag);
    if (!text.starts_with(prefix)) continue;
    const auto words = folded_words(text.substr(prefix.size()));
    const std::string name = speaker_text(words);
    if (name.empty()) continue;
    const bool is_address = text.find('@') != std::string_view::npos;
    if (words.size() > 1 && !is_address) note_parts(words, tag);
    std::uint32_t& newest = tag_of_speaker.grow(speakers.intern(name));
    store_release(tag_of_the_same.grow(tag), newest);
    store_release(newest, tag + 1);
  }
}

void attributes::impl::note_parts(const std::vector<std::string>& name, std::uint32_t tag) {
  ensure(name.size() > 1, "a name of one word is found by all of it");
  for (auto word = name.begin(); word != name.end(); ++word) {
    if (std::find(name.begin(), word, *word) != word) continue; // it was there already
    std::uint32_t& newest = newest_part.grow(name_parts.intern(*word));
    named_parts.grow(named_part_count) = {.tag = tag, .next = newest};
    store_release(newest, ++named_part_count);
  }
}

row_facets attributes::impl::intern(const facet_values& v) {
  const auto place = [this](std::string_view text) {
    return text.empty() ? no_number : places.intern(text);
  };
  const auto byte = [](const auto& name) {
    return name ? static_cast<std::uint8_t>(*name) : std::uint8_t{0};
  };
  return {.due_ns = v.due ? v.due->ns : 0,
          .project = place(v.project),
          .path = place(v.path),
          .reference = v.reference.value,
          .before_of_reference = no_number,
          .status = byte(v.status),
          .origin = byte(v.origin),
          .audience = byte(v.audience),
          .flags = static_cast<std::uint8_t>((v.atomic ? facet_atomic : 0)
                                             | (v.from_github ? facet_from_github : 0)
                                             | (v.due ? facet_has_due : 0)),
          .distrust_e9 = v.distrust_e9,
          .stands_since = v.stands_since.value};
}

row_no attributes::impl::append(const row_line& line, row_rest rest, row_facets its_facets,
                                std::span<const std::uint32_t> tag_terms,
                                std::span<const std::uint32_t> frame_terms) {
  ensure(tag_terms.size() <= row_terms_max && frame_terms.size() <= row_terms_max,
         "a row has at most 65535 tags and frames");
  rest.terms_begin = place_terms(tag_terms, frame_terms, rows.last_of({line.node}));
  rest.tag_count = static_cast<std::uint16_t>(tag_terms.size());
  rest.frame_count = static_cast<std::uint16_t>(frame_terms.size());
  std::uint32_t* last_of = nullptr;
  if (its_facets.reference != no_number) {
    last_of = &last_of_reference.grow(its_facets.reference);
    its_facets.before_of_reference = *last_of - 1;
  }
  facets.grow(rows.size()) = its_facets;
  if (is_doubtful(line, its_facets)) store_release(doubted.grow(line.node), std::uint8_t{1});
  const row_no row = rows.append(line, rest);
  if (line.end == forever)
    live.begin(line);
  else
    ++ended_rows;
  if (last_of != nullptr) store_release(*last_of, row.value + 1);
  by_type.grow(static_cast<std::uint8_t>(line.type)).add(row.value, lives);
  by_actor.grow(line.actor).add(row.value, lives);
  if (line.visibility == visibility::actor_public) everybodys.add(row.value, lives);
  if ((line.flags & row_archived) != 0) archived.add(row.value, lives);
  if (line.valid_until_ns != std::numeric_limits<std::int64_t>::max()) ending.add(row.value, lives);
  if ((line.flags & row_past) != 0) past.add(row.value, lives);
  if (its_facets.reference != no_number) referring.add(row.value, lives);
  if (its_facets.distrust_e9 != 0) distrusted.add(row.value, lives);
  for (const std::uint32_t term : tag_terms) by_tag.grow(term).add(row.value, lives);
  for (const std::uint32_t term : frame_terms) by_frame.grow(term).add(row.value, lives);
  return row;
}

/// A row begins with what its memory was used for so far.
void attributes::impl::raise_use(row_no row, row_no before) {
  if (before.value != no_number) {
    rows.raise_use(row, rows.use(before));
  } else if (const auto used = activations.find({rows.line(row).node}, {forever})) {
    rows.raise_use(row, use_bound_of(*used));
  }
}

attributes::attributes()
    : impl_(std::make_unique<impl>()), rows_(&impl_->rows), facets_(&impl_->facets) {
}
attributes::~attributes() = default;

row_no attributes::put(const row_values& values, seq_no begin) {
  ensure(values.node.value != no_number, "a row belongs to a node");
  ensure(is_memory_type(values.type), "a row has a known type");
  const std::uint32_t actor = impl_->actors.intern(values.actor_scope);
  const std::uint32_t tags_before = impl_->tags.size();
  const auto tag_terms = intern_all(impl_->tags, values.tags,
                                    [](const std::string& t) { return std::string_view(t); });
  impl_->note_speakers(tags_before);
  const auto frame_terms = intern_all(impl_->frames, values.frames, frame_text);
  const row_no before = rows_->last_of(values.node);
  const row_rest rest{.version_created_at_ns = values.version_created_at.ns,
                      .confidence = values.confidence,
                      .version = values.version,
                      .terms_begin = 0,
                      .tag_count = 0,
                      .frame_count = 0,
                      .before_of_node = no_number};
  const row_no row = impl_->append(line_of(values, begin, actor), rest,
                                   impl_->intern(values.facets), tag_terms, frame_terms);
  impl_->raise_use(row, before);
  if (before.value != no_number) {
    impl_->live.end(rows_->line(before));
    impl_->rows.close(before, begin.value);
    ++impl_->ended_rows;
  }
  return row;
}

void attributes::set_activation(node_no node, seq_no seq, const activation& values) {
  ensure(node.value != no_number, "activation belongs to a node");
  impl_->activations.set(node, seq, values);
  const use_bound use = use_bound_of(values);
  for (row_no row = rows_->last_of(node); row.value != no_number && rows_->end(row) > seq.value;
       row.value = rows_->rest(row).before_of_node)
    impl_->rows.raise_use(row, use);
}

void attributes::set_weights(std::string_view actor, seq_no seq, const learned_weights& weights) {
  impl_->weights.put(actor, seq, weights);
}

learned_weights attributes::weights_of(std::string_view actor, seq_no at) const {
  return impl_->weights.find(actor, at);
}

void attributes::note_entry(seq_no seq, timestamp at) {
  impl_->times.put(seq, at);
}

void attributes::set_search(search_setting setting) {
  impl_->searches.put(std::move(setting));
}

std::shared_ptr<const search_setting> attributes::search_at(seq_no at) const {
  return impl_->searches.find(at);
}

std::optional<timestamp> attributes::entry_time(seq_no at) const {
  return impl_->times.find(at);
}

void attributes::retain_from(seq_no seq) {
  if (seq.value <= impl_->retained.load(std::memory_order_relaxed)) return;
  impl_->retained.store(seq.value, std::memory_order_release);
  impl_->activations.retain_from(seq);
  impl_->colours.retain_from(seq);
  impl_->weights.retain_from(seq);
  impl_->searches.retain_from(seq);
  impl_->times.retain_from(seq);
}

std::uint64_t attributes::activation_history_size() const {
  return impl_->activations.history_size();
}

std::uint32_t attributes::ended_rows() const {
  return impl_->ended_rows.load(std::memory_order_relaxed);
}

colour_index& attributes::colours() {
  return impl_->colours;
}

const live_counts& attributes::live() const {
  return impl_->live;
}

const colour_index& attributes::colours() const {
  return impl_->colours;
}

seq_no attributes::retained() const {
  return {impl_->retained.load(std::memory_order_acquire)};
}

std::uint32_t attributes::name_count() const {
  return std::max({impl_->tags.size(), impl_->frames.size(), impl_->actors.size(),
                   impl_->places.size(), impl_->weights.actor_count()});
}

std::vector<term_no> attributes::speaker_tags(std::span<const std::string> words) const {
  std::vector<term_no> found;
  const std::uint32_t speaker = impl_->speakers.find(speaker_text(words));
  if (speaker == no_number) return found;
  const std::uint32_t* newest = impl_->tag_of_speaker.find(speaker);
  std::uint32_t next = newest == nullptr ? 0 : load_acquire(*newest);
  while (next != 0) {
    const std::uint32_t tag = next - 1;
    found.push_back({tag});
    const std::uint32_t* other = impl_->tag_of_the_same.find(tag);
    ensure(other != nullptr, "a tag of a speaker leads on");
    next = load_acquire(*other);
  }
  return found;
}

std::vector<term_no> attributes::speaker_tags_with(std::string_view word) const {
  std::vector<term_no> found;
  const std::uint32_t part = impl_->name_parts.find(word);
  if (part == no_number) return found;
  const std::uint32_t* newest = impl_->newest_part.find(part);
  std::uint32_t next = newest == nullptr ? 0 : load_acquire(*newest);
  while (next != 0) {
    const impl::named_part& named = impl_->named_parts[next - 1];
    ensure(named.next < next, "parts lead to older ones");
    found.push_back({named.tag});
    next = named.next;
  }
  return found;
}

std::vector<term_no> attributes::tags(row_no row) const {
  const row_rest& r = rows_->rest(row);
  std::vector<term_no> found(r.tag_count);
  for (std::uint32_t i = 0; i < r.tag_count; ++i) found[i] = {rows_->term(r.terms_begin + i)};
  return found;
}

std::vector<intent_frame> attributes::frames(row_no row) const {
  const row_rest& r = rows_->rest(row);
  std::vector<intent_frame> found(r.frame_count);
  for (std::uint32_t i = 0; i < r.frame_count; ++i) {
    const auto text = impl_->frames.text(rows_->term(r.terms_begin + r.tag_count + i));
    found[i] = {.action = static_cast<verb>(text[0]),
                .kind = static_cast<object_kind>(text[1]),
                .ref = std::string(text.substr(2))};
  }
  return found;
}

term_no attributes::tag_term(std::string_view tag) const {
  return {impl_->tags.find(tag)};
}

term_no attributes::actor_term(std::string_view actor) const {
  return {impl_->actors.find(actor)};
}

std::vector<std::pair<std::string, term_no>>
attributes::tags_with_prefix(std::string_view prefix) const {
  std::vector<std::pair<std::string, term_no>> found;
  const std::uint32_t count = impl_->tags.size();
  for (std::uint32_t tag = 0; tag < count; ++tag)
    if (const std::string_view text = impl_->tags.text(tag); text.starts_with(prefix))
      found.emplace_back(text, term_no{tag});
  return found;
}

std::optional<seq_no> attributes::entry_at(timestamp time, seq_no at) const {
  return impl_->times.last_until(time, at);
}

std::string attributes::tag_text(term_no tag) const {
  return std::string(impl_->tags.text(tag.value));
}

std::string attributes::actor_text(term_no actor) const {
  return std::string(impl_->actors.text(actor.value));
}

void attributes::for_each_referring(node_no node, const std::function<bool(row_no)>& visit) const {
  const std::uint32_t* last = impl_->last_of_reference.find(node.value);
  row_no row{last == nullptr ? no_number : load_acquire(*last) - 1};
  while (row.value != no_number && visit(row)) {
    const std::uint32_t before = facets(row).before_of_reference;
    ensure(before == no_number || before < row.value, "what refers is told newest first");
    row.value = before;
  }
}

bool attributes::is_referred_to(node_no node) const {
  const std::uint32_t* last = impl_->last_of_reference.find(node.value);
  return last != nullptr && load_acquire(*last) != 0;
}

term_no attributes::place_term(std::string_view place) const {
  return {impl_->places.find(place)};
}

std::string_view attributes::place_text(term_no place) const {
  return impl_->places.text(place.value);
}

std::shared_ptr<const posting_view> attributes::with_type(memory_type type, seq_no at) const {
  return impl_->by_type.view(static_cast<std::uint8_t>(type), at);
}

std::shared_ptr<const posting_view> attributes::with_tag(term_no tag, seq_no at) const {
  return impl_->by_tag.view(tag.value, at);
}

std::shared_ptr<const posting_view> attributes::with_actor(term_no actor, seq_no at) const {
  return impl_->by_actor.view(actor.value, at);
}

std::shared_ptr<const posting_view> attributes::everybodys(seq_no at) const {
  return impl_->everybodys.view(at);
}

std::shared_ptr<const posting_view> attributes::with_frame(const intent_frame& frame,
                                                           seq_no at) const {
  return impl_->by_frame.view(impl_->frames.find(frame_text(frame)), at);
}

std::shared_ptr<const posting_view> attributes::archived() const {
  return impl_->archived.view();
}

std::shared_ptr<const posting_view> attributes::ending() const {
  return impl_->ending.view();
}

std::shared_ptr<const posting_view> attributes::past() const {
  return impl_->past.view();
}

std::shared_ptr<const posting_view> attributes::referring() const {
  return impl_->referring.view();
}

bool attributes::ever_in_doubt(node_no node) const {
  const std::uint8_t* is_doubted = impl_->doubted.find(node.value);
  return is_doubted != nullptr && load_acquire(*is_doubted) != 0;
}

void attributes::expect_doubts(node_no node) const {
  __builtin_prefetch(impl_->doubted.find(node.value));
}

std::shared_ptr<const posting_view> attributes::distrusted() const {
  return impl_->distrusted.view();
}

activation attributes::activation_of(node_no node, seq_no at) const {
  return impl_->activations.find(node, at).value_or(activation{});
}

void attributes::prefetch_activation(node_no node) const {
  impl_->activations.prefetch(node);
}

std::uint64_t attributes::live_count(memory_type type, seq_no at) const {
  std::vector<std::uint32_t> rows;
  with_type(type, at)->append_to(rows);
  return static_cast<std::uint64_t>(std::ranges::count_if(rows, [&](std::uint32_t row) {
    const auto flags = rows_->line({row}).flags;
    return (flags & row_gone) == 0 && rows_->alive({row}, at);
  }));
}

} // namespace mneme

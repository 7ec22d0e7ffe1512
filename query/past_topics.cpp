#include "query/past_topics.hpp"

#include <algorithm>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

past_topic_test::past_topic_test(const read_views& views, seq_no at, const value_time& when,
                                 const std::vector<std::string>& terms, const deadline& time,
                                 known_field_values& known)
    : views_(views), at_(at), when_(when), time_(time), known_(known), language_(views.language) {
  for (const auto& term : terms)
    if (!is_function_term(term, language_)) telling_.push_back(term);
}

result<bool> past_topic_test::is_past(row_no row) {
  // What no field says is in no text that was made of them.
  if (!is_indexed_with_any(views_.attributes->slot(row))) return false;
  auto values = values_of(row);
  if (!values) return propagate(values);
  std::vector<topic_value> told;
  std::vector<topic_value> past;
  for (const auto& v : **values) (when_.tells(v) ? told : past).push_back(v);
  if (!says_any(field_lines(past)) || says_any(field_lines(told))) return false;
  // Values that are known of an earlier turn needed no reader.
  if (auto ok = open(); !ok) return propagate(ok);
  auto record = read_memory(views_, *reader_, views_.attributes->node(row), row, at_);
  if (!record) return propagate(record);
  if (!record->has_value())
    return fail(errc::corrupt, "a topic has a row, but no record in the store");
  return !says_any(searched_text(memory_type::topic, (*record)->what.version->data));
}

result<const std::vector<topic_value>*> past_topic_test::values_of(row_no row) {
  const auto known = known_.find(row.value);
  if (known != known_.end()) return &known->second;
  if (auto ok = open(); !ok) return propagate(ok);
  auto values = read_field_values(*reader_, views_.nodes->id(views_.attributes->node(row)), at_);
  if (!values) return propagate(values);
  return &known_.emplace(row.value, std::move(*values)).first->second;
}

result<void> past_topic_test::open() {
  if (reader_) return {};
  auto reader = reader_in_time(views_, time_);
  if (!reader) return propagate(reader);
  reader_ = std::move(*reader);
  return {};
}

bool past_topic_test::is_indexed_with_any(slot_no slot) const {
  const auto had = views_.lexical->terms(slot); // by their numbers
  return std::ranges::any_of(telling_, [&](const auto& term) {
    const term_no number = views_.lexical->term(term);
    return number.value != no_number
           && std::ranges::binary_search(had, number.value, {}, &term_count::term);
  });
}

bool past_topic_test::says_any(std::string_view text) const {
  if (text.empty()) return false;
  const auto had = text_terms(text, language_);
  return std::ranges::any_of(
      telling_, [&](const auto& term) { return std::ranges::find(had, term) != had.end(); });
}

} // namespace mneme

/// Topics that are found by nothing but what a field held until some time. A topic's text is made
/// when it is written, and has what its fields hold by then; that a value has ended since, only the
/// value says. It is asked of the hits alone, so that a search whose topics hold what they say
/// costs nothing more.

#include <algorithm>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"
#include "query/search/search_state.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

/// What is still there by then is left out, and nothing comes in its place.
constexpr int most_times = 8;

class past_topic_test {
public:
  past_topic_test(search_state& s, const read_views& views)
      : s_(s), views_(views), language_(views.lexical->language()) {
    for (const auto& term : s.terms)
      if (!is_function_term(term, language_)) telling_.push_back(term);
  }

  [[nodiscard]] bool is_topic(const leg_row& r) const {
    return views_.attributes->rows().line(r.row).type == memory_type::topic;
  }
  /// Of a topic: has a value that is not told words of the question, and has nothing else any?
  result<bool> is_past(const leg_row& r) {
    auto values = values_of(r.row);
    if (!values) return propagate(values);
    std::vector<topic_value> told;
    std::vector<topic_value> past;
    for (const auto& v : **values) (s_.when().tells(v) ? told : past).push_back(v);
    if (!says_any(field_lines(past)) || says_any(field_lines(told))) return false;
    // Values that are known of an earlier turn needed no reader.
    if (auto ok = open(); !ok) return propagate(ok);
    auto record =
        read_memory(views_, *reader_, views_.attributes->node(r.row), r.row, s_.context.at);
    if (!record) return propagate(record);
    if (!record->has_value())
      return fail(errc::corrupt, "a topic has a row, but no record in the store");
    return !says_any(searched_text(memory_type::topic, (*record)->what.version->data));
  }

private:
  result<const std::vector<topic_value>*> values_of(row_no row) {
    const auto known = s_.field_values.find(row.value);
    if (known != s_.field_values.end()) return &known->second;
    if (auto ok = open(); !ok) return propagate(ok);
    auto values =
        read_field_values(*reader_, views_.nodes->id(views_.attributes->node(row)), s_.context.at);
    if (!values) return propagate(values);
    return &s_.field_values.emplace(row.value, std::move(*values)).first->second;
  }
  result<void> open() {
    if (reader_) return {};
    auto reader = reader_in_time(views_, s_.time);
    if (!reader) return propagate(reader);
    reader_ = std::move(*reader);
    return {};
  }
  [[nodiscard]] bool says_any(std::string_view text) const {
    if (text.empty()) return false;
    const auto had = text_terms(text, language_);
    return std::ranges::any_of(
        telling_, [&](const auto& term) { return std::ranges::find(had, term) != had.end(); });
  }

  search_state& s_;
  const read_views& views_;
  std::string language_;
  std::vector<std::string> telling_; ///< of the question
  std::unique_ptr<kv_reader> reader_;
};

} // namespace

result<void> search_state::leave_out_past_topics(const read_views& views) {
  past_topic_test test(*this, views);
  const auto note_past = [&](const std::vector<leg_row>& rows) -> result<void> {
    for (const auto& r : rows) {
      if (!test.is_topic(r)) continue;
      auto is_past = test.is_past(r);
      if (!is_past) return propagate(is_past);
      if (*is_past) past_topics.insert(views.attributes->node(r.row).value);
    }
    return time.check();
  };
  const std::size_t before = past_topics.size();
  if (auto ok = note_past(hits); !ok) return ok;
  if (past_topics.size() == before) return {};
  if (times_begun_again == most_times) {
    const auto left_out = static_cast<std::int64_t>(std::erase_if(hits, [&](const leg_row& r) {
      return past_topics.contains(views.attributes->node(r.row).value);
    }));
    memory.coverage.searched -= left_out;
    memory.coverage.candidates -= left_out;
    memory.coverage.ended += left_out;
    return {};
  }
  if (auto ok = note_past(behind); !ok) return ok;
  ++times_begun_again;
  for (search_leg* leg : {&memory, &content}) {
    search_leg emptied;
    emptied.runs = leg->runs;
    emptied.of = leg->of;
    *leg = std::move(emptied);
  }
  hits.clear();
  answer.coverage.best_match = 0;
  answer.coverage.requested_sources_not_found.clear();
  stage = search_stage::select;
  return {};
}

} // namespace mneme

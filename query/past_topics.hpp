#pragma once
/// Topics that are found by nothing but what a field held until some time. A topic's text is made
/// when it is written, and has what its fields hold by then; that a value has ended since, only the
/// value says. It is asked of the hits alone, so that a question whose topics hold what they say
/// costs nothing more.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messages/text/topic_text.hpp"
#include "query/deadline.hpp"
#include "views/read_views.hpp"

namespace mneme {

/// What the fields of topics hold, by row, as far as that was read.
using known_field_values = std::map<std::uint32_t, std::vector<topic_value>>;

class past_topic_test {
public:
  /// `terms` are those of the question. All that is given must outlive this.
  past_topic_test(const read_views& views, seq_no at, const value_time& when,
                  const std::vector<std::string>& terms, const deadline& time,
                  known_field_values& known);

  [[nodiscard]] bool is_topic(row_no row) const {
    return views_.attributes->rows().line(row).type == memory_type::topic;
  }
  /// Of a topic: has a value that is not told words of the question, and has nothing else any?
  result<bool> is_past(row_no row);

private:
  result<const std::vector<topic_value>*> values_of(row_no row);
  result<void> open();
  [[nodiscard]] bool is_indexed_with_any(slot_no slot) const;
  [[nodiscard]] bool says_any(std::string_view text) const;

  const read_views& views_;
  seq_no at_;
  value_time when_;
  const deadline& time_;
  known_field_values& known_;
  std::string language_;
  std::vector<std::string> telling_; ///< of the question
  std::unique_ptr<kv_reader> reader_;
};

} // namespace mneme

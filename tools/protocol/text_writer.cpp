#include "tools/protocol/text_writer.hpp"

#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

namespace mneme::protocol {

void text_writer::value(std::int64_t number) {
  std::array<char, 24> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_.append(digits.data(), written.ptr);
}

void text_writer::value(double number) {
  if (number == 1.0)
    out_ += "1.0"; // as nearly every confidence is
  else
    value(json(number));
}

void text_writer::value(timestamp time) {
  if (time != last_time_ || last_time_text_.empty()) {
    last_time_ = time;
    last_time_text_ = to_string(time);
  }
  out_ += '"';
  out_ += last_time_text_;
  out_ += '"';
}

void text_writer::value(const std::optional<timestamp>& time) {
  if (time)
    value(*time);
  else
    out_ += "null";
}

void text_writer::value(const std::vector<std::string>& texts) {
  out_ += '[';
  for (const std::string& text : texts) {
    if (&text != &texts.front()) out_ += ',';
    value(std::string_view(text));
  }
  out_ += ']';
}

} // namespace mneme::protocol

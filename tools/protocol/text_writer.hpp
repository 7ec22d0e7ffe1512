#pragma once
/// JSON as text, written at once and without values in between: of an answer of thousands of
/// memories these are most of the work.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

/// Appends to a text what print() would make of the same values.
class text_writer {
public:
  /// Borrows the text.
  explicit text_writer(std::string& out) : out_(out) {}

  void value(std::string_view text) { append_text(out_, text); }
  void value(const json& made) { append_printed(out_, made); }
  void value(bool flag) { out_ += flag ? "true" : "false"; }
  void value(std::int64_t number);
  void value(double number);
  void value(timestamp time);
  void value(const std::optional<timestamp>& time);
  void value(const std::vector<std::string>& texts);

  /// `otherwise`, or what is seldom there, made and printed.
  template <class Make>
  void made_unless(bool is_not_there, std::string_view otherwise, Make make) {
    if (is_not_there)
      out_ += otherwise;
    else
      value(make());
  }

  void begin_object() {
    out_ += '{';
    is_first_ = true;
  }
  void end_object() {
    out_ += '}';
    is_first_ = false;
  }
  void key(std::string_view name) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    out_ += '"';
    out_ += name; // one of ours: it stands as it is
    out_ += "\":";
  }
  template <class Value>
  void member(std::string_view name, const Value& said) {
    key(name);
    value(said);
  }

private:
  std::string& out_;
  bool is_first_ = true;
  timestamp last_time_;
  std::string last_time_text_; ///< one moment is most often that of several members
};

} // namespace mneme::protocol

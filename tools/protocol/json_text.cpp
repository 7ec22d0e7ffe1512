#include "tools/protocol/json_text.hpp"

#include <charconv>
#include <cmath>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"

namespace mneme::protocol {

namespace {

constexpr int number_overflow_id = 406;
constexpr std::string_view json_name = "JSON";
constexpr std::string_view messagepack_name = "MessagePack";

/// Receives the parser's events and builds the document.
class document_builder {
public:
  document_builder(std::optional<error>& oversized, std::string_view format)
      : oversized_(oversized), format_(format), is_text_(format == json_name) {}

  // Names and signatures are those that nlohmann's SAX interface asks for.
  bool null() { return add(json(nullptr)); }
  bool boolean(bool value) { return add(json(value)); }
  bool number_integer(json::number_integer_t value) { return add(json(value)); }
  bool number_unsigned(json::number_unsigned_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) note_oversized();
    return add(json(static_cast<std::int64_t>(value)));
  }
  bool number_float(json::number_float_t value, const std::string& text) {
    if (!is_text_ && !std::isfinite(value)) return refuse(errc::bad_json, "a number is not finite");
    if (!is_text_ || text.find_first_of(".eE") != std::string::npos) return add(json(value));
    note_oversized();
    return add(json(std::int64_t{0})); // of the right type: the shape is judged before the value
  }
  bool string(std::string& value) { return is_good(value) && add(json(std::move(value))); }
  bool binary(json::binary_t&) {
    return refuse(errc::bad_json, "binary and extension values are not taken");
  }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (!is_good(name)) return false;
    level& top = levels_.back();
    if (!top.keys.insert(name).second)
      return refuse(errc::bad_json, fmt::format("the key \"{}\" is there twice", name));
    top.key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& cause) {
    if (cause.id == number_overflow_id)
      failure_ = error{errc::out_of_range, "the number does not fit a 64-bit float", path()};
    else if (is_of_surrogate(cause.what()))
      failure_ = error{errc::bad_json,
                       fmt::format("half of a surrogate pair at byte {} is no character", position),
                       path()};
    else
      failure_ = error{errc::bad_json, fmt::format("not {} at byte {}", format_, position), {}};
    return false;
  }

  [[nodiscard]] json& root() { return root_; }
  [[nodiscard]] error take_failure() {
    return failure_.value_or(error{errc::bad_json, fmt::format("not {}", format_), {}});
  }

private:
  struct level {
    json* container;
    std::unordered_set<std::string> keys;
    std::string key; ///< of the value that is being read, of an object
  };

  /// Behind "last read" the message has what was given.
  static bool is_of_surrogate(std::string_view message) {
    return message.substr(0, message.find("; last read")).contains("surrogate");
  }

  bool refuse(errc code, std::string message) {
    failure_ = error{code, std::move(message), path()};
    return false;
  }
  /// JSON is looked at as a whole before it is parsed.
  bool is_good(std::string_view text) {
    return is_text_ || is_utf8(text) || refuse(errc::bad_utf8, "the text is not UTF-8");
  }
  json* place(json&& value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    level& top = levels_.back();
    if (top.container->is_array()) {
      top.container->push_back(std::move(value));
      return &top.container->back();
    }
    // The key is known to be new: operator[] would look for it among all others.
    auto& members = top.container->get_ref<json::object_t&>();
    members.emplace_back(top.key, std::move(value));
    return &members.back().second;
  }
  bool add(json&& value) {
    place(std::move(value));
    if (!levels_.empty()) levels_.back().key.clear();
    return true;
  }
  bool open(json&& container) {
    if (levels_.size() == max_depth)
      return refuse(errc::bad_json, fmt::format("nested deeper than {} levels", max_depth));
    json* placed = place(std::move(container));
    levels_.push_back({placed, {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    if (!levels_.empty()) levels_.back().key.clear();
    return true;
  }
  void note_oversized() {
    if (!oversized_)
      oversized_ = error{errc::out_of_range, "the integer does not fit 64 bits", path()};
  }
  /// Of the value that is about to be added.
  [[nodiscard]] std::string path() const {
    std::string text;
    for (const level& l : levels_) {
      // An array around the innermost level holds that level already.
      const std::size_t placed = &l == &levels_.back() ? 0 : 1;
      if (l.container->is_array())
        text += fmt::format("[{}]", l.container->size() - placed);
      else
        text += (text.empty() || l.key.empty() ? "" : ".") + l.key;
    }
    return text;
  }

  json root_;
  std::vector<level> levels_;
  std::optional<error> failure_;
  std::optional<error>& oversized_;
  std::string_view format_;
  bool is_text_;
};

} // namespace

namespace {

result<json> parse(std::string_view bytes, std::string_view name, json::input_format_t format,
                   std::optional<error>& oversized) {
  if (bytes.size() > max_line_bytes)
    return fail(errc::line_too_long, fmt::format("a line has at most {} bytes", max_line_bytes));
  document_builder builder(oversized, name);
  try {
    if (!json::sax_parse(bytes.begin(), bytes.end(), &builder, format))
      return std::unexpected(builder.take_failure());
  } catch (const json::exception& e) {
    return fail(errc::bad_json, e.what());
  }
  return std::move(builder.root());
}

} // namespace

result<json> parse_json(std::string_view text, std::optional<error>& oversized) {
  if (text.size() <= max_line_bytes) {
    if (!is_utf8(text)) return fail(errc::bad_utf8, "the text is not UTF-8");
    if (text.starts_with("\xEF\xBB\xBF"))
      return fail(errc::bad_json, "a byte order mark stands before the text");
    // The library takes one for the end of the text.
    if (text.contains('\0')) return fail(errc::bad_json, "a zero byte stands in the text");
  }
  return parse(text, json_name, json::input_format_t::json, oversized);
}

result<json> parse_json(std::string_view text) {
  std::optional<error> oversized;
  auto value = parse_json(text, oversized);
  if (value && oversized) return std::unexpected(std::move(*oversized));
  return value;
}

result<json> parse_messagepack(std::string_view bytes, std::optional<error>& oversized) {
  return parse(bytes, messagepack_name, json::input_format_t::msgpack, oversized);
}

bool is_scalar(const json& value) {
  return value.is_string() || value.is_number() || value.is_boolean();
}

std::string print(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string print_pretty(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string print_messagepack(const json& value) {
  std::string bytes;
  json::to_msgpack(value, bytes);
  return bytes;
}

double shortest(float value) {
  char text[32];
  const auto written = std::to_chars(std::begin(text), std::end(text), value);
  double widened = value;
  std::from_chars(text, written.ptr, widened);
  return widened;
}

} // namespace mneme::protocol

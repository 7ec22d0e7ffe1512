#include "tools/protocol/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/ensure.hpp"
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
  // The parser's buffer is copied: of one that is moved away it makes the next text anew, letter by
  // letter.
  bool string(const std::string& value) { return is_good(value) && add(json(value)); }
  bool binary(json::binary_t&) {
    return refuse(errc::bad_json, "binary and extension values are not taken");
  }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(const std::string& name) {
    if (!is_good(name)) return false;
    level& top = levels_.back();
    if (!is_new_key(top, name))
      return refuse(errc::bad_json, fmt::format("the key \"{}\" is there twice", name));
    top.key = name;
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
    std::unordered_set<std::string> keys; ///< once there are more than a few
    std::string key;                      ///< of the value that is being read, of an object
  };

  static bool is_new_key(level& top, const std::string& name) {
    constexpr std::size_t few = 16;
    const auto& members = top.container->get_ref<const json::object_t&>();
    if (members.size() < few)
      return std::ranges::none_of(members, [&](const auto& known) { return known.first == name; });
    if (top.keys.empty())
      for (const auto& known : members) top.keys.insert(known.first);
    return top.keys.insert(name).second;
  }

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
    return &top.container->get_ref<json::object_t&>().append(top.key, std::move(value))->second;
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

namespace {

/// Of binary values, which neither requests nor answers have.
constexpr std::uint8_t printed_subtype = 1;

bool stands_as_it_is(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

/// ASCII that stands as it is. All bytes are looked at, so that it is done many at once.
bool is_plain(std::string_view text) {
  unsigned other = 0;
  for (const char c : text)
    other |= static_cast<unsigned>(!stands_as_it_is(c)) | (static_cast<unsigned char>(c) & 0x80U);
  return other == 0;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
  case '"':
    out += "\\\"";
    return;
  case '\\':
    out += "\\\\";
    return;
  case '\b':
    out += "\\b";
    return;
  case '\f':
    out += "\\f";
    return;
  case '\n':
    out += "\\n";
    return;
  case '\r':
    out += "\\r";
    return;
  case '\t':
    out += "\\t";
    return;
  default:
    out += fmt::format("\\u{:04x}", c);
  }
}

template <class Integer>
void append_number(std::string& out, Integer number) {
  std::array<char, std::numeric_limits<Integer>::digits10 + 2> digits{};
  out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
}

/// What is printed is at least so long.
std::size_t bytes_of_texts(const json& value) {
  std::size_t bytes = 0;
  switch (value.type()) {
  case json::value_t::object:
    for (const auto& [name, member] : value.get_ref<const json::object_t&>())
      bytes += name.size() + bytes_of_texts(member);
    return bytes;
  case json::value_t::array:
    for (const json& item : value.get_ref<const json::array_t&>()) bytes += bytes_of_texts(item);
    return bytes;
  case json::value_t::string:
    return value.get_ref<const std::string&>().size();
  case json::value_t::binary:
    return value.get_binary().size();
  default:
    return 1;
  }
}

/// As the library prints it, which makes an object of its own for each.
void append_float(std::string& out, double number) {
  std::array<char, 64> digits{};
  if (std::isfinite(number))
    out.append(digits.data(),
               nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), number));
  else
    out += "null";
}

void append_members(std::string& out, const json::object_t& members) {
  out += '{';
  for (bool is_first = true; const auto& [name, value] : members) {
    if (!std::exchange(is_first, false)) out += ',';
    append_text(out, name);
    out += ':';
    append_printed(out, value);
  }
  out += '}';
}

void append_items(std::string& out, const json::array_t& items) {
  out += '[';
  for (bool is_first = true; const json& item : items) {
    if (!std::exchange(is_first, false)) out += ',';
    append_printed(out, item);
  }
  out += ']';
}

} // namespace

void append_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  if (!is_utf8(text)) {
    out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
    return;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const auto* const end = std::ranges::find_if_not(text.substr(at), stands_as_it_is);
    const auto plain = static_cast<std::size_t>(end - text.substr(at).begin());
    out += text.substr(at, plain);
    at += plain;
    if (at < text.size()) append_escaped(out, text[at++]);
  }
  out += '"';
}

void append_printed(std::string& out, const json& value) {
  switch (value.type()) {
  case json::value_t::object:
    return append_members(out, value.get_ref<const json::object_t&>());
  case json::value_t::array:
    return append_items(out, value.get_ref<const json::array_t&>());
  case json::value_t::string:
    return append_text(out, value.get_ref<const std::string&>());
  case json::value_t::number_integer:
    return append_number(out, value.get<std::int64_t>());
  case json::value_t::number_unsigned:
    return append_number(out, value.get<std::uint64_t>());
  case json::value_t::binary: {
    const auto& printed = value.get_binary();
    ensure(printed.subtype() == printed_subtype, "what is binary was printed before");
    // Of bytes that are no characters a text of their own would be made first.
    out.append(reinterpret_cast<const char*>(printed.data()), printed.size());
    return;
  }
  case json::value_t::number_float:
    return append_float(out, value.get<double>());
  default:
    out += value.dump();
  }
}

json printed_before(std::string_view text) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(text.data());
  return json::binary({begin, begin + text.size()}, printed_subtype);
}

json printed_on_a_line(const json& value) {
  std::string text;
  const std::size_t least = bytes_of_texts(value);
  text.reserve(least + least / 8);
  text += '\n';
  append_printed(text, value);
  text += '\n';
  return printed_before(text);
}

std::string print(const json& value) {
  std::string out;
  out.reserve(bytes_of_texts(value));
  append_printed(out, value);
  return out;
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

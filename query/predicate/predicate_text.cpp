#include <iterator>

#include <fmt/format.h>

#include "query/find/find.hpp"
#include "query/predicate/field_reference.hpp"

namespace mneme {

namespace {

constexpr std::string_view sign_of(comparison op) {
  switch (op) {
  case comparison::eq:
    return "=";
  case comparison::ne:
    return "!=";
  case comparison::gt:
    return ">";
  case comparison::gte:
    return ">=";
  case comparison::lt:
    return "<";
  case comparison::lte:
    return "<=";
  }
  return "?";
}

class predicate_writer {
public:
  void write(const predicate& p) {
    std::visit([this](const auto& node) { write_node(node); }, p.node);
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

private:
  void write_node(const compare_predicate& p) {
    out_ += '(';
    out_ += p.field;
    out_ += ' ';
    out_ += sign_of(p.op);
    out_ += ' ';
    write_literal(p.value, is_time_field(p.field));
    out_ += ')';
  }

  void write_node(const in_predicate& p) {
    const bool time = is_time_field(p.field);
    out_ += '(';
    out_ += p.field;
    out_ += " IN [";
    for (std::size_t i = 0; i < p.values.size(); ++i) {
      if (i != 0) out_ += ", ";
      write_literal(p.values[i], time);
    }
    out_ += "])";
  }

  void write_node(const has_tag_predicate& p) {
    out_ += "(has_tag ";
    write_quoted(p.tag);
    out_ += ')';
  }

  void write_node(const matches_predicate& p) {
    out_ += '(';
    out_ += p.field;
    out_ += " ~ /";
    write_pattern(p.pattern);
    out_ += "/)";
  }

  void write_node(const and_predicate& p) { write_group("(and", p.items); }
  void write_node(const or_predicate& p) { write_group("(or", p.items); }

  void write_node(const not_predicate& p) {
    out_ += "(not ";
    if (p.item) write(*p.item);
    out_ += ')';
  }

  void write_group(std::string_view open, const std::vector<predicate>& items) {
    out_ += open;
    for (const auto& item : items) {
      out_ += ' ';
      write(item);
    }
    out_ += ')';
  }

  void write_literal(const literal& value, bool time) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      const auto parsed = time ? parse_timestamp(*text) : fail(errc::bad_time, {});
      if (parsed)
        out_ += to_string(*parsed);
      else
        write_quoted(*text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      if (time && *integer >= 0)
        out_ += to_string(timestamp{*integer});
      else
        fmt::format_to(std::back_inserter(out_), "{}", *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      fmt::format_to(std::back_inserter(out_), "{}", *real + 0.0); // -0 prints as 0
    } else {
      out_ += std::get<bool>(value) ? "true" : "false";
    }
  }

  void write_quoted(std::string_view text) {
    out_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (!write_control(c)) {
        out_ += c;
      }
    }
    out_ += '"';
  }

  /// A slash would end the pattern; what is already escaped stays as it is.
  void write_pattern(std::string_view pattern) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const char c = pattern[i];
      if (c == '\\' && i + 1 < pattern.size()) {
        out_ += c;
        out_ += pattern[++i];
      } else if (c == '/') {
        out_ += "\\/";
      } else if (!write_control(c)) {
        out_ += c;
      }
    }
  }

  bool write_control(char c) {
    switch (c) {
    case '\n':
      out_ += "\\n";
      return true;
    case '\r':
      out_ += "\\r";
      return true;
    case '\t':
      out_ += "\\t";
      return true;
    default:
      break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) return false;
    fmt::format_to(std::back_inserter(out_), "\\x{:02x}", byte);
    return true;
  }

  std::string out_;
};

} // namespace

std::string to_text(const predicate& p) {
  predicate_writer writer;
  writer.write(p);
  return writer.take();
}

} // namespace mneme

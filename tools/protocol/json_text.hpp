#pragma once
/// JSON text in and out, and the same values as MessagePack. Parsing is strict: one document,
/// UTF-8, no duplicate keys, at most 64 levels. Numbers written without `.` or `e` are integers.
/// Objects keep their order.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "mneme/error.hpp"
#include "tools/protocol/ordered_members.hpp"

namespace mneme::protocol {

using json = nlohmann::basic_json<ordered_members>;

inline constexpr std::size_t max_line_bytes = 16U << 20;
inline constexpr std::size_t max_depth = 64;

/// A number that does not fit int64 (or f64) parses, so that errors of the request's shape come
/// first; `oversized` then holds the error to report after them.
result<json> parse_json(std::string_view text, std::optional<error>& oversized);
/// As above, an oversized number is the result.
result<json> parse_json(std::string_view text);

/// The same of MessagePack: the same values, with numbers as they are. Neither binary nor extension
/// values; what it says is as strict.
result<json> parse_messagepack(std::string_view bytes, std::optional<error>& oversized);

bool is_scalar(const json& value);

/// Compact, one line; floats are the shortest text that round-trips.
std::string print(const json& value);
/// The same behind what is there already.
void append_printed(std::string& out, const json& value);
/// A text as it is printed: quoted, with what is no UTF-8 replaced.
void append_text(std::string& out, std::string_view text);
/// A value that is printed as this text, which is JSON. Only print() and append_printed() know it.
json printed_before(std::string_view text);
/// The same of a value that is printed with a line to itself.
json printed_on_a_line(const json& value);
/// How the rows of an answer stand in it: as values, or as printed_before() has them; `in_lines`
/// each read of a tick has a line of its own, too, so that it can be cut out.
enum class row_form : std::uint8_t { values, printed, in_lines };
/// As MessagePack.
std::string print_messagepack(const json& value);
/// Indented by two.
std::string print_pretty(const json& value);
/// The f64 whose shortest text is that of the f32.
double shortest(float value);

} // namespace mneme::protocol

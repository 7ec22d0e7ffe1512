#pragma once
/// Errors repeat what they refuse, which may be as long as a line. What is shown of one is bounded.

#include <string>
#include <string_view>

namespace mneme::protocol {

/// `text`, or of one over 1 KiB its first and last 200 bytes, in whole code points, around an
/// ellipsis.
std::string error_text(std::string_view text);

} // namespace mneme::protocol

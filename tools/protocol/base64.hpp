#pragma once
/// RFC 4648 base64, standard alphabet, padded. Opaque bytes travel so in JSON.

#include <string>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme::protocol {

std::string to_base64(std::string_view bytes);
/// Strict: no white space, padding in place, unused bits zero (bad_value), so that every byte
/// string has exactly one text.
result<std::string> from_base64(std::string_view text);

} // namespace mneme::protocol

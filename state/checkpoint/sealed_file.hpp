#pragma once
/// Small metadata files: 8 bytes of magic, a canonical body, SHA-256 over both.

#include <string>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

std::string seal_file(std::string_view magic, std::string_view body);
/// The body; corrupt (naming `what`) if magic or hash do not fit.
result<std::string_view> open_sealed_file(std::string_view magic, std::string_view bytes,
                                          std::string_view what);

} // namespace mneme

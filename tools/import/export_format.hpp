#pragma once
/// The export's first line names its format, so that another file is not taken for one.

#include <cstdint>
#include <string_view>

namespace mneme::importing {

inline constexpr std::string_view export_key = "mneme_export";
inline constexpr std::int64_t export_format = 1;

} // namespace mneme::importing

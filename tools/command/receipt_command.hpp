#pragma once
/// --receipt FILE of the commands that read.

#include <optional>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

#include "tools/command/world_access.hpp"

namespace mneme::command {

void add_receipt_option(CLI::App& command, std::optional<std::string>& file);
/// run_request(); where `file` is given, the receipt of the answer goes there (`-` is standard
/// output), and not into what is printed.
status run_read(const common_options& options, std::string_view op, json request,
                const std::optional<std::string>& file);

} // namespace mneme::command

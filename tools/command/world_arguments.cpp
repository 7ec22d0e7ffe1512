#include "tools/command/world_arguments.hpp"

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace mneme::command {

CLI::Validator not_empty() {
  return {[](const std::string& name) {
            return name.empty() ? std::string("the name is empty") : std::string();
          },
          ""};
}

std::string in_home_directory(const std::string& directory) {
  const char* const home = std::getenv("HOME"); // NOLINT(concurrency-mt-unsafe): nobody sets it
  const bool is_below = directory == "~" || directory.starts_with("~/");
  return home != nullptr && is_below ? home + directory.substr(1) : directory;
}

void add_common(CLI::App& command, common_options& options, bool only_reads) {
  options.only_reads = only_reads;
  command.add_option("DIR", options.directory, "directory of the world")
      ->required()
      ->check(not_empty())
      ->transform(in_home_directory);
  command.add_flag("--json", options.json, "print one JSON document");
  if (only_reads)
    command.add_flag("--read-only", options.read_only,
                     "take no lock: read from the journal, also beside a writer");
}

template <class T>
void set_if(json& request, const char* key, const std::optional<T>& value) {
  if (value) request[key] = *value;
}
template void set_if(json&, const char*, const std::optional<std::string>&);
template void set_if(json&, const char*, const std::optional<std::int64_t>&);
template void set_if(json&, const char*, const std::optional<double>&);
template void set_if(json&, const char*, const std::optional<bool>&);
template void set_if(json&, const char*, const std::optional<std::vector<std::string>>&);

} // namespace mneme::command

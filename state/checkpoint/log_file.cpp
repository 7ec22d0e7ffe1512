#include "state/checkpoint/log_file.hpp"

#include "state/checkpoint/world_directory.hpp"

namespace mneme {

std::string log_file_path(const std::string& directory) {
  return directory + "/LOG";
}

result<std::optional<std::string>> read_log_file(file_system& files, const std::string& directory) {
  auto address = read_file(files, log_file_path(directory));
  if (!address && address.error().code == errc::not_found) return std::optional<std::string>{};
  // Where a file stands in the place of the directory, that is what is wrong.
  if (!address && !files.list(directory)) return std::unexpected(no_world(files, directory));
  if (!address) return propagate(address);
  if (address->empty() || address->back() != '\n')
    return fail(errc::corrupt, log_file_path(directory) + " is not one line with an address");
  address->pop_back();
  return std::optional<std::string>(std::move(*address));
}

result<void> write_log_file(file_system& files, const std::string& directory,
                            const std::string& address) {
  return replace_file(files, log_file_path(directory), address + "\n");
}

result<void> check_on_no_log(file_system& files, const std::string& directory,
                             std::string_view what) {
  auto there = files.exists(log_file_path(directory));
  if (!there) return propagate(there);
  if (!*there) return {};
  return fail(errc::unsupported, directory + " is the copy of a log, and " + std::string(what));
}

} // namespace mneme

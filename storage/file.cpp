#include "storage/file.hpp"

#include <fmt/format.h>

namespace mneme {

namespace {

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace

file_content file_content::of(std::string bytes) {
  auto held = std::make_shared<std::string>(std::move(bytes));
  return {.bytes = *held, .holder = held};
}

result<file_content> file_system::content(const std::string& path) {
  auto bytes = read_file(*this, path);
  if (!bytes) return propagate(bytes);
  return file_content::of(std::move(*bytes));
}

result<void> replace_file(file_system& fs, const std::string& path, std::string_view bytes) {
  return replace_file(fs, path, {bytes});
}

namespace {

result<void> write_parts(file_system& fs, const std::string& path,
                         std::initializer_list<std::string_view> parts) {
  auto out = fs.open(path, open_mode::create);
  if (!out) return propagate(out);
  // One may be left from a crash in an earlier replacement.
  if (auto ok = (*out)->truncate(0); !ok) return ok;
  std::uint64_t at = 0;
  for (const std::string_view part : parts) {
    if (auto ok = (*out)->write_at(at, part); !ok) return ok;
    at += part.size();
  }
  return (*out)->sync();
}

} // namespace

result<void> replace_file(file_system& fs, const std::string& path,
                          std::initializer_list<std::string_view> parts) {
  const std::string fresh = path + ".new";
  if (auto ok = write_parts(fs, fresh, parts); !ok) {
    // A part of it must not keep the disk full.
    if (ok.error().code == errc::disk_full) static_cast<void>(fs.remove(fresh));
    return ok;
  }
  if (auto ok = fs.rename(fresh, path); !ok) return ok;
  return fs.sync_directory(parent_of(path));
}

result<void> check_room(file_system& fs, const std::string& dir, std::uint64_t bytes) {
  const auto free = fs.free_bytes(dir);
  if (!free || *free >= bytes) return {};
  return fail(errc::disk_full,
              fmt::format("{} has {} bytes free, and {} are needed", dir, *free, bytes));
}

result<std::string> read_file(file_system& fs, const std::string& path) {
  auto in = fs.open(path, open_mode::read);
  if (!in) return propagate(in);
  auto size = (*in)->size();
  if (!size) return propagate(size);
  return (*in)->read_at(0, *size);
}

} // namespace mneme

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

result<replacing_file> replacing_file::begin(file_system& fs, std::string path) {
  replacing_file made(fs, std::move(path), nullptr);
  auto out = fs.open(made.fresh_path(), open_mode::create);
  if (!out) return propagate(out);
  made.out_ = std::move(*out);
  // One may be left from a crash in an earlier replacement.
  if (auto ok = made.unless_full(made.out_->truncate(0)); !ok) return propagate(ok);
  return made;
}

result<void> replacing_file::append(std::string_view bytes) {
  auto written = unless_full(out_->write_at(size_, bytes));
  if (written) size_ += bytes.size();
  return written;
}

result<void> replacing_file::finish() {
  if (auto ok = unless_full(out_->sync()); !ok) return ok;
  out_ = nullptr;
  if (auto ok = fs_->rename(fresh_path(), path_); !ok) return ok;
  return fs_->sync_directory(parent_of(path_));
}

/// A part of it must not keep the disk full.
result<void> replacing_file::unless_full(result<void> done) {
  if (!done && done.error().code == errc::disk_full) static_cast<void>(fs_->remove(fresh_path()));
  return done;
}

result<void> replace_file(file_system& fs, const std::string& path,
                          std::initializer_list<std::string_view> parts) {
  auto fresh = replacing_file::begin(fs, path);
  if (!fresh) return propagate(fresh);
  for (const std::string_view part : parts)
    if (auto ok = fresh->append(part); !ok) return ok;
  return fresh->finish();
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

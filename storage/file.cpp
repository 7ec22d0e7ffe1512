#include "storage/file.hpp"

namespace mneme {

namespace {

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace

result<void> replace_file(file_system& fs, const std::string& path, std::string_view bytes) {
  const std::string fresh = path + ".new";
  auto out = fs.open(fresh, open_mode::create);
  if (!out) return propagate(out);
  // One may be left from a crash in an earlier replacement.
  if (auto ok = (*out)->truncate(0); !ok) return ok;
  if (auto ok = (*out)->write_at(0, bytes); !ok) return ok;
  if (auto ok = (*out)->sync(); !ok) return ok;
  out->reset();
  if (auto ok = fs.rename(fresh, path); !ok) return ok;
  return fs.sync_directory(parent_of(path));
}

result<std::string> read_file(file_system& fs, const std::string& path) {
  auto in = fs.open(path, open_mode::read);
  if (!in) return propagate(in);
  auto size = (*in)->size();
  if (!size) return propagate(size);
  return (*in)->read_at(0, *size);
}

} // namespace mneme

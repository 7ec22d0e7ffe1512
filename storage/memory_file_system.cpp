#include "storage/memory_file_system.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::uint64_t sector_bytes = 512;
constexpr std::size_t operation_kinds = 7;

/// splitmix64: the crash's own stream, the same on every machine.
class choices {
public:
  explicit choices(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) % bound;
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

private:
  std::uint64_t state_;
};

/// A write (bytes set) or a truncation to `offset`, not yet synced.
struct file_change {
  std::uint64_t offset = 0;
  std::optional<std::string> bytes;
  bool lost = false; ///< its sync failed: it never becomes durable
};

void take_effect(std::string& content, const file_change& change) {
  if (!change.bytes) {
    content.resize(change.offset, '\0');
    return;
  }
  if (change.bytes->empty()) return;
  const std::size_t end = change.offset + change.bytes->size();
  if (content.size() < end) content.resize(end, '\0');
  content.replace(change.offset, change.bytes->size(), *change.bytes);
}

struct inode {
  std::uint64_t number = 0;
  std::string durable;
  std::string visible;
  std::vector<file_change> pending;
};

using inode_pointer = std::shared_ptr<inode>;

/// An entry appeared (`name`) or vanished (`gone`); a rename is both at once.
struct directory_change {
  std::string gone;
  std::string name;
  inode_pointer node;
};

using entries = std::map<std::string, inode_pointer>;

struct directory {
  entries durable;
  entries visible;
  std::vector<directory_change> pending;
};

void take_effect(entries& names, const directory_change& change) {
  if (!change.gone.empty()) names.erase(change.gone);
  if (!change.name.empty()) names[change.name] = change.node;
}

struct split_path {
  std::string dir;
  std::string name;
};

split_path split(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

/// Every file that an entry, durable or not, leads to; in the order of their creation, so that a
/// crash draws its choices in the same order each time.
std::map<std::uint64_t, inode_pointer>
reachable(const std::map<std::string, directory>& directories) {
  std::map<std::uint64_t, inode_pointer> found;
  for (const auto& [path, in] : directories) {
    for (const auto& [name, node] : in.durable) found[node->number] = node;
    for (const auto& [name, node] : in.visible) found[node->number] = node;
    for (const auto& change : in.pending)
      if (change.node) found[change.node->number] = change.node;
  }
  return found;
}

/// A torn write: each sector that it touches reached the disk or did not.
void apply_torn(std::string& content, const file_change& change, choices& choose) {
  std::uint64_t at = change.offset;
  const std::uint64_t end = change.offset + change.bytes->size();
  while (at < end) {
    const std::uint64_t stop = std::min(end, (at / sector_bytes + 1) * sector_bytes);
    if (choose.one_in(2))
      take_effect(content, {at, change.bytes->substr(at - change.offset, stop - at), false});
    at = stop;
  }
}

} // namespace

struct disk_image::content {
  std::uint64_t next_number = 0;
  std::map<std::string, directory> directories;

  /// A copy that shares no file with this one.
  [[nodiscard]] content clone() const {
    content copy = *this;
    auto files = reachable(directories);
    for (auto& [number, node] : files) node = std::make_shared<inode>(*node);
    const auto redirect = [&](inode_pointer& node) {
      if (node) node = files.at(node->number);
    };
    for (auto& [path, in] : copy.directories) {
      for (auto& [name, node] : in.durable) redirect(node);
      for (auto& [name, node] : in.visible) redirect(node);
      for (auto& change : in.pending) redirect(change.node);
    }
    return copy;
  }
};

struct memory_file_system::state {
  mutable std::mutex mutex;
  disk_image::content disk;
  std::uint64_t boots = 0; ///< counts crashes: files opened before the last one are dead
  std::map<std::string, std::uint64_t> locked; ///< by which lock
  std::uint64_t locks = 0;
  std::array<std::uint64_t, operation_kinds> counts{};
  io_operation fault_kind = io_operation::any;
  std::uint64_t fault_at = 0; ///< 0: none
  bool fault_stays = false;
  bool lying = false;
  std::optional<std::uint64_t> most_bytes;

  [[nodiscard]] std::uint64_t used_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [path, in] : disk.directories)
      for (const auto& [name, node] : in.visible) sum += node->visible.size();
    return sum;
  }
  [[nodiscard]] std::uint64_t free_bytes() const {
    const std::uint64_t used = used_bytes();
    return used < *most_bytes ? *most_bytes - used : 0;
  }

  /// Counts one operation; true if it has to fail.
  bool fails(io_operation kind) {
    const auto any = ++counts[static_cast<std::size_t>(io_operation::any)];
    const auto own = ++counts[static_cast<std::size_t>(kind)];
    if (fault_at == 0) return false;
    if (fault_kind != io_operation::any && fault_kind != kind) return false;
    const auto count = fault_kind == io_operation::any ? any : own;
    return fault_stays ? count >= fault_at : count == fault_at;
  }

  directory* find_directory(const std::string& dir) {
    const auto it = disk.directories.find(dir);
    return it == disk.directories.end() ? nullptr : &it->second;
  }

  [[nodiscard]] inode_pointer find(const std::string& path, bool durable) const {
    const auto [dir, name] = split(path);
    const auto in = disk.directories.find(dir);
    if (in == disk.directories.end()) return nullptr;
    const auto& names = durable ? in->second.durable : in->second.visible;
    const auto it = names.find(name);
    return it == names.end() ? nullptr : it->second;
  }
};

namespace {

std::unexpected<error> injected(std::string_view action, const std::string& path) {
  return fail(errc::io, fmt::format("cannot {} {}: injected fault", action, path));
}

std::unexpected<error> missing(std::string_view action, const std::string& path) {
  return fail(errc::not_found,
              fmt::format("cannot {} {}: No such file or directory", action, path));
}

} // namespace

class memory_file_system::memory_file final : public file {
public:
  memory_file(std::shared_ptr<state> owner, inode_pointer node, std::string path, bool writable)
      : owner_(std::move(owner)),
        node_(std::move(node)),
        boot_(owner_->boots),
        path_(std::move(path)),
        writable_(writable) {}

  result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
    const std::lock_guard guard(owner_->mutex);
    if (auto ok = usable("read", io_operation::read); !ok) return propagate(ok);
    const auto& bytes = node_->visible;
    if (offset >= bytes.size()) return std::string();
    return bytes.substr(offset, size);
  }

  result<std::size_t> read_into(std::uint64_t offset, std::span<char> to) override {
    const std::lock_guard guard(owner_->mutex);
    if (auto ok = usable("read", io_operation::read); !ok) return propagate(ok);
    const std::string_view bytes = node_->visible;
    if (offset >= bytes.size()) return std::size_t{0};
    return bytes.copy(to.data(), to.size(), offset);
  }

  result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    const std::lock_guard guard(owner_->mutex);
    auto ok = usable("write", io_operation::write);
    if (!writable_) return fail(errc::io, "cannot write " + path_ + ": opened for reading");
    if (!ok && boot_ == owner_->boots) bytes = bytes.substr(0, bytes.size() / 2);
    if (const std::string_view fits = with_room(offset, bytes); fits.size() < bytes.size()) {
      bytes = fits;
      if (ok) ok = fail(errc::disk_full, fmt::format("cannot write {}: no room", path_));
    }
    if (boot_ == owner_->boots) change({offset, std::string(bytes), false});
    return ok;
  }

  result<void> sync() override {
    const std::lock_guard guard(owner_->mutex);
    auto ok = usable("sync", io_operation::sync);
    if (boot_ != owner_->boots || owner_->lying) return ok;
    auto& own = *node_;
    if (!ok) {
      for (auto& pending : own.pending) pending.lost = true;
      return ok;
    }
    // A change whose sync failed once stays where it is: visible, and never durable.
    std::vector<file_change> never;
    for (auto& pending : own.pending) {
      if (pending.lost)
        never.push_back(std::move(pending));
      else
        take_effect(own.durable, pending);
    }
    own.pending = std::move(never);
    return ok;
  }

  result<std::uint64_t> size() override {
    const std::lock_guard guard(owner_->mutex);
    if (auto ok = usable("examine", io_operation::read); !ok) return propagate(ok);
    return node_->visible.size();
  }

  result<void> truncate(std::uint64_t size) override {
    const std::lock_guard guard(owner_->mutex);
    if (auto ok = usable("truncate", io_operation::truncate); !ok) return ok;
    if (!writable_) return fail(errc::io, "cannot truncate " + path_ + ": opened for reading");
    if (node_->visible.size() != size) change({size, std::nullopt, false});
    return {};
  }

private:
  result<void> usable(std::string_view action, io_operation kind) {
    if (boot_ != owner_->boots)
      return fail(errc::io, fmt::format("cannot {} {}: the machine crashed", action, path_));
    if (owner_->fails(kind)) return injected(action, path_);
    return {};
  }

  /// What of a write the disk has room for.
  [[nodiscard]] std::string_view with_room(std::uint64_t offset, std::string_view bytes) const {
    const std::uint64_t end = offset + bytes.size();
    const std::uint64_t size = node_->visible.size();
    if (!owner_->most_bytes || end <= size) return bytes;
    const std::uint64_t last = size + owner_->free_bytes();
    if (end <= last) return bytes;
    return bytes.substr(0, last > offset ? last - offset : 0);
  }

  void change(file_change made) {
    take_effect(node_->visible, made);
    node_->pending.push_back(std::move(made));
  }

  std::shared_ptr<state> owner_;
  inode_pointer node_;
  std::uint64_t boot_;
  std::string path_;
  bool writable_;
};

class memory_file_system::memory_lock final : public directory_lock {
public:
  memory_lock(std::shared_ptr<state> owner, std::uint64_t number)
      : owner_(std::move(owner)), boot_(owner_->boots), number_(number) {}
  ~memory_lock() override {
    const std::lock_guard guard(owner_->mutex);
    if (boot_ != owner_->boots) return;
    std::erase_if(owner_->locked, [&](const auto& held) { return held.second == number_; });
  }

private:
  std::shared_ptr<state> owner_;
  std::uint64_t boot_;
  std::uint64_t number_; ///< its directory may get another name
};

memory_file_system::memory_file_system() : state_(std::make_shared<state>()) {
  state_->disk.directories["."];
  state_->disk.directories["/"];
}

memory_file_system::memory_file_system(const disk_image& image)
    : state_(std::make_shared<state>()) {
  state_->disk = image.get().clone();
}

memory_file_system::~memory_file_system() = default;

result<std::unique_ptr<file>> memory_file_system::open(const std::string& path, open_mode mode) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::open)) return injected("open", path);
  const auto [dir, name] = split(path);
  auto* in = state_->find_directory(dir);
  if (in == nullptr) return missing("open", path);
  auto it = in->visible.find(name);
  if (it == in->visible.end()) {
    if (mode != open_mode::create) return missing("open", path);
    auto node = std::make_shared<inode>();
    node->number = state_->disk.next_number++;
    const directory_change made{{}, name, std::move(node)};
    take_effect(in->visible, made);
    in->pending.push_back(made);
    it = in->visible.find(name);
  }
  return std::make_unique<memory_file>(state_, it->second, path, mode != open_mode::read);
}

result<bool> memory_file_system::exists(const std::string& path) {
  const std::lock_guard guard(state_->mutex);
  return state_->find_directory(path) != nullptr || state_->find(path, false) != nullptr;
}

result<std::vector<std::string>> memory_file_system::list(const std::string& dir) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::read)) return injected("list", dir);
  std::vector<std::string> names;
  if (const auto* in = state_->find_directory(dir))
    for (const auto& [name, node] : in->visible) names.push_back(name);
  return names;
}

result<void> memory_file_system::create_directories(const std::string& dir) {
  const std::lock_guard guard(state_->mutex);
  if (state_->find(dir, false) != nullptr)
    return fail(errc::io, fmt::format("{} is not a directory", dir));
  for (std::size_t end = dir.find('/', 1);; end = dir.find('/', end + 1)) {
    state_->disk.directories[dir.substr(0, end)];
    if (end == std::string::npos) return {};
  }
}

result<void> memory_file_system::rename(const std::string& from, const std::string& to) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::directory)) return injected("rename", from);
  const auto source = split(from);
  const auto target = split(to);
  ensure(source.dir == target.dir, "a rename stays within one directory");
  auto* in = state_->find_directory(source.dir);
  if (in == nullptr || !in->visible.contains(source.name)) return missing("rename", from);
  const directory_change made{source.name, target.name, in->visible.at(source.name)};
  take_effect(in->visible, made);
  in->pending.push_back(made);
  return {};
}

result<void> memory_file_system::remove(const std::string& path) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::directory)) return injected("remove", path);
  const auto [dir, name] = split(path);
  auto* in = state_->find_directory(dir);
  if (in == nullptr || !in->visible.contains(name)) return missing("remove", path);
  const directory_change made{name, {}, nullptr};
  take_effect(in->visible, made);
  in->pending.push_back(made);
  return {};
}

result<void> memory_file_system::link(const std::string& from, const std::string& to) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::directory)) return injected("link", from);
  const inode_pointer node = state_->find(from, false);
  const auto target = split(to);
  auto* in = state_->find_directory(target.dir);
  if (node == nullptr || in == nullptr) return missing("link", from);
  if (in->visible.contains(target.name)) return fail(errc::already_exists, to + " is there");
  const directory_change made{{}, target.name, node};
  take_effect(in->visible, made);
  in->pending.push_back(made);
  return {};
}

result<std::uint64_t> memory_file_system::names_of(const std::string& path) {
  const std::lock_guard guard(state_->mutex);
  const inode_pointer node = state_->find(path, false);
  if (node == nullptr) return missing("examine", path);
  std::uint64_t names = 0;
  for (const auto& [dir, in] : state_->disk.directories)
    for (const auto& [name, its] : in.visible) names += its == node ? 1U : 0U;
  return names;
}

/// Directories are durable at once here, and so is this.
result<void> memory_file_system::exchange(const std::string& one, const std::string& other) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::directory)) return injected("exchange", one);
  if (state_->find_directory(one) == nullptr || state_->find_directory(other) == nullptr)
    return missing("exchange", one);
  const auto renamed = [&](const std::string& path) {
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)})
      if (path == from || path.starts_with(from + "/")) return to + path.substr(from.size());
    return path;
  };
  std::map<std::string, directory> moved;
  for (auto& [path, in] : state_->disk.directories) moved[renamed(path)] = std::move(in);
  state_->disk.directories = std::move(moved);
  std::map<std::string, std::uint64_t> locked;
  for (const auto& [path, by] : state_->locked) locked[renamed(path)] = by;
  state_->locked = std::move(locked);
  return {};
}

result<void> memory_file_system::sync_directory(const std::string& dir) {
  const std::lock_guard guard(state_->mutex);
  if (state_->fails(io_operation::directory)) return injected("sync", dir);
  auto* in = state_->find_directory(dir);
  if (in == nullptr) return missing("sync", dir);
  if (state_->lying) return {};
  for (const auto& change : in->pending) take_effect(in->durable, change);
  in->pending.clear();
  return {};
}

result<std::unique_ptr<directory_lock>> memory_file_system::lock(const std::string& dir) {
  const std::lock_guard guard(state_->mutex);
  if (state_->find_directory(dir) == nullptr) return missing("lock", dir);
  const std::uint64_t number = ++state_->locks;
  if (!state_->locked.emplace(dir, number).second)
    return fail(errc::busy, fmt::format("{} is open in this process", dir));
  return std::make_unique<memory_lock>(state_, number);
}

void memory_file_system::limit_bytes(std::optional<std::uint64_t> most) {
  const std::lock_guard guard(state_->mutex);
  state_->most_bytes = most;
}

std::uint64_t memory_file_system::used_bytes() const {
  const std::lock_guard guard(state_->mutex);
  return state_->used_bytes();
}

std::optional<std::uint64_t> memory_file_system::free_bytes(const std::string&) {
  const std::lock_guard guard(state_->mutex);
  if (!state_->most_bytes) return {};
  return state_->free_bytes();
}

void memory_file_system::crash(std::uint64_t seed, crash_mode mode) {
  const std::lock_guard guard(state_->mutex);
  choices choose(seed);
  const auto survives = [&] {
    return mode == crash_mode::keep || (mode == crash_mode::random && choose.one_in(2));
  };
  const auto files = reachable(state_->disk.directories);
  for (auto& [name, in] : state_->disk.directories) {
    for (const auto& change : in.pending)
      if (survives()) take_effect(in.durable, change);
    in.pending.clear();
    in.visible = in.durable;
  }
  for (const auto& [number, node] : files) {
    auto& file = *node;
    for (const auto& change : file.pending) {
      if (change.lost) continue;
      if (mode == crash_mode::random && change.bytes && choose.one_in(3))
        apply_torn(file.durable, change, choose);
      else if (survives())
        take_effect(file.durable, change);
    }
    file.pending.clear();
    file.visible = file.durable;
  }
  ++state_->boots;
  state_->locked.clear();
}

disk_image memory_file_system::image() const {
  const std::lock_guard guard(state_->mutex);
  return disk_image(std::make_shared<const disk_image::content>(state_->disk.clone()));
}

void memory_file_system::fail_nth(io_operation kind, std::uint64_t nth, bool from_then_on) {
  ensure(nth > 0, "the next operation is number 1");
  const std::lock_guard guard(state_->mutex);
  state_->fault_kind = kind;
  state_->fault_at = state_->counts[static_cast<std::size_t>(kind)] + nth;
  state_->fault_stays = from_then_on;
}

void memory_file_system::clear_faults() {
  const std::lock_guard guard(state_->mutex);
  state_->fault_at = 0;
}

std::uint64_t memory_file_system::operations(io_operation kind) const {
  const std::lock_guard guard(state_->mutex);
  return state_->counts[static_cast<std::size_t>(kind)];
}

void memory_file_system::lie_about_sync(bool lie) {
  const std::lock_guard guard(state_->mutex);
  state_->lying = lie;
}

std::optional<std::string> memory_file_system::testing_bytes(const std::string& path) const {
  const std::lock_guard guard(state_->mutex);
  const auto file = state_->find(path, false);
  return file == nullptr ? std::nullopt : std::optional(file->visible);
}

std::optional<std::string>
memory_file_system::testing_durable_bytes(const std::string& path) const {
  const std::lock_guard guard(state_->mutex);
  const auto file = state_->find(path, true);
  return file == nullptr ? std::nullopt : std::optional(file->durable);
}

void memory_file_system::testing_set_bytes(const std::string& path, std::string bytes) {
  const std::lock_guard guard(state_->mutex);
  const auto found = state_->find(path, false);
  ensure(found != nullptr, "the file whose bytes are replaced must exist");
  found->durable = bytes;
  found->visible = std::move(bytes);
  found->pending.clear();
}

} // namespace mneme

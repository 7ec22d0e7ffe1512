#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "storage/file.hpp"
#include "storage/kept_from_children.hpp"

namespace mneme {

namespace {

constexpr std::size_t unchecked_read_bytes = 64 << 10;

errc code_of(int cause) {
  if (cause == ENOENT) return errc::not_found;
  // EFBIG: what the process may write to one file is limited, which is no less to be mended.
  const bool lacks_room = cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
  return lacks_room ? errc::disk_full : errc::io;
}

std::unexpected<error> refused(std::string_view action, const std::string& path) {
  const int cause = errno;
  return fail(code_of(cause),
              fmt::format("cannot {} {}: {}", action, path,
                          std::error_code(cause, std::generic_category()).message()));
}

/// An open descriptor, closed on destruction. Its close is never the one that makes bytes durable.
class descriptor {
public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }

private:
  int fd_;
};

descriptor open_descriptor(const std::string& path, int flags) {
  int fd = -1;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  while (fd < 0 && errno == EINTR);
  return descriptor(fd);
}

/// One that may be given up while others still use it: it is closed when they do no more.
class shared_descriptor {
public:
  explicit shared_descriptor(descriptor fd)
      : fd_(std::make_shared<const descriptor>(std::move(fd))) {}
  /// nullptr once it was given up.
  [[nodiscard]] std::shared_ptr<const descriptor> get() const {
    const std::lock_guard hold(guard_);
    return fd_;
  }
  void give_up() {
    std::shared_ptr<const descriptor> last; // closed after the guard
    const std::lock_guard hold(guard_);
    last.swap(fd_);
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<const descriptor> fd_;
};

/// The first bytes of a file, as whoever writes them lets them be seen. A file that still grows
/// fits in: pages behind its end are there when it has come so far.
class file_window {
public:
  /// Nothing where the file cannot be mapped.
  file_window(int fd, std::uint64_t file_size) : size_(std::max(file_size, least_bytes)) {
    void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) return;
    begin_ = static_cast<const char*>(at);
    // What is beside a record is most often none that is asked for.
    ::madvise(at, size_, MADV_RANDOM);
  }
  ~file_window() {
    if (begin_ != nullptr) ::munmap(const_cast<char*>(begin_), size_);
  }
  file_window(const file_window&) = delete;
  file_window& operator=(const file_window&) = delete;

  /// nullptr if not all of it lies within.
  [[nodiscard]] const char* at(std::uint64_t offset, std::size_t size) const {
    if (begin_ == nullptr || offset > size_ || size > size_ - offset) return nullptr;
    return begin_ + offset;
  }

private:
  /// More than a segment of the journal, which ends with the first frame behind its measure.
  static constexpr std::uint64_t least_bytes = 96ULL << 20;

  std::uint64_t size_;
  const char* begin_ = nullptr;
};

class posix_file final : public file {
public:
  posix_file(descriptor fd, std::string path, open_mode mode)
      : fd_(std::move(fd)), path_(std::move(path)), mode_(mode) {}

  result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
    if (size > unchecked_read_bytes) {
      // What lies behind the end is not allocated for, however much a caller asks.
      auto length = this->size();
      if (!length) return propagate(length);
      const std::uint64_t there = *length > offset ? *length - offset : 0;
      size = static_cast<std::size_t>(std::min<std::uint64_t>(size, there));
    }
    std::string bytes(size, '\0');
    auto done = read(offset, bytes);
    if (!done) return propagate(done);
    bytes.resize(*done);
    return bytes;
  }

  result<std::size_t> read_into(std::uint64_t offset, std::span<char> to) override {
    const char* const from = window_at(offset, to.size());
    if (from == nullptr) return read(offset, to);
    std::copy_n(from, to.size(), to.data());
    return to.size();
  }

  void expect(std::uint64_t offset, std::size_t size) override {
    if (const char* const from = window_at(offset, size))
      for (std::size_t i = 0; i < size; i += line_bytes) __builtin_prefetch(from + i);
  }

  void is_complete() override {
    if (mode_ != open_mode::read) return;
    auto now = size();
    if (!now || *now == 0 || window_at(*now - 1, 1) == nullptr) return;
    if (window_->at(0, *now) != nullptr) fd_.give_up();
  }

  result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    const int fd = writing();
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return refused("write", path_);
      bytes.remove_prefix(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
    return {};
  }

  result<void> sync() override {
    if (::fdatasync(writing()) == 0) return {};
    auto failed = refused("sync", path_);
    failed.error().code = errc::io; // what is there is unknown, whatever was the cause
    return failed;
  }

  result<std::uint64_t> size() override {
    const auto fd = fd_.get();
    if (fd == nullptr) return known_size_.load(std::memory_order_acquire);
    struct stat info{};
    if (::fstat(fd->get(), &info) != 0) return refused("examine", path_);
    return static_cast<std::uint64_t>(info.st_size);
  }

  result<void> truncate(std::uint64_t size) override {
    if (::ftruncate(writing(), static_cast<off_t>(size)) != 0) return refused("truncate", path_);
    return {};
  }

private:
  static constexpr std::size_t line_bytes = 64;

  /// Where these bytes are in memory; nullptr where they are not there whole.
  const char* window_at(std::uint64_t offset, std::size_t size) {
    if (mode_ != open_mode::read || size == 0) return nullptr;
    const std::uint64_t end = offset + size;
    if (end > known_size_.load(std::memory_order_acquire)) {
      auto now = this->size();
      if (!now || *now < end) return nullptr;
      const auto fd = fd_.get();
      if (fd == nullptr) return nullptr; // whoever gave it up has found no more
      std::call_once(opened_, [&] { window_.emplace(fd->get(), *now); });
      know_size(*now);
    }
    return window_->at(offset, size);
  }

  /// A file that is read grows; whoever has found less must not make it shorter.
  void know_size(std::uint64_t size) {
    std::uint64_t known = known_size_.load(std::memory_order_relaxed);
    while (known < size
           && !known_size_.compare_exchange_weak(known, size, std::memory_order_acq_rel)) {
    }
  }

  /// What is open for writing keeps its descriptor; the system refuses any other.
  [[nodiscard]] int writing() const {
    const auto fd = fd_.get();
    return fd == nullptr ? -1 : fd->get();
  }

  /// A part of the file that may reach over its end, which lies in the window whole.
  std::size_t read_window(std::uint64_t offset, std::span<char> to) const {
    const std::uint64_t end = known_size_.load(std::memory_order_acquire);
    if (offset >= end) return 0;
    const std::uint64_t there = std::min<std::uint64_t>(end - offset, to.size());
    std::copy_n(window_->at(offset, there), there, to.data());
    return there;
  }

  result<std::size_t> read(std::uint64_t offset, std::span<char> to) {
    const auto fd = fd_.get();
    if (fd == nullptr) return read_window(offset, to);
    std::size_t done = 0;
    while (done < to.size()) {
      const ssize_t n =
          ::pread(fd->get(), to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return refused("read", path_);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  shared_descriptor fd_;
  std::string path_;
  open_mode mode_;
  std::once_flag opened_;
  std::optional<file_window> window_;        ///< of what is read_into() alone
  std::atomic<std::uint64_t> known_size_{0}; ///< 0: there is no window yet
};

/// flock() ends with the descriptor, so a killed process leaves no stale lock. The file stays: to
/// remove it would let two processes lock two files of one name.
class posix_lock final : public directory_lock {
public:
  explicit posix_lock(descriptor fd) : fd_(std::move(fd)), kept_(fd_.get()) {}

private:
  descriptor fd_;
  kept_from_children kept_; ///< a child would hold the lock on
};

std::string owner_of_lock(int fd) {
  std::string pid(32, '\0');
  const ssize_t n = ::pread(fd, pid.data(), pid.size(), 0);
  pid.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid;
}

class posix_file_system final : public file_system {
public:
  result<std::unique_ptr<file>> open(const std::string& path, open_mode mode) override {
    int flags = O_RDONLY;
    if (mode == open_mode::read_write) flags = O_RDWR;
    if (mode == open_mode::create) flags = O_RDWR | O_CREAT;
    auto fd = open_descriptor(path, flags);
    if (!fd.valid()) return refused("open", path);
    return std::make_unique<posix_file>(std::move(fd), path, mode);
  }

  result<bool> exists(const std::string& path) override {
    if (::access(path.c_str(), F_OK) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return refused("examine", path);
  }

  result<file_content> content(const std::string& path) override {
    auto fd = open_descriptor(path, O_RDONLY);
    if (!fd.valid()) return refused("open", path);
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) return refused("examine", path);
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size == 0) return file_content{};
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd.get(), 0);
    if (at == MAP_FAILED) return file_system::content(path); // no file of this kind is mapped
    // Of a file whose mode is that of reading alone a part is read by mapping it.
    auto source = std::make_shared<posix_file>(std::move(fd), path, open_mode::read_write);
    return file_content{.bytes = {static_cast<char*>(at), size},
                        .holder = {at, [size](void* mapped) { ::munmap(mapped, size); }},
                        .source = std::move(source)};
  }

  result<std::vector<std::string>> list(const std::string& dir) override {
    std::vector<std::string> names;
    DIR* stream = ::opendir(dir.c_str());
    if (stream == nullptr) {
      if (errno == ENOENT) return names;
      return refused("list", dir);
    }
    errno = 0;
    // Safe for threads in glibc: the stream is this call's own.
    while (const dirent* found = ::readdir(stream)) { // NOLINT(concurrency-mt-unsafe)
      struct stat info{};
      const bool known = ::fstatat(::dirfd(stream), found->d_name, &info, 0) == 0;
      if (known && !S_ISDIR(info.st_mode)) names.emplace_back(found->d_name);
      errno = 0;
    }
    const int cause = errno;
    ::closedir(stream);
    errno = cause;
    if (cause != 0) return refused("list", dir);
    std::ranges::sort(names);
    return names;
  }

  result<void> create_directories(const std::string& dir) override {
    for (std::size_t end = dir.find('/', 1);; end = dir.find('/', end + 1)) {
      const std::string part = dir.substr(0, end);
      if (auto ok = create_one(part); !ok) return ok;
      if (end == std::string::npos) return {};
    }
  }

  result<void> rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) return refused("rename", from);
    return {};
  }

  result<void> remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return refused("remove", path);
    return {};
  }

  result<void> link(const std::string& from, const std::string& to) override {
    if (::link(from.c_str(), to.c_str()) == 0) return {};
    if (errno == EEXIST) return fail(errc::already_exists, fmt::format("{} is there already", to));
    const bool cannot = errno == EXDEV || errno == EPERM || errno == EMLINK || errno == ENOTSUP;
    auto said = refused("link", from);
    if (cannot) said.error().code = errc::unsupported;
    return said;
  }

  result<std::uint64_t> names_of(const std::string& path) override {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) return refused("examine", path);
    return static_cast<std::uint64_t>(info.st_nlink);
  }

  result<void> exchange(const std::string& one, const std::string& other) override {
    if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) != 0) {
      // EBUSY: one of them is a mount point.
      const bool cannot = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EXDEV
                          || errno == EBUSY;
      auto said = refused("exchange", one);
      if (cannot) said.error().code = errc::unsupported;
      return said;
    }
    return sync_directory(parent_of(one));
  }

  result<void> sync_directory(const std::string& dir) override {
    auto fd = open_descriptor(dir, O_RDONLY | O_DIRECTORY);
    if (!fd.valid()) return refused("open", dir);
    if (::fsync(fd.get()) != 0) return refused("sync", dir);
    return {};
  }

  std::optional<std::uint64_t> free_bytes(const std::string& dir) override {
    struct statvfs info{};
    if (::statvfs(dir.c_str(), &info) != 0 || info.f_blocks == 0) return {}; // it has no measure
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  }

  result<std::unique_ptr<directory_lock>> lock(const std::string& dir) override {
    const std::string path = dir + "/LOCK";
    auto fd = open_descriptor(path, O_RDWR | O_CREAT);
    if (!fd.valid()) return refused("open", path);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return refused("lock", path);
      const std::string pid = owner_of_lock(fd.get());
      return fail(errc::busy, pid.empty() ? fmt::format("{} is open in another process", dir)
                                          : fmt::format("{} is open in process {}", dir, pid));
    }
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd.get(), 0) != 0
        || ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
      return refused("write", path);
    return std::make_unique<posix_lock>(std::move(fd));
  }

private:
  result<void> create_one(const std::string& dir) {
    if (::mkdir(dir.c_str(), 0755) != 0) {
      if (errno != EEXIST) return refused("create directory", dir);
      struct stat info{};
      if (::stat(dir.c_str(), &info) != 0) return refused("examine", dir);
      if (!S_ISDIR(info.st_mode)) return fail(errc::io, fmt::format("{} is not a directory", dir));
      return {};
    }
    return sync_directory(parent_of(dir));
  }

  static std::string parent_of(const std::string& path) {
    const auto slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
  }
};

} // namespace

std::shared_ptr<file_system> make_posix_file_system() {
  return std::make_shared<posix_file_system>();
}

} // namespace mneme

#include "bench/workloads/synced_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace mneme::workloads {

namespace {

std::unexpected<error> floor_refused() {
  return fail(errc::io, std::string("the floor's file: ") + std::generic_category().message(errno));
}

} // namespace

synced_file::synced_file(const std::string& path)
    : descriptor_(::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600)) {
}
synced_file::~synced_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

result<void> synced_file::write_ahead(std::size_t bytes) {
  static const std::string zeros(1U << 20, '\0');
  if (at_ + bytes <= end_) return {};
  while (at_ + bytes > end_) {
    const auto written =
        ::pwrite(descriptor_, zeros.data(), zeros.size(), static_cast<off_t>(end_));
    if (written <= 0) return floor_refused();
    end_ += static_cast<std::uint64_t>(written);
  }
  if (::fdatasync(descriptor_) != 0) return floor_refused();
  return {};
}

result<void> synced_file::write(std::size_t bytes) {
  const std::string block(bytes, 'x');
  const auto written = ::pwrite(descriptor_, block.data(), block.size(), static_cast<off_t>(at_));
  if (written != static_cast<ssize_t>(bytes)) return floor_refused();
  at_ += bytes;
  return {};
}

result<void> synced_file::append(std::size_t bytes) {
  if (auto written = write(bytes); !written) return written;
  if (::fdatasync(descriptor_) != 0) return floor_refused();
  return {};
}

} // namespace mneme::workloads

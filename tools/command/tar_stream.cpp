#include "tools/command/tar_stream.hpp"

#include <archive.h>
#include <archive_entry.h>

namespace mneme::command {

tar_stream::tar_stream() : out_(archive_write_new()), entry_(archive_entry_new()) {
  archive_write_set_format_pax_restricted(out_); // ustar, but for what that cannot hold
  archive_write_set_bytes_in_last_block(out_, 1);
  archive_write_open_fd(out_, 1);
}

tar_stream::~tar_stream() {
  archive_entry_free(entry_);
  // What was not finished is no archive.
  archive_write_fail(out_);
  archive_write_free(out_);
}

result<void> tar_stream::begin(const std::string& name, std::uint64_t bytes) {
  archive_entry_clear(entry_);
  archive_entry_set_pathname(entry_, name.c_str());
  archive_entry_set_size(entry_, static_cast<la_int64_t>(bytes));
  archive_entry_set_filetype(entry_, AE_IFREG);
  archive_entry_set_perm(entry_, 0644);
  return done(archive_write_header(out_, entry_) == ARCHIVE_OK);
}

result<void> tar_stream::write(std::string_view bytes) {
  const auto written = archive_write_data(out_, bytes.data(), bytes.size());
  return done(written == static_cast<la_ssize_t>(bytes.size()));
}

result<void> tar_stream::finish() {
  return done(archive_write_close(out_) == ARCHIVE_OK);
}

result<void> tar_stream::done(bool is_good) {
  if (is_good) return {};
  const char* const why = archive_error_string(out_);
  return fail(errc::io, std::string("the tar stream was broken off: ")
                            + (why != nullptr ? why : "it takes no more"));
}

} // namespace mneme::command

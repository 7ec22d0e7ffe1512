#pragma once
/// Files as a tar stream on standard output.

#include "mneme/branch.hpp"

struct archive;
struct archive_entry;

namespace mneme::command {

class tar_stream final : public backup_stream {
public:
  tar_stream();
  ~tar_stream() override;
  tar_stream(const tar_stream&) = delete;
  tar_stream& operator=(const tar_stream&) = delete;

  result<void> begin(const std::string& name, std::uint64_t bytes) override;
  result<void> write(std::string_view bytes) override;
  /// Without it the stream is cut off, and tar says so.
  result<void> finish();

private:
  result<void> done(bool is_good);

  archive* out_;
  archive_entry* entry_;
};

} // namespace mneme::command

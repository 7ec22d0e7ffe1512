#include "state/branch/branch_files.hpp"

#include <algorithm>

#include "journal/segment.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

result<branch_file> whole_file(file_system& files, const std::string& directory, std::string name) {
  branch_file found{.name = std::move(name), .from = {}, .is_fixed = true};
  found.from = directory + "/" + found.name;
  auto in = files.open(found.from, open_mode::read);
  if (!in) return propagate(in);
  auto size = (*in)->size();
  if (!size) return propagate(size);
  found.bytes = *size;
  found.source = std::move(*in);
  return found;
}

std::string in_journal(seq_no first) {
  return journal_directory("").substr(1) + "/" + segment_name(first);
}

/// A segment of its own, behind those that nobody appends to any more.
branch_file next_segment(const journal_cut& cut, const world_file& info) {
  ensure(!cut.full.empty(), "a journal has a segment");
  const segment_head head{.world = info.id,
                          .branch = info.branch,
                          .first_seq = cut.at.next(),
                          .previous_frame = cut.last_frame,
                          .previous_segment = cut.full.back()};
  return {.name = in_journal(head.first_seq), .from = {}, .tail = encode(head) + seal_behind(cut)};
}

} // namespace

result<std::vector<branch_file>> plan_journal(file_system& files, const std::string& from,
                                              const journal_cut& cut, const world_file& info) {
  std::vector<branch_file> plan;
  for (const seq_no first : cut.full) {
    auto segment = whole_file(files, from, in_journal(first));
    if (!segment) return propagate(segment);
    // Segments stay; there may be more of them than files that may be open.
    segment->source.reset();
    plan.push_back(std::move(*segment));
  }
  if (!cut.begun) {
    plan.push_back(next_segment(cut, info));
    return plan;
  }
  ensure(cut.full.empty() || cut.full.back() < *cut.begun, "segments are planned in their order");
  const std::string name = in_journal(*cut.begun);
  plan.push_back({.name = name,
                  .from = from + "/" + name,
                  .bytes = cut.begun_bytes,
                  .tail = seal_behind(cut)});
  return plan;
}

result<std::optional<planned_images>> plan_images(file_system& files, const std::string& from,
                                                  seq_no cut) {
  auto checkpoint = read_checkpoint(files, from);
  // A damaged one names no images.
  if (!checkpoint || !checkpoint->has_value() || (*checkpoint)->seq > cut) return std::nullopt;
  planned_images plan{.checkpoint = **checkpoint, .images = {}};
  for (const auto& name : image_files(plan.checkpoint)) {
    auto image = whole_file(files, from, image_directory("").substr(1) + "/" + name);
    if (!image && image.error().code != errc::not_found) return propagate(image);
    if (image) plan.images.push_back(std::move(*image));
  }
  return plan;
}

result<std::vector<branch_file>> plan_store(file_system& files, const std::string& from) {
  std::vector<branch_file> plan;
  auto stores = store_names(files, from);
  if (!stores) return propagate(stores);
  if (stores->size() != 1) return plan; // of several none is whole for certain
  auto names = files.list(from + "/" + stores->front());
  if (!names) return propagate(names);
  for (const auto& name : *names) {
    auto table = whole_file(files, from, stores->front() + "/" + name);
    if (!table) return propagate(table);
    table->is_fixed = false;
    plan.push_back(std::move(*table));
  }
  return plan;
}

std::string checkpoint_beside(const planned_images& images, bool has_store) {
  checkpoint_file own = images.checkpoint;
  own.store_matches = !has_store;
  return encode(own);
}

result<void> for_each_part(file_system& files, const branch_file& part,
                           const std::function<result<void>(std::string_view)>& take) {
  constexpr std::uint64_t piece = 4ULL << 20;
  std::shared_ptr<file> in = part.source;
  if (in == nullptr && !part.from.empty()) {
    auto opened = files.open(part.from, open_mode::read);
    if (!opened) return propagate(opened);
    in = std::move(*opened);
  }
  for (std::uint64_t at = 0; at < part.bytes;) {
    auto bytes = in->read_at(at, static_cast<std::size_t>(std::min(piece, part.bytes - at)));
    if (!bytes) return propagate(bytes);
    if (bytes->empty())
      return fail(errc::corrupt, part.from + " ends before byte " + std::to_string(part.bytes));
    if (auto ok = take(*bytes); !ok) return ok;
    at += bytes->size();
  }
  return part.tail.empty() ? result<void>() : take(part.tail);
}

result<void> copy_to(file_system& files, const branch_file& from, const std::string& path) {
  return copy_to(files, from, files, path);
}

result<void> copy_to(file_system& files, const branch_file& from, file_system& to_files,
                     const std::string& path) {
  const std::string fresh = path + ".new";
  auto out = to_files.open(fresh, open_mode::create);
  if (!out) return propagate(out);
  // One may be left from an attempt that was broken off.
  if (auto ok = (*out)->truncate(0); !ok) return ok;
  std::uint64_t at = 0;
  auto copied = for_each_part(files, from, [&](std::string_view bytes) -> result<void> {
    if (auto ok = (*out)->write_at(at, bytes); !ok) return ok;
    at += bytes.size();
    return {};
  });
  if (!copied) return copied;
  ensure(at == from.size(), "as many bytes as were planned");
  if (auto ok = (*out)->sync(); !ok) return ok;
  out->reset();
  return to_files.rename(fresh, path);
}

} // namespace mneme

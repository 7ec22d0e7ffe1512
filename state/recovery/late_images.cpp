#include "state/recovery/late_images.hpp"

#include <utility>

#include <fmt/format.h>

#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

/// Where the images are.
struct image_site {
  std::shared_ptr<file_system> files;
  std::string directory;
  world_id world;
};

/// So that the next opening does not leave it for later once more: without the image, or else
/// without CHECKPOINT, it makes everything from the journal.
result<void> forget(const image_site& site, const std::string& name) {
  // By now another world may be there.
  if (auto ok = check_place(*site.files, site.directory, site.world); !ok) return ok;
  auto removed = site.files->remove(image_directory(site.directory) + "/" + name);
  if (removed || removed.error().code == errc::not_found) return {};
  return site.files->remove(checkpoint_path(site.directory));
}

error damaged_late(const image_site& site, const failed_load& failed) {
  std::string message = fmt::format("image {} is damaged ({}): ", failed.name, failed.why.message);
  const auto forgotten = forget(site, failed.name);
  if (!forgotten)
    message +=
        fmt::format("it could not be removed ({}); remove it, then ", forgotten.error().message);
  message += "close the world and open it again, which makes its indexes anew";
  return {errc::corrupt, std::move(message), {}};
}

/// The same images, whose reads fail once it `stops`.
std::vector<image_load> until(const std::atomic<bool>& stops, std::vector<image_load> images) {
  for (image_load& image : images)
    if (image.bytes.read)
      image.bytes.read = [read = std::move(image.bytes.read), &stops](std::size_t from,
                                                                      std::span<char> to) {
        return !stops && read(from, to);
      };
  return images;
}

} // namespace

std::shared_ptr<late_indexes> load_late(const world& w, std::vector<image_load> images,
                                        seq_no retained_from) {
  const auto indexes = w.generation();
  return std::make_shared<late_indexes>(
      [site = image_site{w.files, w.directory, w.info.id}, images = std::move(images),
       words = indexes->lexical, vectors = indexes->vectors,
       retained_from](const std::atomic<bool>& stops) -> result<std::uint64_t> {
        const auto failed = load_checked(until(stops, images), {});
        if (failed && stops) return std::unexpected(failed->why);
        if (failed) return std::unexpected(damaged_late(site, *failed));
        words->retain_from(retained_from);
        return vectors->size();
      });
}

} // namespace mneme

#include "state/recovery/late_images.hpp"

#include <utility>

#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

/// Where the images are.
struct image_site {
  std::shared_ptr<file_system> files;
  std::string directory;
  world_id world;
};

error damaged_late(const image_site& site, const failed_load& failed) {
  // By now another world may be there.
  const bool is_here = check_place(*site.files, site.directory, site.world).has_value();
  if (is_here)
    static_cast<void>(site.files->remove(image_directory(site.directory) + "/" + failed.name));
  return {errc::corrupt,
          "image " + failed.name + " is damaged (" + failed.why.message
              + "): close the world and open it again, which makes its indexes anew",
          {}};
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

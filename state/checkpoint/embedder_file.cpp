#include "state/checkpoint/embedder_file.hpp"

#include <fmt/format.h>

#include "messages/seams/hash_embedder.hpp"

namespace mneme {

std::string embedder_path(const std::string& directory) {
  return directory + "/EMBEDDER";
}

std::string note_embedder(file_system& files, const std::string& directory, std::string_view spec) {
  if (spec != "hash" && !spec.starts_with("hash:")) return {};
  const std::string now = hash_embedder_rules() + "\n";
  auto there = read_file(files, embedder_path(directory));
  if (!there && there.error().code == errc::not_found)
    (void)replace_file(files, embedder_path(directory), now);
  if (!there || *there == now) return {};
  return fmt::format(
      "the vectors of this world were made by other rules of text ({}, now {}): texts "
      "beyond plain Latin letters may be found less well by nearness",
      there->substr(0, there->find('\n')), hash_embedder_rules());
}

result<void> carry_embedder_note(file_system& from_files, const std::string& from,
                                 file_system& to_files, const std::string& to) {
  auto there = read_file(from_files, embedder_path(from));
  if (!there && there.error().code == errc::not_found) return {};
  if (!there) return propagate(there);
  return replace_file(to_files, embedder_path(to), *there);
}

} // namespace mneme

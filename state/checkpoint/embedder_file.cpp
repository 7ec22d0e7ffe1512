#include "state/checkpoint/embedder_file.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "messages/seams/hash_embedder.hpp"

namespace mneme {

std::string embedder_path(const std::string& directory) {
  return directory + "/EMBEDDER";
}

namespace {

/// The rules that the file names, where it is the one line that it was written as.
std::optional<std::string_view> rules_in(std::string_view file) {
  constexpr std::size_t most = 200;
  if (file.size() < 2 || file.size() > most || !file.ends_with('\n')) return {};
  file.remove_suffix(1);
  const bool is_plain = std::ranges::all_of(file, [](char c) { return c >= ' ' && c <= '~'; });
  return is_plain ? std::optional(file) : std::nullopt;
}

} // namespace

std::string note_embedder(file_system& files, const std::string& directory, std::string_view spec) {
  if (spec != "hash" && !spec.starts_with("hash:")) return {};
  const std::string now = hash_embedder_rules() + "\n";
  auto there = read_file(files, embedder_path(directory));
  if (!there && there.error().code == errc::not_found)
    (void)replace_file(files, embedder_path(directory), now);
  if (!there || *there == now) return {};
  const auto then = rules_in(*there);
  if (!then)
    return fmt::format("the file {} is damaged and does not say by which rules of text the vectors "
                       "of this world were made: texts beyond plain Latin letters may be found "
                       "less well by nearness; if the rules were those of today ({}), remove it",
                       embedder_path(directory), hash_embedder_rules());
  return fmt::format(
      "the vectors of this world were made by other rules of text ({}, now {}): texts "
      "beyond plain Latin letters may be found less well by nearness",
      *then, hash_embedder_rules());
}

result<void> carry_embedder_note(file_system& from_files, const std::string& from,
                                 file_system& to_files, const std::string& to) {
  auto there = read_file(from_files, embedder_path(from));
  if (!there && there.error().code == errc::not_found) return {};
  if (!there) return propagate(there);
  return replace_file(to_files, embedder_path(to), *there);
}

} // namespace mneme

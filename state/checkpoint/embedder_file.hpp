#pragma once
/// The EMBEDDER file: one line, by which rules of text a world's hash embedder made its first
/// vectors. They are in the journal and never made again, while those of queries are made by the
/// rules of the day.

#include <string>
#include <string_view>

#include "storage/file.hpp"

namespace mneme {

/// Why the vectors of the world in `directory`, whose embedder has that spec, may not fit those
/// that are made from now on; empty where nothing says so. A world of before has no such file: it
/// gets one, and what it holds is taken as made by the present rules; so does one where the file
/// was lost. One that is damaged stays. That it cannot be written is no problem of the vectors, and
/// left to the next open.
std::string note_embedder(file_system& files, const std::string& directory, std::string_view spec);

/// Gives the copy `to` of the world `from` the file that this one has, if it has one: the vectors
/// are the same.
result<void> carry_embedder_note(file_system& from_files, const std::string& from,
                                 file_system& to_files, const std::string& to);

std::string embedder_path(const std::string& directory);

} // namespace mneme

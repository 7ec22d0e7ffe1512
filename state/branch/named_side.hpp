#pragma once
/// Of two worlds that are looked at together: which one an error is about.

#include <string>
#include <utility>

#include "mneme/error.hpp"

namespace mneme {

/// The error with the directory in front, unless it names that already.
inline error named_side(error e, const std::string& directory) {
  if (!e.message.contains(directory)) e.message = directory + ": " + e.message;
  return e;
}

template <class T>
result<T> named_side(result<T> got, const std::string& directory) {
  if (!got) got = std::unexpected(named_side(std::move(got.error()), directory));
  return got;
}

} // namespace mneme

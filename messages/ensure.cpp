#include "messages/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace mneme {

void ensure_failed(std::string_view text, const std::source_location& where) {
  std::fprintf(stderr, "%s:%u: in %s: broken invariant: %.*s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(),
               static_cast<int>(text.size()), text.data());
  std::fflush(stderr);
  std::abort();
}

} // namespace mneme

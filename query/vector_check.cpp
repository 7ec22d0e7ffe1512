#include "query/vector_check.hpp"

#include <string>

#include "messages/validate/validate.hpp"

namespace mneme {

result<void> check_vector(const std::optional<std::vector<float>>& vector, std::string_view key) {
  if (!vector) return {};
  if (auto ok = validate_vector(*vector); !ok)
    return fail(ok.error().code, ok.error().message, std::string(key));
  return {};
}

} // namespace mneme

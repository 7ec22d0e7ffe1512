#include "tools/server/access/told_branch.hpp"

#include <nlohmann/json.hpp>

#include "tools/protocol/erase_json.hpp"
#include "tools/server/access/shared_request.hpp"

namespace mneme::server {

result<erase_result> erase_where_open(const std::string& directory, const erase_request& request) {
  auto answer = ask_who_has(directory, "erase", protocol::erase_request_json(request));
  if (!answer) return fail(errc::busy, "nobody answers for " + directory);
  if (!*answer) return propagate(*answer);
  return protocol::read_erase_answer(**answer);
}

} // namespace mneme::server

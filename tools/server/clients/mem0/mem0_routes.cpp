#include "tools/server/clients/mem0/mem0_routes.hpp"

#include <algorithm>
#include <array>

namespace mneme::server::mem0 {

namespace {

struct fixed_path {
  std::string_view path;
  mem0_page page{};
};

constexpr std::array fixed_paths = {
    fixed_path{"/v1/ping/", mem0_page::ping},
    fixed_path{"/v3/memories/add/", mem0_page::add},
    fixed_path{"/v3/memories/search/", mem0_page::search},
    fixed_path{"/v2/memories/search/", mem0_page::search},
    fixed_path{"/v3/memories/", mem0_page::list},
    fixed_path{"/v2/memories/", mem0_page::list},
    fixed_path{"/v1/memories/", mem0_page::all},
    fixed_path{"/v1/entities/", mem0_page::entities},
    fixed_path{"/v1/batch/", mem0_page::batch},
    fixed_path{"/memories", mem0_page::memories},
    fixed_path{"/search", mem0_page::search},
};

/// What stands between two ends; nothing where either is not there, or there is nothing.
std::optional<std::string_view> between(std::string_view path, std::string_view front,
                                        std::string_view back) {
  if (!path.starts_with(front)) return std::nullopt;
  path.remove_prefix(front.size());
  if (!path.ends_with(back) || path.size() == back.size()) return std::nullopt;
  path.remove_suffix(back.size());
  return path;
}

std::optional<mem0_route> memory_route(std::string_view path) {
  for (const bool hosted : {true, false}) {
    const std::string_view front = hosted ? "/v1/memories/" : "/memories/";
    const auto history = between(path, front, hosted ? "/history/" : "/history");
    if (history && history->find('/') == std::string_view::npos)
      return mem0_route{.page = mem0_page::history, .id = std::string(*history)};
    const auto memory = between(path, front, hosted ? "/" : "");
    if (memory && memory->find('/') == std::string_view::npos)
      return mem0_route{.page = mem0_page::memory, .id = std::string(*memory)};
  }
  return std::nullopt;
}

/// A name may hold slashes: it is all that follows the kind.
std::optional<mem0_route> entity_route(std::string_view path) {
  auto rest = between(path, "/v2/entities/", "/");
  if (!rest) rest = between(path, "/v1/entities/", "/");
  if (!rest) return std::nullopt;
  const auto slash = rest->find('/');
  if (slash == std::string_view::npos || slash + 1 == rest->size()) return std::nullopt;
  return mem0_route{.page = mem0_page::entity,
                    .id = std::string(rest->substr(slash + 1)),
                    .kind = std::string(rest->substr(0, slash))};
}

} // namespace

std::optional<mem0_route> mem0_route_of(std::string_view path) {
  const auto fixed = std::ranges::find(fixed_paths, path, &fixed_path::path);
  if (fixed != fixed_paths.end()) return mem0_route{.page = fixed->page};
  if (auto route = memory_route(path)) return route;
  return entity_route(path);
}

std::string_view methods_of(mem0_page page) {
  switch (page) {
  case mem0_page::ping:
  case mem0_page::history:
  case mem0_page::entities:
    return "GET";
  case mem0_page::add:
  case mem0_page::search:
  case mem0_page::list:
    return "POST";
  case mem0_page::all:
  case mem0_page::entity:
    return "DELETE";
  case mem0_page::memories:
    return "GET, POST, DELETE";
  case mem0_page::memory:
    return "GET, PUT, PATCH, DELETE";
  case mem0_page::batch:
    return "PUT, DELETE";
  }
  return "";
}

} // namespace mneme::server::mem0

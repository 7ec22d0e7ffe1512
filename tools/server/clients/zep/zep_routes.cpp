#include "tools/server/clients/zep/zep_routes.hpp"

#include <algorithm>
#include <array>

namespace mneme::server::zep {

namespace {

constexpr std::string_view base = "/api/v2/";
constexpr std::string_view any_id = "*";
constexpr std::string_view any_kind = "?";

struct pattern {
  std::string_view path;
  zep_page page{};
};

/// The first that fits: names before ids.
constexpr std::array patterns = {
    pattern{"users", zep_page::users},
    pattern{"users-ordered", zep_page::users_ordered},
    pattern{"users/*", zep_page::user},
    pattern{"users/*/threads", zep_page::user_threads},
    pattern{"threads", zep_page::threads},
    pattern{"threads/*", zep_page::thread},
    pattern{"threads/*/messages", zep_page::messages},
    pattern{"threads/*/messages-batch", zep_page::messages_batch},
    pattern{"threads/*/context", zep_page::context},
    pattern{"entity-types", zep_page::entity_types},
    pattern{"graph", zep_page::graph_data},
    pattern{"graph-batch", zep_page::graph_batch},
    pattern{"graph/add-fact-triple", zep_page::triple},
    pattern{"graph/create", zep_page::create_graph},
    pattern{"graph/list-all", zep_page::list_graphs},
    pattern{"graph/search", zep_page::search},
    pattern{"graph/edge/?/*", zep_page::edges_of},
    pattern{"graph/node/?/*", zep_page::nodes_of},
    pattern{"graph/episodes/?/*", zep_page::episodes_of},
    pattern{"graph/node/*/entity-edges", zep_page::node_edges},
    pattern{"graph/edge/*", zep_page::edge},
    pattern{"graph/node/*", zep_page::node},
    pattern{"graph/episodes/*", zep_page::episode},
    pattern{"graph/*", zep_page::graph},
};

std::string_view take_part(std::string_view& path) {
  const auto part = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(path.size(), part.size() + 1));
  return part;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Names hold what they like, a slash too.
std::string decoded(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool may_be_escape = part[i] == '%' && i + 2 < part.size();
    const int high = may_be_escape ? hex_digit(part[i + 1]) : -1;
    const int low = may_be_escape ? hex_digit(part[i + 2]) : -1;
    if (high < 0 || low < 0) {
      text += part[i];
      continue;
    }
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return text;
}

std::optional<zep_route> match(const pattern& p, std::string_view path) {
  zep_route route{.page = p.page};
  std::string_view shape = p.path;
  while (!shape.empty()) {
    if (path.empty()) return std::nullopt;
    const auto wanted = take_part(shape);
    const auto part = take_part(path);
    if (wanted == any_id && !part.empty())
      route.id = decoded(part);
    else if (wanted == any_kind && (part == "user" || part == "graph"))
      route.kind = part;
    else if (wanted != part)
      return std::nullopt;
  }
  return path.empty() ? std::optional(std::move(route)) : std::nullopt;
}

} // namespace

std::optional<zep_route> zep_route_of(std::string_view path) {
  if (!path.starts_with(base)) return std::nullopt;
  path.remove_prefix(base.size());
  if (path.ends_with('/')) path.remove_suffix(1);
  for (const auto& p : patterns)
    if (auto route = match(p, path)) return route;
  return std::nullopt;
}

std::string_view methods_of(zep_page page) {
  switch (page) {
  case zep_page::users_ordered:
  case zep_page::user_threads:
  case zep_page::context:
  case zep_page::list_graphs:
  case zep_page::node_edges:
    return "GET";
  case zep_page::users:
  case zep_page::messages_batch:
  case zep_page::graph_data:
  case zep_page::graph_batch:
  case zep_page::triple:
  case zep_page::create_graph:
  case zep_page::search:
  case zep_page::edges_of:
  case zep_page::nodes_of:
    return "POST";
  case zep_page::threads:
  case zep_page::messages:
  case zep_page::episodes_of:
    return "GET, POST";
  case zep_page::user:
    return "GET, PATCH, DELETE";
  case zep_page::thread:
    return "DELETE";
  case zep_page::graph:
  case zep_page::edge:
  case zep_page::node:
  case zep_page::episode:
    return "GET, DELETE";
  case zep_page::entity_types:
    return "GET, PUT";
  }
  return "";
}

} // namespace mneme::server::zep

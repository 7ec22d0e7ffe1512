#pragma once
/// What Zep's clients ask for, of an engine (docs/CLIENTS.md). Nothing is extracted from what they
/// add: nodes and facts are those that are given as triples.

#include <string>
#include <utility>

#include "tools/server/access/door.hpp"
#include "tools/server/access/world_turns.hpp"
#include "tools/server/clients/client_wire.hpp"

namespace mneme::server::zep {

class zep_wire final : public client_wire {
public:
  /// `directory` is the world's, as for world_turns.
  zep_wire(door& to, std::string directory) : to_(to), turns_(std::move(directory)) {}

  [[nodiscard]] std::string_view methods_of(const http_request& request) const override;
  [[nodiscard]] std::string_view scheme() const override { return "api-key"; }
  http_response handle(const http_request& request) override;
  [[nodiscard]] http_response refuse(int status, std::string_view code,
                                     std::string_view message) const override;

private:
  door& to_;
  world_turns turns_;
};

} // namespace mneme::server::zep

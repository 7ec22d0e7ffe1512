#pragma once
/// What Mem0's clients ask for, of an engine (docs/CLIENTS.md). What they add is kept word for
/// word, and only what was added by them is shown to them.

#include "tools/server/access/door.hpp"
#include "tools/server/clients/client_wire.hpp"

namespace mneme::server::mem0 {

class mem0_wire final : public client_wire {
public:
  explicit mem0_wire(door& to) : to_(to) {}

  [[nodiscard]] std::string_view methods_of(const http_request& request) const override;
  [[nodiscard]] std::string_view scheme() const override { return "token"; }
  http_response handle(const http_request& request) override;
  [[nodiscard]] http_response refuse(int status, std::string_view code,
                                     std::string_view message) const override;

private:
  door& to_;
};

} // namespace mneme::server::mem0

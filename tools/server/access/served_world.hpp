#pragma once
/// A world as both servers open and close it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "mneme/engine.hpp"
#include "tools/command/world_access.hpp"
#include "tools/server/access/gateway.hpp"

namespace mneme::server {

/// Options that both servers have.
struct served_options {
  command::common_options common;
  std::optional<std::string> embedder;       ///< of a new world
  std::optional<std::string> scope_keys;     ///< file of public keys: scopes are taken
  std::optional<std::string> audience;       ///< of searches that name none
  std::optional<std::uint16_t> keep_days;    ///< of history
  bool trims_versions = false;               ///< what is before that loses old versions, too
  std::optional<std::uint64_t> keep_entries; ///< the same
  std::optional<std::string> log;            ///< where the world is, if the directory has none yet
  bool follows = false;                      ///< it, and writes nothing
  bool may_lead = false;                     ///< when nobody does
  std::string advertised;                    ///< where it is asked then
  std::vector<std::string> compat;           ///< names of what is served beside our own
  bool all_tools = false;                    ///< of MCP: beside the basic ones
  bool must_exist = false;                   ///< no world is made
  bool offers_erase = false;                 ///< to MCP clients with the host's rights
  bool only_reads = false;                   ///< nothing is made

  [[nodiscard]] bool has_compat(std::string_view name) const;
  /// Without the world's lock, so beside whoever has it.
  [[nodiscard]] bool reads_beside() const;
};

/// `compat`: what `--compat` may name.
void add_served_options(CLI::App& command, served_options& options,
                        const std::vector<std::string>& compat);

result<engine> open_served(const served_options& options, bool may_make = true);
/// As engine::check_made_with(), of who may join those that have the world open.
result<void> check_made_with(const served_options& options);
/// Stops, seals and checkpoints; the exit status.
command::status close_served(const served_options& options, engine& target);

} // namespace mneme::server

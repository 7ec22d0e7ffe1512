#include "tools/library/open_options.hpp"

#include <array>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "mneme/http_embedder.hpp"
#include "mneme/postgres_log.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"
#include "tools/server/access/log_address.hpp"
#include "tools/server/access/told_branch.hpp"

namespace mneme::library {

namespace {

using protocol::key_shape;
namespace shapes = protocol::shapes;

constexpr timestamp manual_start{946'684'800'000'000'000}; // 2000-01-01T00:00:00Z

constexpr std::array option_table = {key_shape{"directory", &shapes::text},
                                     key_shape{"in_memory", &shapes::boolean},
                                     key_shape{"create", &shapes::boolean},
                                     key_shape{"read_only", &shapes::boolean},
                                     key_shape{"world_name", &shapes::text},
                                     key_shape{"seed", &shapes::integer},
                                     key_shape{"embedder", &shapes::text},
                                     key_shape{"search", &shapes::text},
                                     key_shape{"language", &shapes::text},
                                     key_shape{"embedder_key", &shapes::text},
                                     key_shape{"audience", &shapes::text},
                                     key_shape{"manual_clock", &shapes::boolean},
                                     key_shape{"per_request", &shapes::boolean},
                                     key_shape{"exact_near", &shapes::boolean},
                                     key_shape{"cache_bytes", &shapes::integer},
                                     key_shape{"retained_seqs", &shapes::integer},
                                     key_shape{"readers", &shapes::integer},
                                     key_shape{"shared", &shapes::boolean},
                                     key_shape{"log", &shapes::text},
                                     key_shape{"follow", &shapes::boolean},
                                     key_shape{"may_lead", &shapes::boolean}};

/// A count of bytes or of readers.
std::optional<std::uint64_t> count(protocol::value_reader& in, std::string_view key) {
  const auto given = in.integer(key);
  if (!given) return std::nullopt;
  if (*given < 1) in.fail_key(key, errc::out_of_range, "it is at least 1");
  return static_cast<std::uint64_t>(*given);
}

/// Unless it says otherwise, a world on the disk is shared, but where others' requests would make
/// another run of it.
void read_sharing(protocol::value_reader& in, open_options& out) {
  const engine_options& of = out.engine;
  const bool may_be = !of.directory.empty() && !of.read_only && out.clock == nullptr
                      && of.commit != commit_mode::per_request && !of.follow;
  const bool is_repeatable = of.seed.has_value();
  out.is_shared = in.find("shared") == nullptr ? may_be && !is_repeatable : in.flag("shared");
  if (out.is_shared && !may_be)
    in.fail_key("shared", errc::bad_value,
                "a world in memory, one that is read beside its writer, a follower, and one with "
                "manual_clock or per_request are not shared");
}

void read_place(protocol::value_reader& in, engine_options& to) {
  const bool in_memory = in.flag("in_memory");
  const auto directory = in.text("directory");
  if (!directory && !in_memory)
    in.fail_key("directory", errc::missing_key,
                "say where the world is: directory, or in_memory if nothing is to be kept");
  if (directory && in_memory)
    in.fail_key("in_memory", errc::bad_value, "a world in memory has no directory");
  if (directory && directory->empty())
    in.fail_key("directory", errc::bad_value, "a directory has a name; in_memory keeps nothing");
  if (!directory || directory->empty()) return;
  // The host may work in another directory later, and the world stays where it is.
  std::error_code cause;
  const auto whole = std::filesystem::absolute(*directory, cause);
  to.directory = cause ? *directory : whole.string();
}

/// A world that is kept in a log, of which the directory is a copy.
void read_log(protocol::value_reader& in, engine_options& to) {
  to.logs = make_postgres_log;
  to.log = in.text("log");
  to.follow = in.flag("follow");
  to.may_lead = in.flag("may_lead");
  if (to.may_lead && !to.follow)
    in.fail_key("may_lead", errc::bad_value, "who does not follow leads: give follow as well");
  for (const char* key : {"log", "follow"})
    if (to.directory.empty() && in.find(key) != nullptr)
      in.fail_key(key, errc::bad_value, "a copy of a log has a directory");
  if (!to.log) return;
  if (auto ok = server::check_log_address(*to.log); !ok)
    in.fail_key("log", ok.error().code, ok.error().message);
}

} // namespace

result<open_options> read_open_options(const protocol::json& options) {
  const protocol::json_path document;
  if (!options.is_object()) return protocol::wrong_type("an object of options", options, document);
  if (auto ok = protocol::check_members(options, option_table, false, document); !ok)
    return propagate(ok);
  fault_list faults;
  protocol::value_reader in(options, document, faults);
  open_options out;
  engine_options& to = out.engine;
  read_place(in, to);
  if (in.find("create") != nullptr) to.create = in.flag("create");
  to.read_only = in.flag("read_only");
  to.world_name = in.text_or("world_name", "");
  if (const auto seed = in.integer("seed")) to.seed = static_cast<std::uint64_t>(*seed);
  to.embedder_spec = in.text("embedder");
  to.search_spec = in.text("search");
  to.language = in.text("language");
  to.embedder_key = in.text_or("embedder_key", "");
  to.remote_embedders = make_http_embedder;
  read_log(in, to);
  to.erase_elsewhere = server::erase_where_open;
  to.audience = in.name<lifecycle_audience>("audience");
  if (in.flag("manual_clock")) out.clock = std::make_shared<manual_clock>(manual_start);
  to.clock = out.clock;
  if (in.flag("per_request")) to.commit = commit_mode::per_request;
  to.exact_near = in.find("exact_near") != nullptr ? in.flag("exact_near") : to.seed.has_value();
  to.cache_bytes = count(in, "cache_bytes").value_or(to.cache_bytes);
  to.retained_seqs = count(in, "retained_seqs");
  if (to.retained_seqs && *to.retained_seqs < least_retained_seqs)
    in.fail_key("retained_seqs", errc::out_of_range,
                "it is at least " + std::to_string(least_retained_seqs));
  to.readers = count(in, "readers").value_or(to.readers);
  read_sharing(in, out);
  return protocol::finish(faults, std::move(out));
}

} // namespace mneme::library

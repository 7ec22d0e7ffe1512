#include "tools/server/access/api_keys.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages/hash.hpp"
#include "messages/text/hex.hpp"
#include "mneme/seams.hpp"
#include "storage/file.hpp"
#include "tools/command/console.hpp"
#include "tools/protocol/line_reader.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::server {

namespace {

using protocol::key_shape;
namespace shapes = protocol::shapes;

constexpr std::array key_members = {
    key_shape{"id", &shapes::text, true},         key_shape{"sha256", &shapes::text, true},
    key_shape{"actor", &shapes::text, true},      key_shape{"read_only", &shapes::boolean, true},
    key_shape{"created_at", &shapes::text, true}, key_shape{"scope", &shapes::scope},
};
constexpr protocol::shape key_object{.kind = protocol::shape_kind::object, .keys = key_members};
constexpr protocol::shape key_list{.kind = protocol::shape_kind::list, .item = &key_object};
constexpr std::array file_members = {key_shape{"keys", &key_list, true}};

result<std::vector<api_key>> keys_of(const json& document) {
  const protocol::json_path at;
  if (!document.is_object()) return protocol::wrong_type("an object of keys", document, at);
  if (auto ok = protocol::check_members(document, file_members, false, at); !ok)
    return propagate(ok);
  fault_list faults;
  std::vector<api_key> keys;
  protocol::value_reader in(document, at, faults);
  in.items("keys", [&](const json& item, const protocol::json_path& here) {
    protocol::value_reader k(item, here, faults);
    api_key key;
    key.allows.key_id = k.text_or("id", "");
    key.allows.actor = k.text_or("actor", "");
    key.allows.read_only = k.flag("read_only");
    if (const json* scope = k.find("scope")) key.allows.scope = protocol::print(*scope);
    key.hash = k.hash("sha256").value_or(digest{});
    key.created_at = k.text_or("created_at", "");
    if (key.allows.is_host() && !key.allows.scope.empty())
      k.fail_key("scope", errc::bad_value, "a scope is for an actor's key");
    keys.push_back(std::move(key));
  });
  return protocol::finish(faults, std::move(keys));
}

/// What changes when a file is written anew.
std::string state_of(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return "gone";
  return fmt::format("{}.{}.{}.{}.{}", s.st_dev, s.st_ino, s.st_size, s.st_mtim.tv_sec,
                     s.st_mtim.tv_nsec);
}

} // namespace

new_key make_key(const client& who) {
  std::array<std::uint8_t, 4> id{};
  std::array<std::uint8_t, 32> bits{};
  const auto random = make_system_random();
  random->fill(id);
  random->fill(bits);
  new_key made;
  made.key.allows = who;
  made.key.allows.key_id = hex_of(id);
  made.secret = "mneme_" + hex_of(bits);
  made.key.hash = sha256_of(made.secret);
  made.key.created_at = to_string(make_system_clock()->now());
  return made;
}

result<std::vector<api_key>> read_key_file(const std::string& path) {
  const auto disk = make_posix_file_system();
  auto there = disk->exists(path);
  if (!there) return propagate(there);
  if (!*there) return std::vector<api_key>{};
  auto text = read_file(*disk, path);
  if (!text) return propagate(text);
  auto document = protocol::parse_json(*text);
  if (!document) return propagate(document);
  return keys_of(*document);
}

namespace {

result<void> write_key_file(const std::string& whole, const std::vector<api_key>& keys) {
  json list = json::array();
  for (const auto& key : keys) {
    json item{{"id", key.allows.key_id},
              {"sha256", to_hex(key.hash)},
              {"actor", key.allows.actor},
              {"read_only", key.allows.read_only},
              {"created_at", key.created_at}};
    if (!key.allows.scope.empty()) item["scope"] = json::parse(key.allows.scope);
    list.push_back(std::move(item));
  }
  const auto disk = make_posix_file_system();
  const mode_t before = ::umask(S_IRWXG | S_IRWXO);
  auto written = replace_file(*disk, whole, protocol::print_pretty({{"keys", list}}) + "\n");
  ::umask(before);
  return written;
}

/// Of a directory: the file itself is replaced. Held until the end of the object.
class folder_lock {
public:
  explicit folder_lock(const std::string& path)
      : folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (folder_ >= 0 && ::flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;
  ~folder_lock() {
    if (folder_ >= 0) ::close(folder_);
  }

private:
  int folder_;
};

} // namespace

result<void> change_key_file(const std::string& path,
                             const std::function<result<void>(std::vector<api_key>&)>& change) {
  // replace_file syncs the directory that the path names.
  // A link stays one: what it names is replaced.
  std::error_code problem;
  auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path), problem);
  if (problem) return fail(errc::io, fmt::format("cannot follow {}: {}", path, problem.message()));
  const folder_lock alone(whole.parent_path().string());
  auto keys = read_key_file(whole.string());
  if (!keys) return propagate(keys);
  if (auto ok = change(*keys); !ok) return ok;
  return write_key_file(whole.string(), *keys);
}

result<std::vector<api_key>> existing_keys(const std::string& path) {
  if (state_of(path) == "gone")
    return fail(errc::not_found,
                fmt::format("there is no file {}; make a key with: mneme key add {} --actor NAME",
                            path, path));
  return read_key_file(path);
}

result<key_ring> key_ring::open(std::string path) {
  auto keys = existing_keys(path);
  if (!keys) return propagate(keys);
  return key_ring(std::move(path));
}

std::shared_ptr<const key_ring::known_keys> key_ring::known_of(const std::string& state) {
  const std::scoped_lock lock(mutex_);
  return known_ != nullptr && known_->state == state ? known_ : nullptr;
}

std::shared_ptr<const key_ring::known_keys> key_ring::newest() {
  if (auto known = known_of(state_of(path_))) return known;
  const std::scoped_lock alone(reading_);
  // Whoever read it meanwhile did so for all. The state comes before the keys: what is written in
  // between is read once more.
  std::string state = state_of(path_);
  if (auto known = known_of(state)) return known;
  auto keys = read_key_file(path_);
  if (!keys) command::tell("mneme: no key is taken: {}\n", keys.error().message);
  auto read = std::make_shared<const known_keys>(known_keys{
      .state = std::move(state), .keys = keys ? std::move(*keys) : std::vector<api_key>{}});
  const std::scoped_lock lock(mutex_);
  known_ = read;
  return read;
}

std::optional<client> key_ring::find(std::string_view secret) {
  const digest shown = sha256_of(secret);
  const auto known = newest();
  const api_key* found = nullptr;
  for (const auto& key : known->keys)
    if (CRYPTO_memcmp(shown.bytes.data(), key.hash.bytes.data(), shown.bytes.size()) == 0)
      found = &key;
  return found == nullptr ? std::nullopt : std::optional(found->allows);
}

} // namespace mneme::server

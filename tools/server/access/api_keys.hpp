#pragma once
/// The keys of a server, in one JSON file. A key is shown once, when it is made; the file holds
/// its SHA-256. A key is 256 random bits, so that a plain hash cannot be searched.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"
#include "tools/server/access/client.hpp"

namespace mneme::server {

struct api_key {
  client allows; ///< key_id names the key
  digest hash;
  std::string created_at; ///< RFC 3339
};

struct new_key {
  api_key key;
  std::string secret; ///< what a client sends
};

/// A key that allows `who`; its id and secret are drawn.
new_key make_key(const client& who);

/// The keys of a file; no file, no keys.
result<std::vector<api_key>> read_key_file(const std::string& path);
/// The same, but no file is `not_found`.
result<std::vector<api_key>> existing_keys(const std::string& path);
/// Replaces the file, or the one that it links to, unless `change` fails; readable by its owner
/// only. One at a time: a key that another process adds or revokes meanwhile stays added or
/// revoked.
result<void> change_key_file(const std::string& path,
                             const std::function<result<void>(std::vector<api_key>&)>& change);

/// Keys as a running server knows them. A change of the file counts from the next request on; a
/// file that is gone or damaged lets nobody in. Thread-safe: who asks waits for no other, but where
/// the file has changed.
class key_ring {
public:
  static result<key_ring> open(std::string path);
  key_ring(key_ring&& other) noexcept : path_(std::move(other.path_)) {}

  /// Who `secret` stands for. Compares with every key in constant time.
  std::optional<client> find(std::string_view secret);

private:
  /// What a file held, and its state then. Never changes.
  struct known_keys {
    std::string state;
    std::vector<api_key> keys;
  };

  explicit key_ring(std::string path) : path_(std::move(path)) {}
  /// What is known, if it is of a file in this state; else null.
  std::shared_ptr<const known_keys> known_of(const std::string& state);
  std::shared_ptr<const known_keys> newest();

  std::string path_;
  std::mutex reading_; ///< one reads the file, for all who wait for it
  std::mutex mutex_;   ///< of the pointer alone
  std::shared_ptr<const known_keys> known_;
};

} // namespace mneme::server

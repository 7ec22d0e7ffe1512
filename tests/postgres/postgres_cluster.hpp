#pragma once
/// A PostgreSQL cluster of the test's own: in a temporary directory, on a unix socket, under a user
/// without privileges, since initdb refuses root. It ends with the test's process, however that
/// ends.

#include <memory>
#include <string>
#include <thread>

#include <sys/types.h>

namespace mneme::testing {

class postgres_cluster {
public:
  /// Made, and started with these lines in its configuration. The port names its socket. In memory
  /// where there is room, unless it must be `on_disk`.
  explicit postgres_cluster(const std::string& settings = {}, int port = 5432,
                            bool on_disk = false);
  ~postgres_cluster();
  postgres_cluster(const postgres_cluster&) = delete;
  postgres_cluster& operator=(const postgres_cluster&) = delete;

  void start();
  /// "fast" breaks off what runs; "immediate" is a crash that it notices, "kill" one that it does
  /// not.
  void stop(const std::string& mode);
  /// Every process of it (SIGSTOP, SIGCONT, SIGKILL).
  void signal(int number);
  /// From now on it takes sessions over TLS, to 127.0.0.1, of roles that have a password. Its
  /// certificate, which it has signed itself.
  std::string offer_tls();
  /// What a client says that owns everything; its answer, without the line's end. Fails the test if
  /// it fails.
  std::string run(const std::string& sql);

  /// A setting that its sessions hear of, too.
  void set(const std::string& setting, const std::string& value);
  /// The same as run(); whether it did not fail.
  bool try_to_run(const std::string& sql);

  /// For libpq, as this role; the log has this name.
  [[nodiscard]] std::string address(const std::string& log, const std::string& role = "postgres",
                                    const std::string& more = {}) const;
  /// The same over a socket in another directory.
  [[nodiscard]] static std::string address_in(const std::string& directory, const std::string& log,
                                              const std::string& role = "postgres",
                                              const std::string& more = {});
  /// Of its socket.
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] const std::string& data() const { return data_; }

private:
  std::string directory_;
  std::string data_;
  int port_;
  std::thread listener_;
  pid_t server_ = 0; ///< 0: it is stopped
};

/// One for all tests of the program that need no other, with a log for each.
postgres_cluster& shared_cluster();
/// Which nobody listens at.
int free_port();
/// A name that no other test has.
std::string fresh_log();

} // namespace mneme::testing

#include "tests/postgres/answer_thief.hpp"

#include <cstring>
#include <filesystem>

#include <catch2/catch.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace mneme::testing {

namespace {

sockaddr_un socket_in(const std::string& directory) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string path = directory + "/.s.PGSQL.5432";
  std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
  return at;
}

} // namespace

answer_thief::answer_thief(std::string server) : server_(std::move(server)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "mneme-th-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  directory_ = pattern;
  listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const auto at = socket_in(directory_);
  REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(::listen(listener_, 8) == 0);
  REQUIRE(::pipe(stop_) == 0);
  thread_ = std::thread([this] { serve(); });
}

answer_thief::~answer_thief() {
  ::close(stop_[1]);
  thread_.join();
  ::close(stop_[0]);
  ::close(listener_);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void answer_thief::serve() {
  for (;;) {
    pollfd both[2]{{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    if (::poll(both, 2, -1) < 0 || both[1].revents != 0) return;
    const int client = ::accept(listener_, nullptr, nullptr);
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const auto at = socket_in(server_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0)
      pass_on(client, server);
    ::close(client);
    ::close(server);
  }
}

void answer_thief::pass_on(int client, int server) {
  char piece[16384];
  for (;;) {
    pollfd all[3]{{client, POLLIN, 0}, {server, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    if (::poll(all, 3, -1) < 0 || all[2].revents != 0) return;
    for (int i = 0; i < 2; ++i) {
      if (all[i].revents == 0) continue;
      const auto size = ::read(all[i].fd, piece, sizeof piece);
      if (size <= 0) return;
      if (i == 1 && to_steal_ > 0) {
        --to_steal_;
        return;
      }
      const int other = i == 0 ? server : client;
      if (::write(other, piece, static_cast<std::size_t>(size)) != size) return;
    }
  }
}

} // namespace mneme::testing

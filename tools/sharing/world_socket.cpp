#include "tools/sharing/world_socket.hpp"

#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include "storage/kept_from_children.hpp"

namespace mneme::sharing {

namespace {

constexpr const char* socket_name = "SOCKET";
constexpr std::size_t most_connections = 256;

/// A number that goes with its owner.
class owned_fd {
public:
  explicit owned_fd(int fd) : fd_(fd) {}
  ~owned_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  owned_fd(owned_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  owned_fd& operator=(owned_fd&&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

private:
  int fd_;
};

std::unexpected<error> refused(const char* what, const std::string& directory) {
  const errc code = errno == ENOENT || errno == ECONNREFUSED ? errc::not_found : errc::io;
  return fail(code, fmt::format("cannot {} {}/{}: {}", what, directory, socket_name,
                                std::generic_category().message(errno)));
}

/// A path of any length: by the directory's descriptor, since an address has room for 107 bytes.
sockaddr_un address_in(const owned_fd& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", directory.get(), socket_name);
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

owned_fd open_directory(const std::string& directory) {
  return owned_fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

owned_fd make_socket() {
  return owned_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

/// Nobody else's process is answered, whatever a directory's mode lets in.
bool is_own(const frame_stream& stream) {
  const auto user = stream.user();
  return user && (*user == ::geteuid() || *user == 0);
}

} // namespace

struct world_listener::state {
  state(owned_fd its_directory, owned_fd its_socket, request_handler its_handler)
      : directory(std::move(its_directory)),
        socket(std::move(its_socket)),
        kept(socket.get()),
        stopping(::eventfd(0, EFD_CLOEXEC)),
        handler(std::move(its_handler)) {}

  struct connection {
    explicit connection(frame_stream its) : stream(std::move(its)) {}
    frame_stream stream;
    std::thread thread;
    bool has_ended = false; ///< guarded
  };

  void accept_all() {
    for (;;) {
      pollfd waited[2] = {{.fd = socket.get(), .events = POLLIN, .revents = 0},
                          {.fd = stopping.get(), .events = POLLIN, .revents = 0}};
      if (::poll(waited, 2, -1) < 0 && errno != EINTR) return;
      if (waited[1].revents != 0) return;
      if ((waited[0].revents & POLLIN) == 0) continue;
      owned_fd accepted(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!accepted.is_open()) { // no descriptor is free, say: whoever waits goes on waiting
        constexpr int pause_ms = 50;
        ::poll(&waited[1], 1, pause_ms);
        continue;
      }
      frame_stream stream(accepted.release());
      if (is_own(stream)) take(std::move(stream));
    }
  }

  void take(frame_stream stream) {
    const std::lock_guard hold(guard);
    connections.remove_if([](connection& c) {
      if (c.has_ended) c.thread.join();
      return c.has_ended;
    });
    if (connections.size() >= most_connections) return;
    connection& fresh = connections.emplace_back(std::move(stream));
    fresh.thread = std::thread([this, &fresh] { answer(fresh); });
  }

  void answer(connection& with) {
    for (;;) {
      auto request = with.stream.receive(max_request_bytes);
      if (!request || !with.stream.send(handler(*request))) break;
    }
    with.stream.end();
    const std::lock_guard hold(guard);
    with.has_ended = true;
  }

  owned_fd directory;
  owned_fd socket;
  kept_from_children kept; ///< a child would be connected to, and answer nobody
  owned_fd stopping;
  request_handler handler;
  std::mutex guard;
  std::list<connection> connections; ///< guarded
  std::thread acceptor;
};

world_listener::world_listener(std::unique_ptr<state> s) : state_(std::move(s)) {
  state_->acceptor = std::thread([to = state_.get()] { to->accept_all(); });
}

result<std::unique_ptr<world_listener>> world_listener::listen(const std::string& directory,
                                                               request_handler handler) {
  owned_fd place = open_directory(directory);
  if (!place.is_open()) return refused("make", directory);
  owned_fd socket = make_socket();
  if (!socket.is_open()) return refused("make", directory);
  ::unlinkat(place.get(), socket_name, 0); // of who was killed
  // Before it has its name, so that it never has another mode.
  if (::fchmod(socket.get(), S_IRUSR | S_IWUSR) != 0) return refused("protect", directory);
  const sockaddr_un address = address_in(place);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return refused("make", directory);
  if (::listen(socket.get(), 64) != 0) return refused("listen on", directory);
  auto made = std::make_unique<state>(std::move(place), std::move(socket), std::move(handler));
  if (!made->stopping.is_open()) return refused("listen on", directory);
  return std::unique_ptr<world_listener>(new world_listener(std::move(made)));
}

world_listener::~world_listener() {
  ::unlinkat(state_->directory.get(), socket_name, 0);
  const std::uint64_t one = 1;
  static_cast<void>(::write(state_->stopping.get(), &one, sizeof one)); // a counter has room
  state_->acceptor.join();
  // No lock: nobody takes connections any more, and each thread ends after what it was sent.
  for (auto& c : state_->connections) c.stream.take_no_more();
  for (auto& c : state_->connections) c.thread.join();
}

result<frame_stream> connect_to(const std::string& directory) {
  const owned_fd place = open_directory(directory);
  if (!place.is_open()) return refused("reach", directory);
  owned_fd socket = make_socket();
  if (!socket.is_open()) return refused("reach", directory);
  const sockaddr_un address = address_in(place);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return refused("reach", directory);
  frame_stream stream(socket.release());
  if (!is_own(stream)) return fail(errc::io, directory + " is open in a process of somebody else");
  stream.look_whether_stopped();
  return stream;
}

} // namespace mneme::sharing

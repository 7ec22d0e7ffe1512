#pragma once
/// Descriptors that a child of fork() closes at once: of locks and sockets, which else stay held,
/// and listened on, as long as any child lives. exec() closes them anyway.

namespace mneme {

/// Lasts as long as its owner's descriptor does, which stays its owner's to close. In a child the
/// number may soon be another file's: an owner that came there by fork() must not use it. From any
/// thread.
class kept_from_children {
public:
  explicit kept_from_children(int fd);
  ~kept_from_children();
  kept_from_children(const kept_from_children&) = delete;
  kept_from_children& operator=(const kept_from_children&) = delete;

private:
  int fd_;
};

} // namespace mneme

#pragma once
/// Deferred freeing for structures that one thread replaces while others read (epochs). A reader
/// stands in a `guard` while it holds pointers; the writer retires what it has unlinked, and it is
/// freed once every reader that may have seen it has left. Readers never wait; a reader that stays
/// long only delays freeing.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>

namespace mneme {

class reclaimer {
public:
  reclaimer() = default;
  reclaimer(const reclaimer&) = delete;
  reclaimer& operator=(const reclaimer&) = delete;
  ~reclaimer(); ///< no reader may be left

  class guard {
  public:
    explicit guard(reclaimer& owner) : owner_(owner), slot_(owner.enter()) {}
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { owner_.leave(slot_); }

  private:
    reclaimer& owner_;
    std::size_t slot_;
  };

  /// Writer: `free_it(object)` will run when nobody can hold `object`. It must be unlinked already.
  void retire(void* object, void (*free_it)(void*));
  /// Retired, not yet freed (for tests of the bound).
  [[nodiscard]] std::size_t waiting() const { return retired_.size(); }

private:
  static constexpr std::size_t slot_count = 64;
  /// The slot of readers that found all others taken: they are only counted.
  static constexpr std::size_t crowd = slot_count;

  struct alignas(64) reader_slot {
    std::atomic<std::uint64_t> epoch{0}; ///< of the reader inside; 0 = free
  };
  struct retired_object {
    std::uint64_t epoch;
    void* object;
    void (*free_it)(void*);
  };

  std::size_t enter();
  void leave(std::size_t slot);
  /// No reader inside entered before this epoch; 0 if that is not known.
  [[nodiscard]] std::uint64_t oldest_inside() const;
  void collect();

  std::atomic<std::uint64_t> epoch_{1};
  std::array<reader_slot, slot_count> slots_{};
  std::atomic<std::uint64_t> crowd_{0};
  std::deque<retired_object> retired_;
};

} // namespace mneme

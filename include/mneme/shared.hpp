#pragma once
/// An immutable value that its copies share: to copy it is to copy a pointer, whatever it holds.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace mneme {

/// What holds the value of a `shared`: made at once, or by a derived class when it is first asked
/// for, by whoever asks first. It never changes after that. Safe from any thread.
template <class T>
class shared_cell {
public:
  explicit shared_cell(T value) : value_(std::move(value)), is_made_(true) {}
  shared_cell(const shared_cell&) = delete;
  shared_cell& operator=(const shared_cell&) = delete;
  virtual ~shared_cell() = default;

  [[nodiscard]] const T& value() const {
    if (!is_made_.load(std::memory_order_acquire)) std::call_once(once_, [this] { make_now(); });
    return *value_;
  }
  /// Hints that the value is asked for soon.
  void expect() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&is_made_);
  }

protected:
  shared_cell() = default;
  /// Called once at most, and not at all where nobody asks.
  [[nodiscard]] virtual T make() const { return T{}; }

private:
  void make_now() const {
    value_.emplace(make());
    is_made_.store(true, std::memory_order_release);
  }

  mutable std::optional<T> value_;
  mutable std::once_flag once_;
  mutable std::atomic<bool> is_made_ = false;
};

/// Reads like a pointer that never is null, and goes wherever its value is asked for. Compares by
/// value. Copies may go to other threads. A default one is T{}.
template <class T>
class shared {
public:
  shared() = default;
  shared(T value) // NOLINT(google-explicit-constructor): a value is as good as a share of it
      : cell_(std::make_shared<const shared_cell<T>>(std::move(value))) {}
  /// Precondition: not null.
  explicit shared(std::shared_ptr<const shared_cell<T>> cell) : cell_(std::move(cell)) {}

  [[nodiscard]] const T& operator*() const { return cell_ != nullptr ? cell_->value() : nothing(); }
  [[nodiscard]] const T* operator->() const { return &**this; }
  operator const T&() const { return **this; } // NOLINT(google-explicit-constructor)
  /// Hints that it is copied, or looked into, soon.
  void expect() const {
    if (cell_ != nullptr) cell_->expect();
  }

  friend bool operator==(const shared& a, const shared& b) {
    return a.cell_ == b.cell_ || *a == *b;
  }

private:
  static const T& nothing() {
    static const T empty{};
    return empty;
  }

  std::shared_ptr<const shared_cell<T>> cell_;
};

} // namespace mneme

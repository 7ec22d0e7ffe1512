#pragma once
/// An immutable value that its copies share: to copy it is to copy a pointer, whatever it holds.

#include <memory>
#include <utility>

namespace mneme {

/// Reads like a pointer that never is null, and goes wherever its value is asked for. Compares by
/// value. Copies may go to other threads. A default one is T{}.
template <class T>
class shared {
public:
  shared() = default;
  shared(T value) // NOLINT(google-explicit-constructor): a value is as good as a share of it
      : value_(std::make_shared<const T>(std::move(value))) {}

  [[nodiscard]] const T& operator*() const { return value_ != nullptr ? *value_ : nothing(); }
  [[nodiscard]] const T* operator->() const { return &**this; }
  operator const T&() const { return **this; } // NOLINT(google-explicit-constructor)

  friend bool operator==(const shared& a, const shared& b) {
    return a.value_ == b.value_ || *a == *b;
  }

private:
  static const T& nothing() {
    static const T empty{};
    return empty;
  }

  std::shared_ptr<const T> value_;
};

} // namespace mneme

#pragma once
/// The members of a JSON object, in their order. nlohmann's own makes room for more by copying each
/// member whole, since the pairs in its vector have a const key: an answer of some memories is
/// mostly copied then. Here the values move.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include <nlohmann/ordered_map.hpp>

namespace mneme::protocol {

template <class Key, class T, class IgnoredLess = std::less<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>>
class ordered_members : public nlohmann::ordered_map<Key, T, IgnoredLess, Allocator> {
  using base = nlohmann::ordered_map<Key, T, IgnoredLess, Allocator>;

public:
  using base::base;
  using typename base::const_iterator;
  using typename base::iterator;

  template <class Name>
  std::pair<iterator, bool> emplace(Name&& name, T&& value) {
    // Whoever has a reference to a member keeps it where none is added.
    for (auto it = this->begin(); it != this->end(); ++it)
      if (it->first == name) return {it, false};
    return {append(std::forward<Name>(name), std::move(value)), true};
  }
  /// What has no such name yet.
  template <class Name>
  iterator append(Name&& name, T&& value) {
    make_room();
    this->emplace_back(std::forward<Name>(name), std::move(value));
    return std::prev(this->end());
  }
  template <class Name>
  T& operator[](Name&& name) {
    return emplace(std::forward<Name>(name), T{}).first->second;
  }
  template <class Name>
  const T& operator[](Name&& name) const {
    return base::at(std::forward<Name>(name));
  }

private:
  static constexpr std::size_t least_room = 8;

  void make_room() {
    if (this->size() < this->capacity()) return;
    base larger;
    larger.reserve(std::max(least_room, 2 * this->size()));
    for (auto& [name, value] : *this) larger.emplace_back(name, std::move(value));
    static_cast<base&>(*this) = std::move(larger);
  }
};

} // namespace mneme::protocol

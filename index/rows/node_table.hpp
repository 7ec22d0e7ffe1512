#pragma once
/// memory id ↔ dense node number. One writer (the committer), any number of concurrent readers:
/// ids are appended to pages that never move; the hash table is open addressing with
/// release-published slots, replaced whole when it grows (old tables are kept until destruction,
/// at most doubling the memory).

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "index/image.hpp"
#include "index/numbers.hpp"
#include "mneme/ids.hpp"

namespace mneme {

class node_table {
public:
  node_table();
  ~node_table();

  /// Writer: the node of `id`, appended if it is new.
  node_no intern(const memory_id& id);

  /// Readers.
  [[nodiscard]] node_no find(const memory_id& id) const; ///< value == no_number if unknown
  [[nodiscard]] const memory_id& id(node_no node) const;
  [[nodiscard]] std::uint32_t size() const;

  [[nodiscard]] std::string save(std::uint32_t size) const; ///< the first `size` nodes
  void save(image_writer& out, std::uint32_t size) const;
  result<void> load(const image_bytes& image); ///< into an empty table

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace mneme

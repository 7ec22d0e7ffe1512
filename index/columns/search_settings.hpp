#pragma once
/// What searches of the world weigh by, by the entries that set it. One writer, many readers. Part
/// of the attributes owner.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "index/image.hpp"
#include "mneme/types.hpp"

namespace mneme {

struct search_setting {
  seq_no since; ///< the entry that set it
  timestamp at; ///< when that was made
  std::string by;
  std::string weights; ///< "name=number,…"; empty: those that the world was made with

  friend bool operator==(const search_setting&, const search_setting&) = default;
};

class search_settings {
public:
  // Writer. Seqs ascend.
  void put(search_setting setting);
  /// Nobody reads before `seq` from now on.
  void retain_from(seq_no seq);

  /// As of `at`; null = nobody has set it.
  [[nodiscard]] std::shared_ptr<const search_setting> find(seq_no at) const;

  /// What there is up to `at`; may run beside the writer.
  void save(image_writer& out, seq_no at) const;
  /// Into an empty object; false if it cannot be right.
  bool load(image_reader& in, seq_no at);

private:
  mutable std::mutex guard_;
  std::vector<std::shared_ptr<const search_setting>> settings_; ///< ascending by `since`
};

} // namespace mneme

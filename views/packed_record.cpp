#include "views/packed_record.hpp"

#include <algorithm>
#include <utility>

#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"
#include "messages/held_bytes.hpp"

namespace mneme {

namespace {

/// What was encoded here, or decoded when it came from the store, is decoded without a fault.
template <class Record>
Record sure(result<Record> decoded) {
  ensure(decoded.has_value(), "a packed record holds what encode() makes");
  return std::move(*decoded);
}

class packed_head final : public shared_cell<head> {
public:
  explicit packed_head(std::string_view bytes) : bytes_(bytes) {}

private:
  [[nodiscard]] head make() const override { return sure(decode_head(bytes_)); }
  std::string_view bytes_;
};

class packed_version final : public shared_cell<version> {
public:
  explicit packed_version(std::string_view bytes) : bytes_(bytes) {}

private:
  [[nodiscard]] version make() const override { return sure(decode_version(bytes_)); }
  std::string_view bytes_;
};

/// Both cells, and a share of the bytes that they are made of, in one allocation.
struct packed_cells {
  packed_cells(std::shared_ptr<const void> share, std::string_view head_bytes,
               std::string_view version_bytes)
      : bytes(std::move(share)), head(head_bytes), version(version_bytes) {}

  std::shared_ptr<const void> bytes;
  packed_head head;
  packed_version version;
};

} // namespace

packed_record::packed_record(std::string_view head_bytes, std::string_view version_bytes)
    : head_size_(static_cast<std::uint32_t>(head_bytes.size())),
      version_size_(static_cast<std::uint32_t>(version_bytes.size())) {
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): as above
  auto bytes = std::make_shared_for_overwrite<char[]>(head_bytes.size() + version_bytes.size());
  std::ranges::copy(head_bytes, bytes.get());
  std::ranges::copy(version_bytes, bytes.get() + head_bytes.size());
  bytes_ = std::move(bytes);
}

packed_record::packed_record(const head& h, std::string_view head_bytes, const version& v,
                             std::string_view version_bytes)
    : packed_record(head_bytes, version_bytes) {
  head_held_ = static_cast<std::uint32_t>(held_bytes(h));
  version_held_ = static_cast<std::uint32_t>(held_bytes(v));
  is_coloured_ = h.colour.has_value();
}

packed_record packed_record::with_head(const head& h, std::string_view head_bytes) const {
  packed_record changed(head_bytes, version_bytes());
  changed.head_held_ = static_cast<std::uint32_t>(held_bytes(h));
  changed.version_held_ = version_held_;
  changed.is_coloured_ = h.colour.has_value();
  return changed;
}

taken_record packed_record::unpack() const {
  const auto cells = std::make_shared<const packed_cells>(bytes_, head_bytes(), version_bytes());
  using head_cell = std::shared_ptr<const shared_cell<mneme::head>>;
  using version_cell = std::shared_ptr<const shared_cell<mneme::version>>;
  return {.head = shared<mneme::head>(head_cell(cells, &cells->head)),
          .version = shared<mneme::version>(version_cell(cells, &cells->version)),
          .held = held(),
          .is_coloured = is_coloured_};
}

} // namespace mneme

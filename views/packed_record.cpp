#include "views/packed_record.hpp"

#include <string_view>
#include <utility>

#include "messages/codec/records.hpp"
#include "messages/ensure.hpp"

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

taken_record unpack(packed_record packed) {
  const std::string_view head_bytes(packed.bytes.get(), packed.head_size);
  const std::string_view version_bytes(packed.bytes.get() + packed.version_at, packed.version_size);
  const auto cells =
      std::make_shared<const packed_cells>(std::move(packed.bytes), head_bytes, version_bytes);
  using head_cell = std::shared_ptr<const shared_cell<mneme::head>>;
  using version_cell = std::shared_ptr<const shared_cell<mneme::version>>;
  return {.head = shared<mneme::head>(head_cell(cells, &cells->head)),
          .version = shared<mneme::version>(version_cell(cells, &cells->version)),
          .held = packed.held,
          .is_coloured = packed.is_coloured};
}

} // namespace mneme

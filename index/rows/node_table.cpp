#include "index/rows/node_table.hpp"

#include <functional>

#include "index/columns/paged_column.hpp"
#include "index/image.hpp"
#include "index/lexical/hash_slots.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::string_view nodes_image_name = "mnNODES1";

std::uint32_t hash_of_id(const memory_id& id) {
  const std::uint64_t hash = std::hash<memory_id>{}(id);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

} // namespace

struct node_table::impl {
  paged_column<memory_id> ids;
  hash_slots numbers;
  std::atomic<std::uint32_t> size{0};

  [[nodiscard]] std::uint32_t find(std::uint32_t hash, const memory_id& id) const {
    return numbers.find(hash, [&](std::uint32_t n) { return ids[n] == id; });
  }

  std::uint32_t append(std::uint32_t hash, const memory_id& id) {
    const std::uint32_t n = size.load(std::memory_order_relaxed);
    ensure(n != no_number, "the node table is full");
    ids.grow(n) = id;
    size.store(n + 1, std::memory_order_release);
    numbers.insert(hash, n);
    return n;
  }
};

node_table::node_table() : impl_(std::make_unique<impl>()) {
}
node_table::~node_table() = default;

node_no node_table::intern(const memory_id& id) {
  const std::uint32_t hash = hash_of_id(id);
  const std::uint32_t known = impl_->find(hash, id);
  return {known != no_number ? known : impl_->append(hash, id)};
}

node_no node_table::find(const memory_id& id) const {
  return {impl_->find(hash_of_id(id), id)};
}

const memory_id& node_table::id(node_no node) const {
  ensure(node.value < size(), "an id is asked for of a node that is there");
  return impl_->ids[node.value];
}

std::uint32_t node_table::size() const {
  return impl_->size.load(std::memory_order_acquire);
}

std::string node_table::save(std::uint32_t size) const {
  ensure(size <= this->size(), "only nodes that are there can be saved");
  image_writer out(nodes_image_name);
  out.reserve(std::size_t{size} * sizeof(memory_id) + 32);
  out.put(std::uint64_t{size});
  for (std::uint32_t n = 0; n < size; ++n) out.put_raw(impl_->ids[n].raw());
  return out.finish();
}

result<void> node_table::load(std::string_view image) {
  ensure(size() == 0, "an image is loaded into an empty node table");
  auto in = image_reader::open(image, nodes_image_name);
  if (!in) return propagate(in);
  const std::uint64_t count = in->get_count(sizeof(memory_id));
  auto loaded = std::make_unique<impl>();
  for (std::uint64_t n = 0; n < count; ++n) {
    memory_id id;
    const std::string_view raw = in->get_raw(sizeof(memory_id));
    std::memcpy(id.bytes.data(), raw.data(), raw.size());
    const std::uint32_t hash = hash_of_id(id);
    if (loaded->find(hash, id) != no_number)
      return fail(errc::corrupt, "the image of the node table lists an id twice");
    loaded->append(hash, id);
  }
  if (!in->at_end()) return fail(errc::corrupt, "the image of the node table has a wrong length");
  impl_ = std::move(loaded);
  return {};
}

} // namespace mneme

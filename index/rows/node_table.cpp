#include "index/rows/node_table.hpp"

#include "index/columns/column_image.hpp"
#include "index/columns/paged_column.hpp"
#include "index/image.hpp"
#include "index/lexical/hash_slots.hpp"
#include "messages/ensure.hpp"
#include "messages/sip_hash.hpp"

namespace mneme {

namespace {

constexpr std::string_view nodes_image_name = "mnNODES2";

/// By the key of the table, which is that of the process that made it: its image takes it along.
std::uint32_t hash_of_id(const sip_key& key, const memory_id& id) {
  const std::uint64_t hash = sip_hash(key, id.bytes);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

} // namespace

struct node_table::impl {
  paged_column<memory_id> ids;
  hash_slots numbers;
  sip_key key = id_hash_key();
  std::atomic<std::uint32_t> size{0};
  std::shared_ptr<const void> holder; ///< of an image that ids lie in

  [[nodiscard]] std::uint32_t find(std::uint32_t hash, const memory_id& id) const {
    // Only a table of an image can name others than those that are there.
    return numbers.find(hash, [&](std::uint32_t n) {
      return n < size.load(std::memory_order_acquire) && ids[n] == id;
    });
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
  const std::uint32_t hash = hash_of_id(impl_->key, id);
  const std::uint32_t known = impl_->find(hash, id);
  return {known != no_number ? known : impl_->append(hash, id)};
}

node_no node_table::find(const memory_id& id) const {
  return {impl_->find(hash_of_id(impl_->key, id), id)};
}

const memory_id& node_table::id(node_no node) const {
  ensure(node.value < size(), "an id is asked for of a node that is there");
  return impl_->ids[node.value];
}

std::uint32_t node_table::size() const {
  return impl_->size.load(std::memory_order_acquire);
}

std::string node_table::save(std::uint32_t size) const {
  image_writer out;
  save(out, size);
  return out.finish();
}

void node_table::save(image_writer& out, std::uint32_t size) const {
  ensure(size <= this->size(), "only nodes that are there can be saved");
  out.begin(nodes_image_name);
  out.reserve(std::size_t{size} * (sizeof(memory_id) + 4 * sizeof(std::uint64_t)) + 1024);
  out.put_array<sip_key>(std::span(&impl_->key, 1));
  put_column(out, impl_->ids, size);
  hash_slots numbers; // without later nodes
  for (std::uint32_t n = 0; n < size; ++n) numbers.insert(hash_of_id(impl_->key, impl_->ids[n]), n);
  put_list<std::uint64_t>(out, numbers.saved());
}

result<void> node_table::load(const image_bytes& image) {
  ensure(size() == 0, "an image is loaded into an empty node table");
  const image_bytes here = kept(image);
  auto in = image_reader::open_kept(here, nodes_image_name);
  if (!in) return propagate(in);
  auto loaded = std::make_unique<impl>();
  loaded->holder = here.holder;
  const auto key = in->get_array<sip_key>(1);
  const auto ids = get_list<memory_id>(*in);
  const auto slots = get_list<std::uint64_t>(*in);
  if (!in->at_end() || ids.size() >= no_number || !loaded->numbers.adopt(slots, ids.size()))
    return fail(errc::corrupt, "the image of the node table does not fit together");
  loaded->key = key.front();
  loaded->ids.adopt(ids);
  loaded->size.store(static_cast<std::uint32_t>(ids.size()), std::memory_order_release);
  impl_ = std::move(loaded);
  return {};
}

} // namespace mneme

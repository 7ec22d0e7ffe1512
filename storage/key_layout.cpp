#include "storage/key_layout.hpp"

#include "messages/ensure.hpp"

namespace mneme::keys {

namespace {

void put_u32be(std::string& out, std::uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(v >> shift));
}

void put_u64be(std::string& out, std::uint64_t v) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(v >> shift));
}

/// Of texts that the model bounds far below 64 KiB.
void put_sized(std::string& out, std::string_view text) {
  out.push_back(static_cast<char>(text.size() >> 8));
  out.push_back(static_cast<char>(text.size()));
  out += text;
}

/// A key that begins with `first` and will have so many bytes.
std::string begin_key(std::string_view first, std::size_t bytes) {
  std::string key;
  key.reserve(bytes);
  key += first;
  return key;
}

} // namespace

std::string u64be(std::uint64_t v) {
  std::string key;
  put_u64be(key, v);
  return key;
}

std::string head(const memory_id& id, seq_no seq) {
  std::string key = begin_key(id.raw(), 24);
  put_u64be(key, ~seq.value);
  return key;
}

std::string version(const memory_id& id, std::uint32_t number) {
  std::string key = begin_key(id.raw(), 20);
  put_u32be(key, number);
  return key;
}

std::string trimmed_versions(const memory_id& id) {
  return version(id, 0); // versions are numbered from 1
}

std::string edge(const edge_key& key, seq_no seq) {
  std::string bytes = begin_key(key.src.raw(), 41);
  bytes.push_back(static_cast<char>(key.type));
  bytes += key.dst.raw();
  put_u64be(bytes, ~seq.value);
  return bytes;
}

std::string topic_rows(const memory_id& topic, topic_row kind) {
  std::string key(topic.raw());
  key.push_back(static_cast<char>(kind));
  return key;
}

std::string field_prefix(const memory_id& topic, std::string_view name) {
  std::string key = topic_rows(topic, topic_row::field);
  key.append(name);
  key.push_back('\0');
  return key;
}

std::string field(const memory_id& topic, std::string_view name, seq_no seq) {
  std::string key = field_prefix(topic, name);
  put_u64be(key, ~seq.value);
  return key;
}

std::string field_revision(const memory_id& topic, std::string_view name, std::uint32_t number) {
  std::string key = topic_rows(topic, topic_row::revision);
  key.append(name);
  key.push_back('\0');
  put_u32be(key, number);
  return key;
}

std::string topic_event(const memory_id& topic, seq_no seq, std::uint32_t index) {
  std::string key = topic_rows(topic, topic_row::event);
  put_u64be(key, seq.value);
  put_u32be(key, index);
  return key;
}

std::string manifest(seq_no seq) {
  return u64be(seq.value);
}

std::string weights_prefix(std::string_view actor) {
  std::string key;
  put_sized(key, actor);
  return key;
}

std::string weights(std::string_view actor, seq_no seq) {
  std::string key = weights_prefix(actor);
  put_u64be(key, ~seq.value);
  return key;
}

std::string compact_prefix(std::string_view intent, std::string_view step) {
  std::string key;
  put_sized(key, intent);
  put_sized(key, step);
  return key;
}

std::string compact(std::string_view intent, std::string_view step, seq_no seq) {
  std::string key = compact_prefix(intent, step);
  put_u64be(key, ~seq.value);
  return key;
}

seq_no seq_at_end(std::string_view key) {
  ensure(key.size() >= 8, "a key that ends in a seq has one");
  std::uint64_t complement = 0;
  for (const char c : key.substr(key.size() - 8))
    complement = (complement << 8) | static_cast<std::uint8_t>(c);
  return {~complement};
}

std::string prefix_end(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty())
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

} // namespace mneme::keys

#pragma once
/// How records become canonical bytes and come back. A record's layout is written once, as a
/// function template over map_writer and map_parser, so that the two directions cannot differ:
///
///   template <class Map, class Record>
///   void layout(Map& m, Record& r) { m.required(1, r.id); m.defaulted(2, r.actor); … }
///
/// Members that hold their default are left out, and their explicit presence is refused: one value
/// has one encoding.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "messages/codec/canonical.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// Of every record, at key 0.
inline constexpr std::uint64_t record_schema_version = 1;

template <class Enum>
concept named_enum = std::is_enum_v<Enum> && requires(Enum v) { to_string(v); };

/// Marks a string member as raw bytes.
template <class String>
struct raw_bytes {
  String& bytes;
};
template <class String>
raw_bytes(String&) -> raw_bytes<String>;

// -- writing ----------------------------------------------------------------------------------

inline void put(canonical_writer& out, bool v) {
  out.boolean(v);
}
inline void put(canonical_writer& out, std::uint8_t v) {
  out.unsigned_integer(v);
}
inline void put(canonical_writer& out, std::uint32_t v) {
  out.unsigned_integer(v);
}
inline void put(canonical_writer& out, std::uint64_t v) {
  out.unsigned_integer(v);
}
inline void put(canonical_writer& out, std::int64_t v) {
  out.integer(v);
}
inline void put(canonical_writer& out, float v) {
  out.real32(v);
}
inline void put(canonical_writer& out, double v) {
  out.real64(v);
}
inline void put(canonical_writer& out, const std::string& v) {
  out.text(v);
}
inline void put(canonical_writer& out, timestamp v) {
  out.integer(v.ns);
}
inline void put(canonical_writer& out, seq_no v) {
  out.unsigned_integer(v.value);
}
inline void put(canonical_writer& out, const memory_id& v) {
  out.binary(v.raw());
}
inline void put(canonical_writer& out, const digest& v) {
  out.binary(v.raw());
}
inline void put(canonical_writer& out, const nonce& v) {
  out.binary({reinterpret_cast<const char*>(v.data()), v.size()});
}
template <class String>
void put(canonical_writer& out, const raw_bytes<String>& v) {
  out.binary(v.bytes);
}
template <named_enum Enum>
void put(canonical_writer& out, Enum v) {
  out.unsigned_integer(static_cast<std::uint64_t>(v));
}
template <class T>
void put(canonical_writer& out, const std::vector<T>& items) {
  out.array(static_cast<std::uint32_t>(items.size()));
  for (const T& item : items) put(out, item);
}

/// Writes one integer-keyed map; keys must ascend.
class map_writer {
public:
  explicit map_writer(canonical_writer& out) : out_(out), begin_(out.begin_map()) {}

  void schema() { required(0, record_schema_version); }

  template <class T>
  void required(std::uint8_t key, const T& value) {
    begin(key);
    put(out_, value);
  }
  /// The caller puts the value.
  void begin(std::uint8_t key) {
    ++size_;
    out_.unsigned_integer(key);
  }
  template <class T>
  void defaulted(std::uint8_t key, const T& value, const T& its_default = T{}) {
    if (!(value == its_default)) required(key, value);
  }
  void defaulted(std::uint8_t key, const raw_bytes<const std::string>& value) {
    if (!value.bytes.empty()) required(key, value);
  }
  template <class T>
  void optional(std::uint8_t key, const std::optional<T>& value) {
    if (value) required(key, *value);
  }
  void finish() { out_.end_map(begin_, size_); }

private:
  canonical_writer& out_;
  std::size_t begin_;
  std::uint32_t size_ = 0;
};

// -- reading ----------------------------------------------------------------------------------

/// Typed items over a canonical_reader. The first failure sticks: everything read after it is a
/// default value, and finish() reports it, so that layouts need no branches.
class item_parser {
public:
  explicit item_parser(std::string_view bytes) : in_(bytes) {}

  /// Records a failure at the present offset, unless there is one already.
  void refuse(std::string_view why);
  [[nodiscard]] bool ok() const { return !failure_; }
  [[nodiscard]] canonical_reader::kind peek() const {
    return ok() ? in_.peek() : canonical_reader::kind::end;
  }

  std::uint32_t array() { return taken(&canonical_reader::array); }
  /// An array of exactly `size` items.
  void array_of(std::uint32_t size);
  std::uint32_t map() { return taken(&canonical_reader::map); }
  std::uint64_t unsigned_integer() { return taken(&canonical_reader::unsigned_integer); }
  std::uint64_t unsigned_up_to(std::uint64_t greatest);
  std::int64_t integer() { return taken(&canonical_reader::integer); }
  bool boolean() { return taken(&canonical_reader::boolean); }
  float real32() { return taken(&canonical_reader::real32); }
  double real64() { return taken(&canonical_reader::real64); }
  std::string_view text() { return taken(&canonical_reader::text); }
  std::string_view binary() { return taken(&canonical_reader::binary); }
  void nil() {
    if (ok() && !in_.take_nil()) refuse("nil is expected");
  }
  /// Exactly as many bytes as `out` has.
  void fixed_binary(std::span<std::uint8_t> out);

  /// The first failure; also one if bytes are left.
  [[nodiscard]] result<void> finish();

private:
  template <class T>
  T taken(std::optional<T> (canonical_reader::*getter)()) {
    if (!ok()) return T{};
    const std::optional<T> item = (in_.*getter)();
    if (item) return *item;
    failure_ = in_.problem();
    return T{};
  }

  canonical_reader in_;
  std::optional<error> failure_;
};

inline void get(item_parser& in, bool& v) {
  v = in.boolean();
}
inline void get(item_parser& in, std::uint8_t& v) {
  v = static_cast<std::uint8_t>(in.unsigned_up_to(0xFF));
}
inline void get(item_parser& in, std::uint32_t& v) {
  v = static_cast<std::uint32_t>(in.unsigned_up_to(0xFFFF'FFFF));
}
inline void get(item_parser& in, std::uint64_t& v) {
  v = in.unsigned_integer();
}
inline void get(item_parser& in, std::int64_t& v) {
  v = in.integer();
}
/// Infinities are refused: no record has a use for them.
void get(item_parser& in, float& v);
void get(item_parser& in, double& v);
inline void get(item_parser& in, std::string& v) {
  v = in.text();
}
/// From 1970 to the end of 2261.
void get(item_parser& in, timestamp& v);
inline void get(item_parser& in, seq_no& v) {
  v.value = in.unsigned_integer();
}
inline void get(item_parser& in, memory_id& v) {
  in.fixed_binary(v.bytes);
}
inline void get(item_parser& in, digest& v) {
  in.fixed_binary(v.bytes);
}
inline void get(item_parser& in, nonce& v) {
  in.fixed_binary(v);
}
inline void get(item_parser& in, const raw_bytes<std::string>& v) {
  v.bytes = in.binary();
}
template <named_enum Enum>
void get(item_parser& in, Enum& v) {
  v = static_cast<Enum>(in.unsigned_up_to(0xFF));
  if (in.ok() && to_string(v).empty()) in.refuse("not a value of the enum");
}
template <class T>
void get(item_parser& in, std::vector<T>& items) {
  const std::uint32_t size = in.array();
  items.clear();
  for (std::uint32_t i = 0; i < size && in.ok(); ++i) get(in, items.emplace_back());
}

/// Reads one integer-keyed map whose keys ascend. A key that the layout does not ask for stays
/// unread and is refused by finish().
class map_parser {
public:
  explicit map_parser(item_parser& in) : in_(in), left_(in.map()) { read_key(); }

  void schema() {
    std::uint64_t version = 0;
    required(0, version);
    if (in_.ok() && version != record_schema_version) in_.refuse("unknown schema version");
  }

  template <class T>
  void required(std::uint8_t key, T&& value) {
    if (!at(key))
      in_.refuse("a required key is missing");
    else
      read(value);
  }
  template <class T>
  void defaulted(std::uint8_t key, T& value, const T& its_default = T{}) {
    value = its_default;
    if (!at(key)) return;
    read(value);
    if (in_.ok() && value == its_default) in_.refuse("a default is never written");
  }
  void defaulted(std::uint8_t key, const raw_bytes<std::string>& value) {
    value.bytes.clear();
    if (!at(key)) return;
    read(value);
    if (in_.ok() && value.bytes.empty()) in_.refuse("a default is never written");
  }
  template <class T>
  void optional(std::uint8_t key, std::optional<T>& value) {
    value.reset();
    if (at(key)) read(value.emplace());
  }
  [[nodiscard]] bool next_is(std::uint8_t key) const { return at(key); }
  void finish() {
    if (in_.ok() && left_ > 0) in_.refuse("unknown key, or keys that do not ascend");
  }

private:
  [[nodiscard]] bool at(std::uint8_t key) const { return in_.ok() && left_ > 0 && key_ == key; }
  template <class T>
  void read(T&& value) {
    get(in_, value);
    --left_;
    read_key();
  }
  void read_key() {
    if (left_ > 0) key_ = in_.unsigned_integer();
  }

  item_parser& in_;
  std::uint32_t left_;
  std::uint64_t key_ = 0;
};

/// Data with the type whose schema gives the field numbers.
template <class Data>
struct typed_data {
  memory_type type;
  Data& data;
};
template <class Data>
typed_data(memory_type, Data&) -> typed_data<Data>;

/// {field number: value…}; the schema says of which kind each is.
void put(canonical_writer& out, const typed_data<const memory_data>& typed);
void get(item_parser& in, const typed_data<memory_data>& typed);

/// [[key, value]…] in bytewise order of the keys; a value is a scalar or an array of scalars.
void put(canonical_writer& out, const metadata_map& metadata);
void get(item_parser& in, metadata_map& metadata);

// Records inside other records.
void put(canonical_writer& out, const head& h);
void put(canonical_writer& out, const version& v);
void put(canonical_writer& out, const edge_record& e);
void put(canonical_writer& out, const provenance& p);
void get(item_parser& in, head& h);
void get(item_parser& in, version& v);
void get(item_parser& in, edge_record& e);
void get(item_parser& in, provenance& p);

/// All of `bytes` as one T.
template <class T>
result<T> decode_whole(std::string_view bytes) {
  item_parser in(bytes);
  T value{};
  get(in, value);
  if (auto ok = in.finish(); !ok) return propagate(ok);
  return value;
}

} // namespace mneme

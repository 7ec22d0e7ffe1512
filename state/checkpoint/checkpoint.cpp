#include "state/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "index/image.hpp"
#include "journal/segment_walk.hpp"
#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/sealed_file.hpp"
#include "state/checkpoint/world_directory.hpp"

namespace mneme {

namespace {

constexpr std::string_view checkpoint_magic = "MNEMECKP";
constexpr std::string_view image_magic = "MNEMEIM2";
/// Of images up to format 1, which are sealed as a whole.
constexpr std::string_view sealed_image_magic = "MNEMEIMG";
constexpr std::uint64_t image_format = 2;
constexpr std::string_view ledger_image_name = "mnLEDGER";
constexpr std::string_view order_image_name = "mnORDER3";
/// 1 and 2 do not name the sums of the images, and are apart by whether the store matches; 3 is of
/// builds whose leaves were in the store.
constexpr std::uint64_t checkpoint_format = 4;
constexpr std::array<std::string_view, 9> image_names = {
    "nodes", "attributes", "graph", "order", "lexical", "vectors", "places", "ledger", "leaves"};
constexpr std::size_t images_of_format_3 = image_names.size() - 1;

std::string image_file(seq_no seq, std::string_view name) {
  return fmt::format("{:020}.{}", seq.value, name);
}

/// Whose an image is and of when.
std::string image_head(std::uint64_t format, const world_id& world, seq_no seq,
                       std::string_view name) {
  canonical_writer out;
  out.array(4);
  out.unsigned_integer(format);
  out.binary(world.raw());
  out.unsigned_integer(seq.value);
  out.text(name);
  return out.take();
}

/// What stands before the owner's bytes, which check themselves.
std::string image_front(const world_id& world, seq_no seq, std::string_view name) {
  std::string front = std::string(image_magic) + image_head(image_format, world, seq, name);
  front.resize((front.size() + image_alignment - 1) / image_alignment * image_alignment, '\0');
  return front;
}

class file_sink final : public image_sink {
public:
  explicit file_sink(replacing_file& to) : to_(to) {}
  result<void> take(std::string_view bytes) override { return to_.append(bytes); }

private:
  replacing_file& to_;
};

struct written_image {
  std::uint32_t sum = 0; ///< what it is known by
  std::uint64_t bytes = 0;
};

result<written_image> write_image(file_system& fs, const std::string& dir, const world_id& world,
                                  seq_no seq, std::string_view name,
                                  const std::function<result<void>(image_writer&)>& put) {
  auto file = replacing_file::begin(fs, image_directory(dir) + "/" + image_file(seq, name));
  if (!file) return propagate(file);
  if (auto ok = file->append(image_front(world, seq, name)); !ok) return propagate(ok);
  file_sink sink(*file);
  image_writer out(sink);
  if (auto ok = put(out); !ok) return propagate(ok);
  auto sum = out.finish_into_sink();
  if (!sum) return propagate(sum);
  if (auto ok = file->finish(); !ok) return propagate(ok);
  return written_image{.sum = *sum, .bytes = out.size()};
}

/// An owner's bytes in the file of its image.
struct found_image {
  file_content file;
  std::string_view body;
  bool is_sealed = false; ///< of before

  /// As its owner loads them.
  [[nodiscard]] image_bytes bytes() const {
    image_bytes found(body, file.holder);
    found.is_checked = file.is_checked;
    const auto begin = static_cast<std::size_t>(body.data() - file.bytes.data());
    if (file.source != nullptr)
      found.read = [source = file.source, begin](std::size_t from, std::span<char> to) {
        const auto done = source->read_into(begin + from, to);
        return done && *done == to.size();
      };
    return found;
  }
};

/// The sum by which the checkpoint knows the image; nullopt if it does not say.
std::optional<std::uint32_t> expected_sum(const checkpoint_file& checkpoint,
                                          std::string_view name) {
  const auto place = std::ranges::find(image_names, name) - image_names.begin();
  const auto& sums = checkpoint.image_sums;
  if (static_cast<std::size_t>(place) >= sums.size()) return std::nullopt;
  return sums[static_cast<std::size_t>(place)];
}

/// What its owner's bytes hold is for the owner to check.
result<found_image> read_image(file_system& fs, const std::string& dir, const world_id& world,
                               const checkpoint_file& checkpoint, std::string_view name) {
  const seq_no seq = checkpoint.seq;
  auto file = fs.content(image_directory(dir) + "/" + image_file(seq, name));
  if (!file) return propagate(file);
  found_image found{.file = std::move(*file), .body = {}};
  std::string_view content = found.file.view();
  std::string expected = image_front(world, seq, name);
  if (content.starts_with(sealed_image_magic)) {
    auto sealed = open_sealed_file(sealed_image_magic, content, "image " + image_file(seq, name));
    if (!sealed) return propagate(sealed);
    content = *sealed;
    expected = image_head(1, world, seq, name);
    found.is_sealed = true;
  }
  if (!content.starts_with(expected))
    return fail(errc::corrupt,
                "image " + image_file(seq, name) + " is of another world, seq or format");
  found.body = content.substr(expected.size());
  if (const auto sum = expected_sum(checkpoint, name); sum && image_sum(found.body) != sum)
    return fail(errc::corrupt,
                "image " + image_file(seq, name) + " is not the one that the checkpoint names");
  return found;
}

/// The graphs that stand beside that of all edges, in one image.
void put_order(image_writer& out, const read_views& views, seq_no at) {
  out.begin(order_image_name);
  for (const graph* part : {views.order, views.lineage}) {
    const std::string body = part->save(at);
    out.put(std::uint64_t{body.size()});
    out.put_array<char>(body);
  }
}

result<void> load_order(const image_bytes& image, graph& order, graph& lineage) {
  const image_bytes here = kept(image);
  auto in = image_reader::open_kept(here, order_image_name);
  if (!in) return propagate(in);
  for (graph* part : {&order, &lineage}) {
    const auto body = in->get_array<char>(in->get_count(1));
    if (!in->ok()) break;
    image_bytes own({body.data(), body.size()}, here.holder);
    own.is_checked = true;
    if (auto ok = part->load(own); !ok) return ok;
  }
  if (!in->at_end()) return fail(errc::corrupt, "the image of the order does not fit together");
  return {};
}

/// The journal's rooms know no images: what checks the ledger's is put around it here.
void put_ledger(image_writer& out, std::string_view image) {
  out.begin(ledger_image_name);
  out.put_raw(image);
}

result<std::string_view> unwrap_ledger(const found_image& found) {
  if (found.is_sealed) return found.body;
  auto in = image_reader::open_kept(found.bytes(), ledger_image_name);
  if (!in) return propagate(in);
  return in->get_raw(in->left());
}

} // namespace

std::string world_path(const std::string& dir) {
  return dir + "/WORLD";
}
std::string checkpoint_path(const std::string& dir) {
  return dir + "/CHECKPOINT";
}
std::string journal_directory(const std::string& dir) {
  return dir + "/journal";
}
std::string store_directory(const std::string& dir) {
  return dir + "/" + store_names().front();
}
std::vector<std::string> store_names() {
  return {"store", "store.1", "store.2", "store.3"};
}
result<std::vector<std::string>> store_names(file_system& files, const std::string& dir) {
  std::vector<std::string> found;
  for (const std::string& name : store_names()) {
    auto there = files.exists(fmt::format("{}/{}", dir, name));
    if (!there) return propagate(there);
    if (*there) found.push_back(name);
  }
  return found;
}
std::string image_directory(const std::string& dir) {
  return dir + "/images";
}

std::string encode(const checkpoint_file& c) {
  canonical_writer out;
  const bool is_of_before = c.image_sums.empty();
  const std::uint64_t format_with_sums =
      c.image_sums.size() == images_of_format_3 ? 3 : checkpoint_format;
  out.array(is_of_before ? (c.store_matches ? 8 : 7) : 9);
  out.unsigned_integer(is_of_before ? (c.store_matches ? 2 : 1) : format_with_sums);
  out.unsigned_integer(c.seq.value);
  out.unsigned_integer(c.node_count);
  out.unsigned_integer(c.next_slot);
  out.binary(c.last_drawn_id.raw());
  out.integer(c.last_entry_at.ns);
  out.binary(c.overall_root.raw());
  if (!is_of_before || c.store_matches) out.boolean(c.store_matches);
  if (!is_of_before) {
    ensure(format_with_sums == 3 || c.image_sums.size() == image_names.size(),
           "a checkpoint names the sum of each image");
    out.array(static_cast<std::uint32_t>(c.image_sums.size()));
    for (const std::uint32_t sum : c.image_sums) out.unsigned_integer(sum);
  }
  return seal_file(checkpoint_magic, out.bytes());
}

result<checkpoint_file> decode_checkpoint_file(std::string_view bytes) {
  auto body = open_sealed_file(checkpoint_magic, bytes, "the CHECKPOINT file");
  if (!body) return propagate(body);
  canonical_reader in(*body);
  const auto damaged = [] { return fail(errc::corrupt, "the CHECKPOINT file cannot be read"); };
  auto size = in.array();
  auto version = size ? in.unsigned_integer() : std::nullopt;
  if (!version) return damaged();
  if (*version > checkpoint_format)
    return fail(errc::format_unsupported, "the CHECKPOINT file has a newer format");
  checkpoint_file c;
  auto seq = in.unsigned_integer();
  const bool has_items = *version > 0 && *size == std::min<std::uint64_t>(6 + *version, 9);
  if (!has_items || !seq) return damaged();
  auto nodes = in.unsigned_integer();
  if (!nodes || *nodes >= no_number) return damaged();
  auto slots = in.unsigned_integer();
  if (!slots || *slots >= no_number) return damaged();
  auto id = in.binary();
  if (!id || id->size() != c.last_drawn_id.bytes.size()) return damaged();
  auto at = in.integer();
  if (!at) return damaged();
  auto root = in.binary();
  if (!root || root->size() != c.overall_root.bytes.size()) return damaged();
  if (*version > 1) {
    auto matches = in.boolean();
    if (!matches || (*version == 2 && !*matches)) return damaged();
    c.store_matches = *matches;
  }
  if (*version > 2) {
    auto count = in.array();
    if (!count || *count != (*version == 3 ? images_of_format_3 : image_names.size()))
      return damaged();
    for (std::uint32_t i = 0; i < *count; ++i) {
      auto sum = in.unsigned_integer();
      if (!sum || *sum > UINT32_MAX) return damaged();
      c.image_sums.push_back(static_cast<std::uint32_t>(*sum));
    }
  }
  if (!in.at_end()) return damaged();
  c.seq = {*seq};
  c.node_count = static_cast<std::uint32_t>(*nodes);
  c.next_slot = static_cast<std::uint32_t>(*slots);
  std::copy(id->begin(), id->end(), c.last_drawn_id.bytes.begin());
  c.last_entry_at = {*at};
  std::copy(root->begin(), root->end(), c.overall_root.bytes.begin());
  return c;
}

namespace {

/// Images of the seq that CHECKPOINT names are replaced one by one: until all are, those of before
/// and of now serve alike.
result<void> forget_sums_of(file_system& fs, const std::string& dir, seq_no seq) {
  auto there = read_checkpoint(fs, dir);
  // One that is damaged knows no images.
  if (!there || !there->has_value() || (*there)->seq != seq) return {};
  (*there)->image_sums.clear();
  return replace_file(fs, checkpoint_path(dir), encode(**there));
}

} // namespace

namespace {

/// Who opens the world again checks all images but that of the leaves, which goes if it is damaged.
result<void> check_mapped(file_system& fs, const std::string& dir,
                          std::span<const mapped_image> mapped) {
  for (const mapped_image& image : mapped) {
    if (image.is_whole()) continue;
    if (image.name.ends_with(".leaves"))
      static_cast<void>(fs.remove(image_directory(dir) + "/" + image.name));
    return fail(errc::corrupt,
                "image " + image.name
                    + " was damaged while the world was open, so that no checkpoint is written: "
                      "close the world and open it again, which makes its indexes anew");
  }
  return {};
}

/// Images that no CHECKPOINT may name, though one of this seq and without sums might.
result<void> remove_images_of(file_system& fs, const std::string& dir, seq_no seq) {
  for (const std::string_view name : image_names) {
    auto removed = fs.remove(image_directory(dir) + "/" + image_file(seq, name));
    if (!removed && removed.error().code != errc::not_found) return removed;
  }
  return {};
}

/// What was written of images for which there is no room must not keep the disk full. Those that
/// the checkpoint names stay.
void give_up_images(file_system& fs, const std::string& dir, seq_no seq) {
  const auto named = read_checkpoint(fs, dir);
  if (!named || (named->has_value() && (*named)->seq == seq)) return;
  for (const std::string_view name : image_names)
    static_cast<void>(fs.remove(image_directory(dir) + "/" + image_file(seq, name)));
}

/// Fills in what the checkpoint knows them by. How many bytes they are.
result<std::uint64_t> write_images(file_system& fs, const std::string& dir, const world_id& world,
                                   const read_views& views, const checkpoint_job& job,
                                   checkpoint_file& file) {
  const seq_no seq = job.file.seq;
  const attributes& rows = *views.attributes;
  using put_image = std::function<result<void>(image_writer&)>;
  const auto saved = [](auto save) -> put_image {
    return [save](image_writer& out) -> result<void> {
      save(out);
      return {};
    };
  };
  const std::array<std::pair<std::string_view, put_image>, image_names.size()> images = {{
      {"nodes", saved([&](auto& out) { views.nodes->save(out, job.file.node_count); })},
      {"attributes", saved([&](auto& out) { rows.save(out, seq); })},
      {"graph", saved([&](auto& out) { views.graph->save(out, seq); })},
      {"order", saved([&](auto& out) { put_order(out, views, seq); })},
      {"lexical", saved([&](auto& out) { views.lexical->save(out, seq); })},
      {"vectors", saved([&](auto& out) { views.vectors->save(out, rows.kept_slots(seq), seq); })},
      {"places", saved([&](auto& out) {
         views.places->save(out, views.journaled->segments(seq), rows.rows(), rows.kept_rows(seq));
       })},
      {"ledger", saved([&](auto& out) { put_ledger(out, job.ledger.rest.save()); })},
      {"leaves",
       [&](image_writer& out) {
         return put_leaves(out, job.ledger.leaves, job.ledger.leaf_counts);
       }},
  }};
  std::uint64_t bytes = 0;
  for (const auto& [name, put] : images) {
    ensure(name == image_names[file.image_sums.size()], "images are written in their order");
    auto written = write_image(fs, dir, world, seq, name, put);
    if (!written) return propagate(written);
    file.image_sums.push_back(written->sum);
    bytes += written->bytes;
  }
  return bytes;
}

/// The leaves that were written, where they lie.
result<written_images> find_leaves(file_system& fs, const std::string& dir, const world_id& world,
                                   const checkpoint_file& checkpoint) {
  auto image = read_image(fs, dir, world, checkpoint, "leaves");
  if (!image) return propagate(image);
  auto base = open_leaves(image->bytes());
  if (!base) return propagate(base);
  return written_images{
      .leaves = std::move(*base),
      .leaves_image = {image_file(checkpoint.seq, "leaves"), check_again(image->bytes())}};
}

} // namespace

result<written_images> write_checkpoint(file_system& fs, const std::string& dir,
                                        const world_id& world, const read_views& views,
                                        const checkpoint_job& job,
                                        std::span<const mapped_image> mapped,
                                        std::uint64_t store_room) {
  const seq_no seq = job.file.seq;
  ensure(seq <= views.published, "a checkpoint is of what is published");
  if (auto ok = check_place(fs, dir, world); !ok) return propagate(ok);
  // Before the rest, so that a map whose file was cut is not looked at.
  if (auto ok = check_mapped(fs, dir, mapped); !ok) return propagate(ok);
  if (auto ok = fs.create_directories(image_directory(dir)); !ok) return propagate(ok);
  if (auto ok = forget_sums_of(fs, dir, seq); !ok) return propagate(ok);
  checkpoint_file file = job.file;
  file.store_matches = false;
  file.image_sums.clear();
  const auto bytes = write_images(fs, dir, world, views, job, file);
  if (!bytes) {
    if (bytes.error().code == errc::disk_full) give_up_images(fs, dir, seq);
    if (bytes.error().code != errc::corrupt) return std::unexpected(bytes.error());
  }
  // Again, since all was looked at meanwhile.
  auto whole = check_mapped(fs, dir, mapped);
  if (!whole || !bytes) {
    if (auto ok = remove_images_of(fs, dir, seq); !ok) return propagate(ok);
    return whole ? std::unexpected(bytes.error()) : propagate(whole);
  }
  if (auto ok = replace_file(fs, checkpoint_path(dir), encode(file)); !ok) return propagate(ok);

  auto names = fs.list(image_directory(dir));
  if (!names) return propagate(names);
  for (const auto& name : *names) {
    const bool current = std::ranges::any_of(
        image_names, [&](std::string_view n) { return name == image_file(seq, n); });
    if (current) continue;
    if (auto ok = fs.remove(image_directory(dir) + "/" + name); !ok) return propagate(ok);
  }
  auto written = find_leaves(fs, dir, world, file);
  if (!written) return written;
  written->bytes = *bytes;
  // Never before the images: a store that is behind them gets the rest from the journal.
  if (auto ok = check_room(fs, dir, store_room); !ok) return propagate(ok);
  if (auto ok = views.store->checkpoint(); !ok) return propagate(ok);
  file.store_matches = true;
  if (auto ok = replace_file(fs, checkpoint_path(dir), encode(file)); !ok) return propagate(ok);
  return written;
}

result<void> remove_images(file_system& fs, const std::string& dir) {
  auto there = fs.exists(checkpoint_path(dir));
  if (!there) return propagate(there);
  if (*there) {
    if (auto ok = fs.remove(checkpoint_path(dir)); !ok) return ok;
    if (auto ok = fs.sync_directory(dir); !ok) return ok;
  }
  there = fs.exists(image_directory(dir));
  if (!there) return propagate(there);
  if (!*there) return {};
  auto names = fs.list(image_directory(dir));
  if (!names) return propagate(names);
  for (const auto& name : *names)
    if (auto ok = fs.remove(image_directory(dir) + "/" + name); !ok) return ok;
  return fs.sync_directory(image_directory(dir));
}

std::vector<std::string> image_files(const checkpoint_file& checkpoint) {
  std::vector<std::string> files;
  const std::size_t named =
      checkpoint.image_sums.empty() ? image_names.size() : checkpoint.image_sums.size();
  for (const std::string_view name : std::span(image_names).first(named))
    files.push_back(image_file(checkpoint.seq, name));
  return files;
}

result<void> distrust_store(file_system& fs, const std::string& dir) {
  auto checkpoint = read_checkpoint(fs, dir);
  // One that is damaged is trusted by nobody.
  if (!checkpoint || !checkpoint->has_value() || !(*checkpoint)->store_matches) return {};
  (*checkpoint)->store_matches = false;
  return replace_file(fs, checkpoint_path(dir), encode(**checkpoint));
}

result<std::optional<checkpoint_file>> read_checkpoint(file_system& fs, const std::string& dir) {
  auto there = fs.exists(checkpoint_path(dir));
  if (!there) return propagate(there);
  if (!*there) return std::optional<checkpoint_file>{};
  auto bytes = read_file(fs, checkpoint_path(dir));
  if (!bytes) return propagate(bytes);
  auto file = decode_checkpoint_file(*bytes);
  if (!file) return propagate(file);
  return std::optional<checkpoint_file>(*file);
}

result<void> check_journal_begins(file_system& fs, const std::string& dir, const world_id& world) {
  auto segments = list_segments(fs, journal_directory(dir));
  if (!segments) return propagate(segments);
  if (segments->empty() || segments->front().value != 1)
    return corrupt_at(segment_name(seq_no{1}), 0,
                      "the journal's first segment, which every world has, is missing");
  auto reader = segment_reader::open(fs, journal_directory(dir), segments->front());
  if (!reader) return propagate(reader);
  auto head = reader->head(world);
  if (!head) return propagate(head);
  return {};
}

result<void> check_journal_reaches_checkpoint(file_system& fs, const std::string& dir,
                                              const world_id& world) {
  if (auto ok = check_journal_begins(fs, dir, world); !ok) return ok;
  auto checkpoint = read_checkpoint(fs, dir);
  // A damaged checkpoint vouches for nothing.
  if (!checkpoint || !checkpoint->has_value()) return {};
  const seq_no seq = (*checkpoint)->seq;
  auto walk = segment_walk::open(fs, journal_directory(dir), world, seq);
  if (!walk) return propagate(walk);
  if (auto ok = walk->seek(seq); !ok) return ok;
  auto frame = walk->next();
  if (!frame) return propagate(frame);
  if (*frame) return {};
  return corrupt_at(walk->entered() ? segment_name(walk->segments()[walk->segment_index()])
                                    : journal_directory(dir),
                    walk->offset(),
                    fmt::format("the journal ends at seq {}, but the checkpoint is of seq {}",
                                walk->last().value, seq.value));
}

namespace {

result<void> load_ledger(const found_image& image, const checkpoint_file& checkpoint,
                         ledger& ledger) {
  auto body = unwrap_ledger(image);
  if (!body) return propagate(body);
  if (auto ok = ledger.load(*body, image.file.holder); !ok) return ok;
  if (ledger.roots().seq != checkpoint.seq || ledger.roots().overall != checkpoint.overall_root)
    return fail(errc::corrupt, "the ledger image does not fit the checkpoint");
  return {};
}

result<leaf_base> open_base(result<found_image> image) {
  if (!image) return propagate(image);
  return open_leaves(image->bytes());
}

/// An image that was found; its file stays open while it is used.
struct named_image {
  std::string_view name;
  image_bytes bytes;
};

/// False, and nothing is changed, if they are not those of the rows.
bool adopt_places(const saved_places& places, const std::shared_ptr<const void>& holder,
                  const checkpoint_file& checkpoint, const index_owners& owners) {
  // A checkpoint that names the images by their sums has both of one writing.
  const row_store& rows = owners.attributes.rows();
  if (!(checkpoint.image_sums.empty() ? places.are_of(rows) : places.made.size() == rows.size()))
    return false;
  // An image of before may name segments that were begun while it was written, which a crash may
  // have taken.
  const auto begun = std::ranges::upper_bound(places.segments, checkpoint.seq.value);
  owners.records.know_segments({places.segments.begin(), begun});
  owners.places.fill(places.places, holder);
  return true;
}

/// Those of the images that are used where they lie.
std::vector<mapped_image> mapped_of(std::span<const named_image> found, seq_no seq,
                                    const loaded_images& loaded) {
  std::vector<mapped_image> mapped;
  for (const auto& [name, image] : found) {
    const bool is_of_ledger = name == "ledger" || name == "leaves";
    const bool is_used = is_of_ledger ? loaded.has_ledger : name != "places" || loaded.has_places;
    if (auto is_whole = is_used ? check_again(image) : nullptr)
      mapped.push_back({image_file(seq, name), std::move(is_whole)});
  }
  return mapped;
}

} // namespace

result<loaded_images> load_images(file_system& fs, const std::string& dir, const world_id& world,
                                  const checkpoint_file& checkpoint, const index_owners& owners,
                                  ledger* ledger, bool may_be_late) {
  loaded_images loaded;
  // Files are opened in one order, whoever reads them.
  std::vector<named_image> found;
  const auto find = [&](std::string_view name) {
    auto image = read_image(fs, dir, world, checkpoint, name);
    if (!image) return image;
    found.push_back({name, image->bytes()});
    loaded.bytes += image->body.size();
    return image;
  };
  auto nodes = find("nodes");
  if (!nodes) return propagate(nodes);
  if (auto ok = owners.nodes.load(nodes->bytes()); !ok) return propagate(ok);
  if (owners.nodes.size() != checkpoint.node_count)
    return fail(errc::corrupt, "the node image does not fit the checkpoint");

  std::vector<image_load> indexes;
  std::vector<std::function<result<void>()>> loads; // of what is checked as it is loaded
  const auto add = [&](std::string_view name, auto& owner) -> result<void> {
    auto image = find(name);
    if (!image) return propagate(image);
    indexes.push_back({image_file(checkpoint.seq, name), image->bytes(),
                       [&owner](const image_bytes& bytes) { return owner.load(bytes); }});
    return {};
  };
  // One that another build has written is looked at at once: it may cost a rebuild.
  const auto add_late = [&](std::string_view name, const auto& owner) -> result<void> {
    auto image = find(name);
    if (!image) return propagate(image);
    const bool is_late = may_be_late && image_sum(image->body) != 0 && owner->knows(image->body);
    auto& loads_then = is_late ? loaded.late : indexes;
    loads_then.push_back({image_file(checkpoint.seq, name), image->bytes(),
                          [owner](const image_bytes& bytes) { return owner->load(bytes); }});
    return {};
  };
  // What takes longest first.
  if (auto ok = add("attributes", owners.attributes); !ok) return propagate(ok);
  if (auto ok = add_late("lexical", owners.lexical); !ok) return propagate(ok);
  if (auto ok = add_late("vectors", owners.vectors); !ok) return propagate(ok);
  if (auto ok = add("graph", owners.graph); !ok) return propagate(ok);
  auto order = find("order");
  if (!order) return propagate(order);
  loads.emplace_back(
      [&, image = order->bytes()] { return load_order(image, owners.order, owners.lineage); });
  if (ledger != nullptr)
    if (auto leaves = open_base(find("leaves")))
      if (auto image = find("ledger")) {
        loaded.leaves = std::move(*leaves);
        loads.emplace_back([&, image = std::move(*image)]() -> result<void> {
          loaded.has_ledger = load_ledger(image, checkpoint, *ledger).has_value()
                              && counts_of(loaded.leaves) == counts_of(*ledger);
          return {};
        });
      }
  result<saved_places> places = fail(errc::not_found, "there is no image of places");
  auto image_of_places = find("places");
  if (image_of_places)
    loads.emplace_back([&]() -> result<void> {
      places = saved_places::open(image_of_places->bytes());
      return {};
    });
  if (auto failed = load_checked(indexes, std::move(loads)))
    return std::unexpected(std::move(failed->why));
  loaded.has_places =
      places && adopt_places(*places, image_of_places->file.holder, checkpoint, owners);
  loaded.mapped = mapped_of(found, checkpoint.seq, loaded);
  return loaded;
}

} // namespace mneme

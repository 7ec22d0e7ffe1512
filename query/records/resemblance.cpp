#include "query/records/resemblance.hpp"

#include <algorithm>
#include <optional>

#include "index/lexical/text_terms.hpp"
#include "messages/text/folded_text.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/topic_text.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

constexpr std::size_t named_most = 3;
constexpr std::size_t titles_most = 8;

std::string title_of(const version& v) {
  const auto title = v.data.find("title");
  const auto* text = title == v.data.end() ? nullptr : std::get_if<std::string>(&title->second);
  return text == nullptr ? std::string() : *text;
}

/// What a memory is compared by: all that is searched of it, of a topic its title.
std::string compared_text(const version& v) {
  return folded_text(v.type == memory_type::topic ? title_of(v) : searched_text(v.type, v.data));
}

class own_likes {
public:
  own_likes(const memory_id& written, seq_no at, const asker& who, const read_views& views)
      : at_(at),
        views_(views),
        rows_(*views.attributes),
        visible_(who, *views.attributes, *views.nodes),
        node_(views.nodes->find(written)) {
    if (node_.value == no_number) return;
    row_ = rows_.row_of(node_, at);
    if (auto reader = views.store->reader()) reader_ = std::move(*reader);
    if (row_.value == no_number || reader_ == nullptr) return;
    if (auto own = read(written)) {
      text_ = compared_text(**own);
      is_imported_ = (*own)->provenance.source == provenance_source::imported;
    }
  }

  /// At most `most` others with the same text, ascending.
  std::vector<memory_id> same(std::size_t most) {
    std::vector<memory_id> found;
    if (text_.empty()) return found;
    const bool is_topic = type_of(row_) == memory_type::topic;
    auto candidates = with_its_words(is_topic);
    std::ranges::sort(candidates);
    for (const auto& id : candidates) {
      if (found.size() == most) break;
      const auto other = read(id);
      if (other && (compared_text(**other) == text_ || (is_topic && is_also_called(id))))
        found.push_back(id);
    }
    return found;
  }

  /// The nearest others but those of `known`. Of what was imported none: nobody reads them one by
  /// one, and to look for them would take an import longer than all else.
  [[nodiscard]] std::vector<memory_id> nearest(const std::vector<memory_id>& known) const {
    std::vector<memory_id> found;
    if (is_imported_) return found;
    if (row_.value == no_number || (rows_.rows().line(row_).flags & row_has_vector) == 0)
      return found;
    const auto query = views_.vectors->get(rows_.slot(row_));
    if (query.empty()) return found;
    const auto accept = [&](slot_no slot) {
      const row_no row = rows_.row_of_slot(slot, at_);
      return is_other(row) && (rows_.rows().line(row).flags & row_has_vector) != 0
             && !std::ranges::binary_search(known, id_of(row));
    };
    const auto tie = [&](slot_no slot) { return id_of(rows_.row_of_slot(slot, at_)); };
    bool used_hnsw = false;
    for (const auto& hit :
         views_.vectors->nearest(query, named_most, views_.vectors->size(), accept, tie, used_hnsw))
      if (1 - hit.distance >= resembles_from) found.push_back(tie(hit.slot));
    return found;
  }

private:
  [[nodiscard]] memory_type type_of(row_no row) const { return rows_.rows().line(row).type; }
  [[nodiscard]] const memory_id& id_of(row_no row) const {
    return views_.nodes->id(rows_.node(row));
  }
  [[nodiscard]] corpus corpus_of(row_no row) const {
    return type_of(row) == memory_type::chunk ? corpus::chunks : corpus::memories;
  }
  /// Live, another one, and for the asker's eyes; a topic is compared with topics.
  [[nodiscard]] bool is_other(row_no row) const {
    if (row.value == no_number || rows_.node(row) == node_ || corpus_of(row) != corpus_of(row_))
      return false;
    const bool is_topic = type_of(row_) == memory_type::topic;
    const auto left_out = is_topic ? row_unfindable : row_gone;
    return (type_of(row) == memory_type::topic) == is_topic
           && (rows_.rows().line(row).flags & left_out) == 0 && visible_(row);
  }

  std::optional<shared<version>> read(const memory_id& id) {
    auto found = read_memory(views_, *reader_, id, at_);
    if (!found || !found->has_value()) return std::nullopt;
    return (*found)->version;
  }

  /// Is the text one of the topic's aliases?
  bool is_also_called(const memory_id& topic) {
    const auto values = read_field_values(*reader_, topic, at_);
    return values && std::ranges::any_of(aliases_of(*values), [&](const std::string& name) {
             return folded_text(name) == text_;
           });
  }

  /// The rarest of the words that the text has; no_number where it has none.
  [[nodiscard]] term_no rarest_word() const {
    term_no rarest{no_number};
    std::uint64_t least = 0;
    for (const auto& text : text_terms(text_, views_.language)) {
      const term_no term = views_.lexical->term(text);
      const auto with = views_.lexical->document_frequency(corpus_of(row_), term, at_);
      if (rarest.value != no_number && with >= least) continue;
      rarest = term;
      least = with;
    }
    return rarest;
  }

  /// Others that have the words of the text, whatever else a topic has.
  [[nodiscard]] std::vector<memory_id> with_its_words(bool has_more) const {
    std::vector<memory_id> found;
    const lexical& words = *views_.lexical;
    const term_no rarest = rarest_word();
    const corpus of = corpus_of(row_);
    if (rarest.value == no_number || words.document_frequency(of, rarest, at_) < 2) return found;
    const auto own = words.terms(rows_.slot(row_));
    for (const auto& block : words.postings(of, rarest))
      for (std::uint32_t i = 0; i < block.size(); ++i) {
        const slot_no slot{block.slot(i)};
        if (!has_more && !are_equal(own, words.terms(slot))) continue;
        const row_no row = rows_.row_of_slot(slot, at_);
        if (is_other(row)) found.push_back(id_of(row));
      }
    return found;
  }
  static bool are_equal(std::span<const term_count> a, std::span<const term_count> b) {
    return std::ranges::equal(a, b, [](const term_count& x, const term_count& y) {
      return x.term == y.term && x.count == y.count;
    });
  }

  seq_no at_;
  const read_views& views_;
  const attributes& rows_;
  visible_rows visible_;
  std::unique_ptr<kv_reader> reader_;
  node_no node_;
  row_no row_{no_number};
  std::string text_;
  bool is_imported_ = false;
};

} // namespace

resemblance resemblance_of(const memory_id& written, seq_no at, const asker& who,
                           const read_views& views) {
  own_likes compared(written, at, who, views);
  resemblance found;
  found.same_text = compared.same(named_most);
  found.resembles = compared.nearest(found.same_text);
  return found;
}

std::vector<memory_id> same_titles(const memory_id& topic, seq_no at, const asker& who,
                                   const read_views& views) {
  return own_likes(topic, at, who, views).same(titles_most);
}

} // namespace mneme

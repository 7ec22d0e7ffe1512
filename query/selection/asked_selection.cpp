#include "query/selection/asked_selection.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"
#include "messages/text/lower_case.hpp"
#include "query/asked_words.hpp"
#include "query/selection/word_list.hpp"
#include "query/selection/words_of_time.hpp"

namespace mneme {

namespace {

constexpr std::array<std::string_view, 18> verbs = {
    "forget", "delete",  "remove", "erase",     "drop",    "wipe",   "purge", "clear",   "discard",
    "scrap",  "destroy", "rid",    "eliminate", "expunge", "delist", "trash", "unlearn", "get"};
constexpr std::array<std::string_view, 11> quantities = {"everything", "anything", "all",  "every",
                                                         "any",        "whatever", "each", "entire",
                                                         "both",       "wholly",   "whole"};
constexpr std::array<std::string_view, 30> many = {
    "memories", "notes",   "records",     "facts",      "entries", "things",
    "mentions", "details", "references",  "statements", "items",   "traces",
    "info",     "data",    "information", "messages",   "lines",   "knowledge",
    "history",  "stuff",   "content",     "contents",   "turns",   "remarks",
    "points",   "bits",    "pieces",      "documents",  "events",  "logs"};
constexpr std::array<std::string_view, 18> one = {
    "note", "memory", "fact",  "entry", "record", "line",   "message",  "item",    "statement",
    "one",  "bit",    "piece", "part",  "thing",  "remark", "sentence", "mention", "detail"};
/// What stands between the asking and what is asked about.
constexpr std::array between = std::to_array<std::string_view>(
    {"about",    "of",         "on",         "from",      "with",    "regarding", "concerning",
     "in",       "mentioning", "containing", "involving", "related", "relating",  "to",
     "for",      "by",         "the",        "a",         "an",      "my",        "our",
     "your",     "this",       "these",      "those",     "please",  "kindly",    "can",
     "could",    "would",      "will",       "you",       "i",       "we",        "want",
     "need",     "like",       "let",        "us",        "me",      "stored",    "saved",
     "remember", "remembered", "know",       "known",     "have",    "has",       "had",
     "ever",     "kept",       "recorded",   "now",       "just",    "also",      "and",
     "there",    "is",         "are",        "mention",   "refer",   "ok",        "what",
     "don't",    "don’t",      "do",         "not",       "stop",    "never",     "remembering",
     "longer",   "no"});
/// Asking for the contrary of forgetting.
constexpr std::array<std::string_view, 5> keeping = {"remember", "keep", "retain", "preserve",
                                                     "memorize"};
constexpr auto names_nothing = "the words say not what to forget: say what it is about";
/// Of the verbs as something that goes on: "stop deleting …".
constexpr std::array<std::string_view, 6> forgetting = {"forgetting", "deleting", "removing",
                                                        "erasing",    "dropping", "wiping"};
/// What may stand before a list joined by "and", each of which is meant for itself: not "notes that
/// mention …", which may be those that mention both.
constexpr std::array before_lists = std::to_array<std::string_view>(
    {"everything", "anything", "all", "whatever", "about",  "regarding", "concerning",
     "of",         "on",       "the", "please",   "kindly", "can",       "could",
     "would",      "you",      "i",   "want",     "need",   "to",        "just"});
/// They say what a name is of; by themselves they name nobody.
constexpr std::array suffixes = std::to_array<std::string_view>(
    {"inc",  "ltd", "llc",          "llp",     "gmbh",    "ag",  "kg", "co",
     "corp", "plc", "sa",           "srl",     "bv",      "nv",  "jr", "sr",
     "ii",   "iii", "incorporated", "limited", "company", "phd", "md", "esq"});
/// Before a capital letter they join a name, and are no part of it.
constexpr std::array<std::string_view, 12> joining = {"the", "a",   "an", "of", "and",  "in",
                                                      "on",  "for", "to", "by", "with", "from"};
/// They begin names, too.
constexpr std::array<std::string_view, 2> given_names = {"will", "may"};
/// Of them, what says that one thing is meant, and whose.
constexpr std::array determiners =
    std::to_array<std::string_view>({"a", "an", "my", "our", "your", "this", "these", "those"});
/// Behind them a statement begins.
constexpr std::array<std::string_view, 7> clause = {"that",    "where", "how", "when",
                                                    "because", "which", "who"};
/// Of them and others, what may begin a clause that stands alone; a question if one of the second
/// follows.
constexpr std::array<std::string_view, 6> subordinate = {"where", "what", "when",
                                                         "who",   "how",  "which"};
constexpr std::array asked_behind = std::to_array<std::string_view>(
    {"is",    "are",   "was",   "were",  "am",    "do",  "does",  "did",  "has",  "have",   "had",
     "will",  "would", "can",   "could", "shall", "may", "must",  "many", "much", "should", "might",
     "often", "isn't", "don't", "long",  "old",   "far", "about", "come", "else", "kind"});
constexpr std::array<std::string_view, 18> saying = {
    "says",      "say",  "said",     "saying",     "states",   "stating",
    "tells",     "told", "mentions", "reads",      "notes",    "stated",
    "mentioned", "tell", "claims",   "mentioning", "contains", "contain"};
/// Behind a name: what he said is asked for.
constexpr std::array<std::string_view, 9> said_behind = {
    "said", "says", "told", "wrote", "writes", "mentioned", "posted", "sent", "stated"};
constexpr std::array<std::string_view, 14> trailing = {
    "please", "completely", "entirely",    "permanently", "forever", "anymore", "altogether",
    "thanks", "now",        "immediately", "fully",       "again",   "too",     "wholly"};
constexpr std::array<std::string_view, 12> stores = {"memory", "memories", "records", "notes",
                                                     "store",  "database", "mind",    "record",
                                                     "list",   "system",   "files",   "history"};
constexpr std::array exceptions =
    std::to_array<std::string_view>({"except", "excepting", "excluding", "besides", "but", "save",
                                     "not", "exception", "without", "minus", "unless", "barring"});
/// The words of a request on their way to what they ask.
class reader {
public:
  reader(std::string_view text, std::string_view language)
      : text_(text), language_(language), list_(words_of(text)) {
    is_shouted_ = std::ranges::all_of(list_, &asked_word::is_capital);
  }

  asked_selection read() {
    to_ = list_.size();
    cut_lead();
    refuse_negated();
    if (!is_statement_ && list_.size() == most_asked_words) refuse("the words are too many");
    // A fact may have an exception in it.
    if (!is_statement_) cut_exception();
    cut_trail();
    if (from_ >= to_) { // nothing but words of asking
      refuse(names_nothing);
      from_ = 0, to_ = list_.size();
    }
    find_phrases();
    if (!is_statement_ && out_.extent != asked_extent::fact) read_list();
    find_content();
    find_speaker();
    refuse_empty();
    refuse_times();
    out_.question = question();
    return std::move(out_);
  }

private:
  [[nodiscard]] const std::string& lower(std::size_t i) const { return list_[i].lower; }

  void refuse(std::string why) {
    if (out_.refusal.empty()) out_.refusal = std::move(why);
  }
  /// "Forget it": a word that every other memory has names nothing.
  void refuse_empty() {
    const bool is_named = !out_.names.empty() || !out_.identifiers.empty();
    if (is_named || is_statement_ || out_.extent == asked_extent::fact) return;
    if (std::ranges::all_of(out_.content,
                            [&](const auto& t) { return is_function_term(t, language_); }))
      refuse(names_nothing);
  }
  /// "What I told you yesterday", "our last conversation": memories that have these words are not
  /// those of that time.
  void refuse_times() {
    if (out_.extent == asked_extent::fact || !out_.names.empty()) return;
    bool is_of_time = false;
    bool has_number = false;
    for (std::size_t i = from_; i < to_; ++i) {
      if (list_[i].quoted) return;
      const bool is_number = is_small_number(lower(i));
      has_number = has_number || is_number;
      is_of_time = is_of_time || says_when(lower(i));
      if (!is_number && !says_when(lower(i)) && !says_that_it_was_said(lower(i)) && !is_function(i))
        return;
    }
    if (has_number && !is_of_time) return; // "item 5" is one
    refuse(is_of_time
               ? "the words say when, and not what: say what it is about, or find what is of "
                 "that time and give its ids"
               : names_nothing);
  }
  [[nodiscard]] bool is_negation(std::size_t i) const {
    return !list_[i].quoted && (is_denial(lower(i)) || lower(i) == "stop");
  }

  /// "Don't delete …", "please remember …", "everything not about …" ask for the contrary, or for
  /// what no list of words says.
  void refuse_negated() {
    bool is_negated = false;
    bool asks = false;
    for (std::size_t i = 0; i < list_.size() && !list_[i].quoted; ++i) {
      const std::string& word = lower(i);
      if (is_in(clause, word)) return refuse_denied_clause(i, asks);
      // Behind the beginning "not" excepts something; see cut_exception().
      if (i >= from_ && from_ > 0) return;
      if (is_negation(i)) {
        if (list_[i].ends_part) continue; // "no, forget it"
        if (asks) return refuse("the words say what is not meant: say what is");
        is_negated = true;
      } else if (is_in(verbs, word) || is_in(forgetting, word)) {
        if (is_negated) return refuse("the words ask to forget nothing");
        asks = true;
      } else if (is_in(quantities, word) || (i == 0 && (is_in(many, word) || word == "what"))) {
        asks = asks || !is_negated; // "everything not about …"
      } else if (is_in(keeping, word) && !asks) {
        if (!is_negated) return refuse("the words ask to remember, and not to forget");
        asks = true; // "don't remember that"
      }
    }
  }

  /// "everything that is not about …", "notes that do not mention …", but "the note that says Ben
  /// is not here".
  void refuse_denied_clause(std::size_t i, bool asks) {
    constexpr std::size_t near = 3;
    if (!asks || out_.extent != asked_extent::all) return;
    for (std::size_t j = i + 1; j < list_.size() && j <= i + near && !list_[j].quoted; ++j) {
      if (is_in(saying, lower(j)) || is_name_word(j)) return;
      if (is_negation(j)) return refuse("the words say what is not meant: say what is");
    }
  }

  [[nodiscard]] bool identifies(std::size_t i) const {
    return list_[i].is_identifier || list_[i].quoted || is_numeric(list_[i].bare);
  }
  [[nodiscard]] bool joins(std::size_t i) const {
    return i > from_ && i + 1 < to_ && !list_[i].quoted && (lower(i) == "and" || lower(i) == "or");
  }
  [[nodiscard]] bool is_list_comma(std::size_t i) const {
    return i + 1 < to_ && list_[i].ends_list && is_name_word(i) && is_name_word(i + 1);
  }

  /// "Globex and Initech": nothing may have both, and what has one may not be meant. A list of
  /// identifiers is one; of one of names each part is asked for by itself.
  void read_list() {
    bool is_list = false;
    for (std::size_t i = from_; i + 1 < to_; ++i) {
      const bool is_between = i > from_ && identifies(i - 1) && identifies(i + 1);
      is_list = is_list || (joins(i) && !is_between) || is_list_comma(i);
    }
    if (is_list && !read_parts())
      refuse("the words list several things: ask for each, or put what is one in quotes");
  }

  struct word_range {
    std::size_t from;
    std::size_t to;
  };
  [[nodiscard]] std::vector<word_range> parts() const {
    std::vector<word_range> all;
    std::size_t begin = from_;
    const auto end_at = [&](std::size_t end, std::size_t next) {
      if (end > begin) all.push_back({begin, end});
      begin = next;
    };
    for (std::size_t i = from_; i < to_; ++i) {
      if (joins(i)) end_at(i, i + 1);
      if (is_list_comma(i)) end_at(i + 1, i + 1);
    }
    end_at(to_, to_);
    return all;
  }
  /// "Acme, Inc. and Globex": what follows the comma is of the name before it.
  [[nodiscard]] bool is_suffix(std::size_t i) const {
    std::string word = lower(i);
    std::erase(word, '.');
    return !list_[i].quoted && is_in(suffixes, word);
  }
  /// Whether "and" or "or" stands before the last. A comma alone is also in one name ("Paris,
  /// Texas"), before a suffix, and before who is spoken to.
  [[nodiscard]] bool ends_joined(const std::vector<word_range>& all) const {
    return joins(all.back().from - 1);
  }
  /// Whether each part names something in the same way: a name or an identifier and nothing else,
  /// or each with more. Of "the Globex and Initech contracts" and of "Ana and Ben's trip" the first
  /// part alone says something else, and "in 2019" may be said of each.
  [[nodiscard]] bool are_alike(const std::vector<word_range>& all) const {
    std::size_t plain = 0;
    for (const auto& part : all) {
      bool is_named = false;
      bool has_more = false;
      for (std::size_t i = part.from; i < part.to; ++i) {
        const bool names = list_[i].is_identifier || list_[i].quoted || is_name_word(i);
        is_named = is_named || names;
        has_more = has_more || !(names || is_in(joining, lower(i)));
      }
      if (!is_named || list_[part.to - 1].is_possessive || is_suffix(part.from)) return false;
      plain += has_more ? 0U : 1U;
    }
    return plain == 0 || plain == all.size();
  }
  /// Whether what stands before the list says that each of it is meant.
  [[nodiscard]] bool means_each() const {
    if (from_ == 0) return false;
    const bool any_and = std::ranges::any_of(
        list_.begin() + static_cast<std::ptrdiff_t>(from_),
        list_.begin() + static_cast<std::ptrdiff_t>(to_),
        [](const asked_word& w) { return !w.quoted && (w.lower == "and" || w.ends_list); });
    for (std::size_t i = 0; i < from_; ++i) {
      const std::string& word = lower(i);
      if (word == "both") return false;
      if (any_and && !is_in(verbs, word) && !is_in(before_lists, word)) return false;
    }
    return true;
  }
  /// False where the words are no list of what can be asked for one by one.
  bool read_parts() {
    const auto all = parts();
    if (all.size() < 2 || !ends_joined(all) || !means_each() || !are_alike(all)) return false;
    const auto lead = text_.substr(0, list_[from_].at);
    const auto rest = to_ < list_.size() ? text_.substr(list_[to_].at) : std::string_view();
    for (const auto& part : all) {
      std::string words(lead);
      for (std::size_t i = part.from; i < part.to; ++i) {
        auto word = text_.substr(list_[i].at, list_[i].bytes);
        while (i + 1 == part.to && (word.ends_with(',') || word.ends_with(';')))
          word.remove_suffix(1);
        words += std::string(word) + " ";
      }
      auto part_asked = reader(words + std::string(rest), language_).read();
      if (!part_asked.refusal.empty() || !part_asked.parts.empty() || part_asked.is_whose
          || part_asked.extent == asked_extent::fact
          || (part_asked.content.empty() && part_asked.identifiers.empty()))
        return false;
      out_.parts.push_back(std::move(part_asked));
    }
    const asked_word& last = list_[to_ - 1];
    const auto begin = list_[from_].at;
    out_.listed.shown = std::string(text_.substr(begin, last.at + last.bytes - begin));
    out_.listed.terms = text_terms(out_.listed.shown, language_);
    out_.listed.words = folded_words(out_.listed.shown);
    return true;
  }

  [[nodiscard]] bool is_exception(std::size_t i) const {
    if (list_[i].quoted || is_name_word(i)) return false;
    const std::string& word = lower(i);
    const std::string_view next = i + 1 < list_.size() ? lower(i + 1) : std::string_view();
    if (word == "save") return next == "for";
    if (word == "apart" || word == "aside") return next == "from";
    if (word == "other" || word == "rather") return next == "than";
    return is_in(exceptions, word);
  }
  /// Where what is excepted begins; the end if nothing is.
  [[nodiscard]] std::size_t exception_at() const {
    for (std::size_t i = from_; i < list_.size(); ++i)
      if (is_exception(i)) return i;
    return list_.size();
  }
  /// "…, except the invoice": what is behind is kept.
  void cut_exception() {
    const std::size_t at = exception_at();
    if (at == list_.size()) return;
    std::vector<std::string> one_kept;
    std::string shown;
    const auto end_one = [&] {
      if (!one_kept.empty()) {
        out_.kept.push_back(std::move(one_kept));
        out_.kept_shown.push_back(std::move(shown));
      }
      one_kept.clear();
      shown.clear();
    };
    for (std::size_t i = at + 1; i < list_.size(); ++i) {
      const std::string& word = lower(i);
      if (word == "and" || word == "or" || word == "nor") end_one();
      const bool tells =
          list_[i].quoted
          || !(is_in(many, word) || is_in(one, word) || is_in(saying, word)
               || is_in(quantities, word) || is_weak(word) || is_in(keeping, word)
               || is_in(exceptions, word) || is_in(trailing, word) || is_in(verbs, word));
      if (tells) {
        const auto before = one_kept.size();
        for (auto& term : text_terms(list_[i].bare, language_))
          if (list_[i].quoted || !is_function_term(term, language_))
            one_kept.push_back(std::move(term));
        if (one_kept.size() > before) shown += (shown.empty() ? "" : " ") + list_[i].bare;
      }
      if (list_[i].ends_part) end_one();
    }
    end_one();
    to_ = at;
    if (out_.kept.empty()) refuse("the words except something, and say not what");
    if (!says_something(from_, to_))
      refuse("the words say what is to stay, and not what to forget");
  }
  /// Whether there is more than words of asking.
  [[nodiscard]] bool says_something(std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) {
      if (list_[i].quoted || is_name_word(i)) return true;
      const std::string& word = lower(i);
      if (is_in(many, word) || is_in(one, word) || is_in(quantities, word) || is_weak(word)
          || is_in(between, word) || is_in(verbs, word))
        continue;
      if (!is_function(i)) return true;
    }
    return false;
  }
  /// A capital letter that neither begins a sentence nor stands in a text of nothing else.
  [[nodiscard]] bool is_name_word(std::size_t i) const {
    return is_capital(i) && !list_[i].starts_sentence && !is_shouted_;
  }

  /// The verb, how much, and what joins them to what is asked about.
  void cut_lead() {
    std::size_t i = 0;
    bool asks = false;
    bool is_all = false;
    bool is_many = false;
    bool is_one = false;
    bool is_about = false;
    bool is_negated = false; // "don't remember"
    for (; i < to_ && !list_[i].quoted; ++i) {
      const std::string& word = lower(i);
      if (is_in(clause, word)) break;
      // "Forget Will Smith", "about Data Corp"; "Please Forget" is asking.
      if (is_name_word(i) && (asks || is_all || !is_in(verbs, word))) break;
      if (is_in(verbs, word)) {
        asks = true;
      } else if (is_in(quantities, word)) {
        is_all = true;
      } else if (is_in(many, word)) {
        if (!asks && !is_all && !is_joined(i + 1)) break; // "Data Corp"
        is_many = true;
      } else if (is_in(one, word)) {
        // "the note about", "one memory that"; "the part number 7" is asked about.
        if (!is_joined(i + 1)) break;
        is_one = true;
      } else if (is_in(saying, word)) {
        is_about = true;
      } else if (is_in(between, word) || is_negation(i)) {
        is_about = is_about || word == "about" || word == "regarding" || word == "concerning";
        out_.is_whose = out_.is_whose || is_in(determiners, word);
        is_negated = is_negated || is_negation(i);
        asks = asks || (is_negated && word.starts_with("remember"));
      } else {
        break;
      }
    }
    asks = asks || is_all || is_many || is_one || is_bare_clause();
    if (!asks) { // a plain statement, or the name of a thing
      from_ = 0;
      is_statement_ = states(0);
      out_.extent = is_statement_ ? asked_extent::fact : asked_extent::thing;
      out_.is_whose = to_ > 0 && is_in(determiners, lower(0));
      return;
    }
    from_ = i;
    bool is_clause = false;
    if (i < to_ && is_in(clause, lower(i)) && !list_[i].quoted) {
      is_clause = lower(i) != "who";
      ++from_;
      // "that says that": what somebody said is asked about.
      while (from_ < to_ && (is_in(saying, lower(from_)) || lower(from_) == "that")) ++from_;
    }
    if (is_all || (is_many && !is_one))
      out_.extent = asked_extent::all;
    else if (is_one || is_clause || states(from_))
      out_.extent = asked_extent::fact;
    else
      out_.extent = is_about ? asked_extent::all : asked_extent::thing;
    is_statement_ = out_.extent == asked_extent::fact && (is_clause || states(from_));
    // "anything that mentions X": past what joins.
    if (out_.extent == asked_extent::all)
      while (from_ < to_ && !list_[from_].quoted && !is_name_word(from_)
             && (is_in(between, lower(from_)) || is_in(saying, lower(from_))))
        ++from_;
  }
  /// "that Ana moved to Lisbon", "where Ana lives": without a verb of asking what they are with
  /// one. "Where does Ana live" is a question.
  [[nodiscard]] bool is_bare_clause() const {
    if (to_ < 2 || list_[0].quoted || text_.ends_with('?')) return false;
    return lower(0) == "that" || (is_in(subordinate, lower(0)) && !is_in(asked_behind, lower(1)));
  }
  /// Does what is asked about begin at `i`, or is there still something that joins?
  [[nodiscard]] bool is_joined(std::size_t i) const {
    return i < to_
           && (list_[i].quoted || is_in(clause, lower(i)) || is_in(between, lower(i))
               || is_in(saying, lower(i)));
  }
  /// Do the words from `i` on say something of themselves: "I …", "my … is …"?
  [[nodiscard]] bool states(std::size_t i) const {
    static constexpr std::array<std::string_view, 14> says_so = {
        "is",   "are", "was", "were", "has", "have",  "had",
        "will", "can", "am",  "does", "did", "likes", "went"};
    if (i < to_ && (lower(i) == "i" || lower(i) == "we" || lower(i).starts_with("i'"))) return true;
    for (; i < to_; ++i)
      if (is_in(says_so, lower(i))) return true;
    return false;
  }

  void cut_trail() {
    while (to_ > from_ + 1) {
      const std::string& last = lower(to_ - 1);
      if (list_[to_ - 1].quoted || is_name_word(to_ - 1)) return;
      if (is_in(trailing, last)) {
        --to_;
      } else if (to_ > from_ + 2 && is_in(stores, last)
                 && (lower(to_ - 2) == "from" || lower(to_ - 2) == "in")) {
        to_ -= 2;
      } else if (to_ > from_ + 3 && is_in(stores, last)
                 && (lower(to_ - 3) == "from" || lower(to_ - 3) == "in")) {
        to_ -= 3;
      } else if (out_.extent == asked_extent::all && is_in(many, last)) {
        --to_; // "all Globex notes"
      } else {
        return;
      }
    }
  }

  void find_phrases() {
    std::vector<std::size_t> places;
    for (std::size_t i = from_; i < to_; ++i) {
      if (const auto end = end_of_number(i); end > i + 1) {
        std::string whole;
        for (; i < end; ++i) whole += (whole.empty() ? "" : " ") + list_[i].bare;
        --i;
        out_.identifiers.push_back(spaced_number(whole));
        places.push_back(i);
        continue;
      }
      if (auto phrase = identifier_of(list_[i], language_)) {
        out_.identifiers.push_back(std::move(*phrase));
        places.push_back(i);
      }
    }
    leave_room();
    out_.any_identifier = places.size() > 1;
    for (std::size_t i = 1; i < places.size(); ++i) {
      const bool next = places[i] == places[i - 1] + 1 && list_[places[i - 1]].ends_list;
      const bool joined = places[i] == places[i - 1] + 2
                          && (lower(places[i] - 1) == "and" || lower(places[i] - 1) == "or");
      if (!next && !joined) out_.any_identifier = false;
    }
    for (std::size_t i = from_; i < to_;) i = take_name(i);
    for (std::size_t i = from_ + 1; i + 1 < to_; ++i)
      if (std::string_view("&+/").contains(lower(i)) && is_capital(i - 1) && is_capital(i + 1))
        out_.is_one_name = true;
  }

  /// One name, and nothing else but that he said it.
  void find_speaker() {
    if (is_statement_ || out_.names.size() != 1 || !out_.parts.empty()) return;
    const asked_phrase& name = out_.names.front();
    std::size_t end = from_;
    std::size_t words = 0;
    while (end < to_ && is_capital(end)) words += folded_words(list_[end++].bare).size();
    if (end == from_ || words != name.words.size() || list_[end - 1].is_possessive) return;
    if (end == to_) {
      const bool is_by = from_ > 0 && lower(from_ - 1) == "by";
      (is_by ? out_.said_by : out_.about) = name;
      return;
    }
    if (!is_in(said_behind, lower(end))) return;
    const bool is_end = end + 1 == to_;
    const bool is_told_me = end + 2 == to_ && (lower(end + 1) == "me" || lower(end + 1) == "us");
    if (is_end || is_told_me) out_.said_by = name;
  }

  /// Other spellings are looked for as far as there is room for their terms: all that decides must
  /// be looked for.
  void leave_room() {
    ensure(out_.parts.empty(), "each of a list has found its own");
    constexpr std::size_t most_terms = 24;
    std::set<std::string> terms; // only counted
    for (auto& phrase : out_.identifiers) {
      for (const auto& form : phrase.forms) terms.insert(form.begin(), form.end());
      if (terms.size() > most_terms) phrase.forms.clear();
    }
  }
  /// Behind the words from `i` on that are one number of seven digits or more, written apart.
  [[nodiscard]] std::size_t end_of_number(std::size_t i) const {
    constexpr std::size_t least_digits = 7;
    std::size_t end = i;
    std::size_t digits = 0;
    while (end < to_ && !list_[end].quoted && is_numeric(list_[end].bare)
           && list_[end].bare.find_first_of(".,") == std::string::npos
           && (end == i || !list_[end - 1].ends_list)) {
      digits += digits_in(list_[end].bare);
      ++end;
    }
    return digits < least_digits ? i : end;
  }
  [[nodiscard]] bool is_capital(std::size_t i) const {
    const asked_word& w = list_[i];
    return w.is_capital && !w.quoted && !w.is_identifier && !is_first_person(w.lower);
  }
  /// A name from `i` on, if there is one. Where to go on.
  std::size_t take_name(std::size_t i) {
    const std::size_t first = i;
    std::size_t end = i;
    while (end < to_ && is_capital(end)) {
      ++end;
      if (list_[end - 1].ends_part) break;
    }
    if (end == i) return i + 1;
    // The first word of a statement is no name for its capital, and may be one all the same.
    const bool is_start = i == 0;
    const bool is_statement = out_.extent == asked_extent::fact;
    while (i < end && begins_no_name(i, end)) ++i;
    if (i == end) return end;
    asked_phrase name{.shown = {}, .terms = {}};
    for (; i < end; ++i) {
      name.shown += (name.shown.empty() ? "" : " ") + list_[i].bare;
      if (list_[i].is_possessive && i + 1 < end) name.shown += "'s";
      for (auto& term : text_terms(list_[i].bare, language_)) name.terms.push_back(std::move(term));
      for (auto& word : folded_words(list_[i].bare)) name.words.push_back(std::move(word));
    }
    if (name.terms.empty()) return end;
    if (name.words.size() == 1) {
      const std::string& word = name.words.front();
      if (word.size() == 1) name.token = word;
      name.is_word = std::ranges::all_of(
          name.terms, [&](const auto& t) { return is_function_term(t, language_); });
    }
    if (is_start) out_.subject = name;
    if (first == from_ && is_statement_) out_.told_of = name;
    if (!is_start || !is_statement || end > 1) out_.names.push_back(std::move(name));
    return end;
  }
  /// "The Beatles", "In Oslo", "Yesterday": the capital letter is that of a beginning or a title.
  [[nodiscard]] bool begins_no_name(std::size_t i, std::size_t end) const {
    if (i > 0) return is_in(joining, lower(i));
    if (is_opening(lower(i))) return true;
    return is_function(i) && !(is_in(given_names, lower(i)) && i + 1 < end);
  }
  [[nodiscard]] bool is_function(std::size_t i) const {
    return std::ranges::all_of(text_terms(list_[i].bare),
                               [](const std::string& t) { return is_function_term(t); });
  }

  /// "my address", "I live in Porto", "where I live": of nobody whom the words name.
  [[nodiscard]] bool is_mine() const {
    static constexpr auto asking = std::to_array<std::string_view>(
        {"where", "what", "when", "how", "who", "which", "why", "whether", "that"});
    const auto is_mine_at = [&](std::size_t i) {
      return i < to_
             && is_in(std::to_array<std::string_view>({"i", "my", "we", "our", "i'm", "i've"}),
                      lower(i));
    };
    if (from_ >= to_) return false;
    if (is_mine_at(from_) || (from_ > 0 && is_mine_at(from_ - 1))) return true;
    return is_in(asking, lower(from_)) && is_mine_at(from_ + 1);
  }

  /// From the word on that says it: before what is asked about, in front of it, or behind "where".
  [[nodiscard]] told_whose whose() const {
    for (std::size_t i = from_ > 0 ? from_ - 1 : 0; i < to_ && i < from_ + 2; ++i)
      if (is_first_person(lower(i)))
        return whose_in(std::span(list_).first(to_).subspan(i), language_);
    return {};
  }
  void find_content() {
    out_.is_mine = is_mine();
    if (out_.is_mine) out_.whose = whose();
    add_content(true);
    if (out_.content.empty()) add_content(false);
    find_head();
  }
  /// The last telling word before what only says where or whose.
  void find_head() {
    static constexpr std::array<std::string_view, 9> behind = {"of",   "for", "in",    "on",  "at",
                                                               "from", "by",  "about", "with"};
    if (out_.extent != asked_extent::thing) return;
    for (std::size_t i = from_; i < to_ && (out_.head.empty() || !is_in(behind, lower(i))); ++i) {
      if (list_[i].is_identifier || is_weak(lower(i))) continue;
      std::vector<std::string> terms;
      for (auto& term : text_terms(list_[i].bare, language_))
        if (!is_function_term(term, language_)) terms.push_back(std::move(term));
      if (!terms.empty()) out_.head = std::move(terms);
    }
  }
  void add_content(bool leaves_weak) {
    for (std::size_t i = from_; i < to_; ++i)
      for (auto& term : text_terms(list_[i].bare, language_)) {
        if (leaves_weak && is_weak(lower(i)) && !list_[i].quoted) continue;
        if (is_function_term(term, language_) && !list_[i].quoted && !names_though_function(i))
          continue;
        if (std::ranges::find(out_.content, term) == out_.content.end())
          out_.content.push_back(std::move(term));
      }
  }

  /// "Will", "AT&T": of the words of a name all count.
  [[nodiscard]] bool names_though_function(std::size_t i) const {
    return is_name_word(i) && is_capital(i) && !is_in(joining, lower(i));
  }

  [[nodiscard]] std::string question() const {
    std::string all;
    for (std::size_t i = from_; i < to_; ++i)
      all += (all.empty() ? "" : " ") + std::string(text_.substr(list_[i].at, list_[i].bytes));
    return all;
  }

  std::string_view text_;
  std::string_view language_;
  std::vector<asked_word> list_;
  std::size_t from_ = 0;
  std::size_t to_ = 0;
  bool is_shouted_ = false;   ///< there are capital letters alone
  bool is_statement_ = false; ///< it is asked for as a statement: "that …", "Ana is …"
  asked_selection out_;
};

} // namespace

asked_selection read_asked(std::string_view words, std::string_view language) {
  return reader(words, language).read();
}

bool is_value(const asked_selection& asked, std::string_view term) {
  const auto has = [&](const asked_phrase& name) {
    return std::ranges::find(name.terms, term) != name.terms.end();
  };
  return !has(asked.subject) && std::ranges::any_of(asked.names, has);
}

bool is_small_number(std::string_view term) {
  constexpr std::size_t most_digits = 3;
  return term.size() <= most_digits
         && std::ranges::all_of(term, [](char c) { return c >= '0' && c <= '9'; });
}

namespace {

/// Has `some` all of them, which are some?
bool has_terms(const std::vector<std::string>& some, const std::vector<std::string>& wanted) {
  return !wanted.empty() && std::ranges::all_of(wanted, [&](const std::string& t) {
    return std::ranges::find(some, t) != some.end();
  });
}

/// Is all that is asked for said in `own`, of another noun than the asked one? One word alone may
/// be another way to say it: "My favourite food is pizza" is that I like it.
bool says_all_but_noun(const asked_selection& asked, const std::vector<std::string>& own) {
  std::vector<std::string> others = asked.content;
  std::erase_if(others, [&](const std::string& t) {
    return std::ranges::find(asked.whose.noun, t) != asked.whose.noun.end();
  });
  return others.size() > 1 && has_terms(own, others);
}

bool says_me(std::string_view text) {
  return std::ranges::any_of(words_of(text), [](const asked_word& w) {
    return w.lower == "i" || w.lower == "we" || w.lower == "i'm" || w.lower == "i've";
  });
}

} // namespace

bool is_of_another(const asked_selection& asked, std::string_view text, std::string_view language) {
  if (!asked.is_mine) return false;
  if (begins_with_name(text)) return true;
  const told_whose told = read_whose(text, language);
  const auto own = text_terms(text, language);
  if (asked.whose.is_somebody && !has_terms(own, asked.whose.noun)) return true;
  const bool is_told_asked = has_terms(asked.content, told.noun);
  if (told.is_somebody) return !is_told_asked;
  // "My parrot speaks French" is not that I do, nor the other way round.
  if (asked.whose.is_me && told.is_my)
    return !is_told_asked && says_all_but_noun(asked, own) && !says_me(text);
  if (asked.whose.is_my && told.is_me && asked.extent == asked_extent::fact)
    return !has_terms(own, asked.whose.noun) && says_all_but_noun(asked, own);
  return false;
}

} // namespace mneme

#pragma once
/// The terms of a text, as the lexical index and its queries see them: the maximal runs of Unicode
/// letters, digits and marks (general categories L, N and M; no underscore), folded (case,
/// compatibility forms; accents of Latin, Greek and Cyrillic dropped, so that café is cafe; ł, ø,
/// æ and the like as they are written without them, so that Łukasz is Lukasz), then stemmed by
/// Snowball's stemmer of a language, or of none. There are no stop words. libstemmer is used here
/// alone.
///
/// Han and kana are a run of their own, and of these the terms are each two that follow each other:
/// of 東京都 they are 東京 and 京都. One that stands alone is a term.
///
/// Runs that single separators join (one of @ . _ - / : # + and the backslash), with a digit or an
/// @ among them, are an identifier: one more term behind those of its runs, unstemmed, with its @,
/// with points behind digits (1.10 is not 110) and no other separator, and a number without leading
/// zeros: of 2211-0042 the terms are 2211, 0042, 22110042.
///
/// A run of 8 to 40 hexadecimal digits, letters and digits among them, that no separator joins to
/// others is a hash: its first 7 to 12 digits are terms behind it, stemmed as runs are.

#include <string>
#include <string_view>
#include <vector>

namespace mneme {

inline constexpr std::string_view default_language = "english";
/// Of texts whose words stay as they are.
inline constexpr std::string_view no_language = "none";

/// Those that there is a stemmer for, in the order of their names, and "none".
const std::vector<std::string>& text_languages();

/// In order of occurrence, repetitions included. Precondition: `text` is UTF-8 (bytes that are not
/// end a run and are passed over), `language` one of text_languages().
std::vector<std::string> text_terms(std::string_view text,
                                    std::string_view language = default_language);

/// The runs of a text folded as terms are, and not stemmed: names are told apart by their endings.
std::vector<std::string> folded_words(std::string_view text);

/// A run of a text as text_terms takes it, without the term of an identifier.
struct text_run {
  std::string term;
  bool is_joined; ///< to the run before it, by a single separator of identifiers
};

/// In order of occurrence; what is han and kana is one run.
std::vector<text_run> text_runs(std::string_view text,
                                std::string_view language = default_language);

/// What text_terms depends on, so that an index knows terms that were made otherwise: the number of
/// our own rules, the versions of Unicode's tables, a few stems (libstemmer tells no version), and
/// the language if it is another than the default one.
std::string term_rules(std::string_view language = default_language);

} // namespace mneme

#pragma once
/// The terms of a text, as the lexical index and its queries see them: of its canonical composition
/// (NFC) the maximal runs of Unicode letters and digits (general categories L and N; nothing else,
/// no underscore), each lower-cased by the default mapping of its code points, then stemmed by
/// Snowball's English stemmer. Spellings that the mapping tells apart by what stands around them
/// are one: both small sigmas, and İ with or without the dot that its lower case has (a combining
/// dot above behind an i). There are no stop words. libstemmer is used here alone.

#include <string>
#include <string_view>
#include <vector>

namespace mneme {

/// In order of occurrence, repetitions included. Precondition: `text` is UTF-8 (bytes that are not
/// end a run and are passed over).
std::vector<std::string> text_terms(std::string_view text);

/// What text_terms depends on, so that an index knows terms that were made otherwise: the number of
/// our own rules, the versions of Unicode's tables, and a few stems (libstemmer tells no version).
const std::string& term_rules();

} // namespace mneme

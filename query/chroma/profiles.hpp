#pragma once
/// The built-in profiles of chroma.

#include <memory>

#include "mneme/chroma.hpp"

namespace mneme {

/// Plain text: hashtags by their words, spans of time, a number of results.
std::shared_ptr<const query_profile> make_default_profile();

/// `paradigm | sub:domain:path | cutoff | release | format`. Fewer than three parts are read by
/// `fallback`. paradigm and the parts of the path are hashtags, beside those of the request; the
/// answer keeps memories whose metadata fit exactly, newer than cutoff (default: a year ago), of
/// the release's status: latest (the default) is public, lts or latest, beta is beta, public or
/// lts, vN is public.
std::shared_ptr<const query_profile>
make_knowledge_patch_profile(std::shared_ptr<const query_profile> fallback);

} // namespace mneme

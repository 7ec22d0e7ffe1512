#pragma once
/// Which memories take an older one out of answers: what supersedes or replaces it in the name of
/// its own actor, or of the host. Everybody may say that his memory supersedes another's public
/// one; the edge is shown, and hides nothing.

#include <string_view>

#include "index/columns/attributes.hpp"

namespace mneme {

class supersession {
public:
  /// `columns` must outlive it.
  explicit supersession(const attributes& columns) : host_(columns.actor_term("")) {}

  /// Of a live row that supersedes or replaces the memory of another: does that count?
  [[nodiscard]] bool counts(const row_line& newer, const row_line& older) const {
    return newer.actor == older.actor || newer.actor == host_.value;
  }
  /// The same by the names of their actors, of which the host's is empty.
  [[nodiscard]] static bool counts(std::string_view newer_actor, std::string_view older_actor) {
    return newer_actor == older_actor || newer_actor.empty();
  }

private:
  term_no host_; ///< the missing term, which no row has, where the host owns nothing
};

} // namespace mneme

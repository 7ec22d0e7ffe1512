#pragma once
/// The parts that several requests and answers share: frames, lifecycle, forms, provenance.

#include <array>

#include "mneme/past_marks.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::protocol {

namespace shapes {
inline constexpr std::array frame_keys = {
    key_shape{"verb", &text, true}, key_shape{"kind", &text, true}, key_shape{"ref", &text, true}};
inline constexpr shape frame{.kind = shape_kind::object, .keys = frame_keys};
inline constexpr shape frames{
    .kind = shape_kind::list, .name = "[{verb, kind, ref}…]", .item = &frame};

inline constexpr std::array lifecycle_keys = {
    key_shape{"status", &text}, key_shape{"due_date", &time},  key_shape{"project", &text},
    key_shape{"origin", &text}, key_shape{"atomic", &boolean}, key_shape{"audience", &text}};
inline constexpr shape lifecycle{.kind = shape_kind::object,
                                 .name = "{status, due_date, project, origin, atomic, audience}",
                                 .keys = lifecycle_keys};

inline constexpr std::array forms_keys = {key_shape{"short", &text}, key_shape{"medium", &text}};
inline constexpr shape forms{
    .kind = shape_kind::object, .name = "{short, medium}", .keys = forms_keys};

inline constexpr std::array provenance_keys = {
    key_shape{"source", &text},        key_shape{"derived_from", &texts},
    key_shape{"attestations", &texts}, key_shape{"signed_by", &text},
    key_shape{"signed_at", &time},     key_shape{"sig", &text},
    key_shape{"trust", &number},       key_shape{"source_class", &text}};
inline constexpr shape provenance{
    .kind = shape_kind::object,
    .name = "{source, derived_from, attestations, signed_by, signed_at, sig, trust, source_class}",
    .keys = provenance_keys};
} // namespace shapes

/// Each reads the key of its own name (`frames`, `lifecycle`, `forms`, `provenance`).
std::optional<std::vector<intent_frame>> read_frames(value_reader& in);
std::optional<lifecycle> read_lifecycle(value_reader& in);
forms_override read_forms(value_reader& in);
mneme::provenance read_provenance(value_reader& in);
/// Both may stand at the top or in the provenance, which keeps them.
void read_trust(value_reader& in, mneme::provenance& into);

json frames_json(const std::vector<intent_frame>& frames);
json lifecycle_json(const std::optional<lifecycle>& l);
json provenance_json(const mneme::provenance& p);
/// Adds what there is to say of how far something can be relied on: `trust` where it is below 1 or
/// told, `source_class`, and `stale` and `lineage_truncated` where they are true.
void put_standing(json& into, const memory_standing& standing, bool is_told,
                  const std::optional<source_class>& of);
/// Adds `ended` and `superseded` where they are true.
void put_past(json& into, const past_marks& past);
/// null where there is none.
json time_json(const std::optional<timestamp>& t);

} // namespace mneme::protocol

#pragma once
/// A receipt of a read: what was asked, as of which state, and what came, under one hash, so that
/// anybody who has the world's journal can ask again and see the same. It is for the host's records
/// and for disputes: it proves no presence (prove does), and holds ids and scores alone, no texts.
///
///   {version, op, request, seq, root, world_id, exact, ranking, results: [{id, score?}…], hash}
///
/// `request` is as it was asked, with `now`, the audience and the weights of a search filled in. A
/// read with a receipt is of a seq that it names, and so asks no graph of vectors, which another
/// open of the world may build otherwise: `exact` says so. `ranking` is mneme::ranking_version.
/// `hash` is the SHA-256, in hex, of the compact JSON of all the rest with the keys of each object
/// in bytewise order.

#include <span>

#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

struct op_spec;

/// The key `receipt` of an op that gives one.
inline constexpr key_shape receipt_key{"receipt", &shapes::boolean};
bool asks_for_receipt(const json& request);
/// Of an item of a list: unsupported where it asks for one, since receipts are of reads alone.
result<void> check_no_receipt(const json& item, const json_path& at);
/// Runs a read that asks for a receipt, at the newest seq unless it names one. Precondition: the
/// shape was checked. unsupported with what writes (late_binding, touch).
result<json> run_with_receipt(session& s, const op_spec& op, const json& request);

std::span<const key_shape> replay_receipt_keys() noexcept;
/// Asks again what a receipt says was asked, and answers whether it is equal, else where it
/// differs: {equal, differences: [text…], seq, receipt: the new one}. bad_value where the receipt
/// is not one, or not as it was hashed; seq_unavailable where its state is no longer kept.
result<json> run_replay_receipt(session& s, const json& request);

} // namespace mneme::protocol

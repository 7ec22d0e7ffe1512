#pragma once
/// Roots and absence proofs of our own rules. Printed by tests/journal/model.py.

#include <array>
#include <string_view>

namespace mneme::vectors {

/// Root of the memories tree with the first n of the keys 00…00, 01…01, … (16 bytes);
/// value hash of key i = SHA-256("value" ‖ u8 i).
inline constexpr std::array<std::string_view, 17> memories_roots = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "8e533f2e91b4c6a8794e5693907aaaedcc66c4ede590ea5c5741a55b5b77d69a",
    "dd9623fa4c8087885ced26b98cb20d5542afe54b834f75599ea725b5ea39bfe3",
    "cc3acc47960334f2c200ecd8ea66cf03495ce5f6fd45c6ecca3e73300692584f",
    "118846f2864ed2fc71d9c660fc27190ff41313ab30310b8b485daab19c96b326",
    "60db17b40a512b5c305d106e0f637e0164f3aff9a921b9644b7059cf0b44b788",
    "13d7980d814eda3576966618bde938130c7f7a119101fd154fc73cce6a39d468",
    "878c1bd85e112cb4d62134c0e1bf1303fa81c1225e273fd544e17f2a2d525f1c",
    "a4c27653339f556a1d26b3800120e783b8b7bd729ad65ae11340a6bb801e929a",
    "7ed980f74097b0393d26456bd330e3f222feb8bfcb07d0f66486b2abcab945bb",
    "e613de89704d69466d310f12daf602317cc06aed0f68f31b97e60cedb8032e3a",
    "75f04ae519fb41867e065fe9141ed204975fb099527d5d81b04c339e138cf9cf",
    "749dd0ddb26724283f7fb16706916ca74531ed6ac6f4bb2e5439206af86a78b9",
    "c829641225f2736552bcea23b7d2cb8187653c036cb78ec294f1646cfadfc915",
    "cafc53397cbbcd4867a7b1e6864623e415e54f70fd7b7d435adf55027610d28a",
    "d34bab28f7235c67cd32f9a887e56dc153bfdaad612f19e7c342471ce445e149",
    "649dcd3992c87d2d7ae2b90b3bd008e54503c1ec72b776442ba10240927ad0cc",
};

/// Log over the leaves "header 0" to "header 15".
inline constexpr std::string_view journal_root_16 =
    "c01c5bc7c285bc5e2fcc4fc5c716aa3f10328b87d60f072b0f01cd57add4207a";

/// World 000102…0f, seq 16, that journal root, and as roots of edges, fields and
/// memories those of 0, 1 and 16 keys.
inline constexpr std::string_view overall_root_16 =
    "2ee365026da38b4a6b8c3da16b35a44913af6a07968e6ba3970e82a4dcdffd69";

/// A key (16 times this byte) absent from the tree of 16 keys: its path ends in
/// an empty subtree.
inline constexpr unsigned char absent_empty_key = 0x11;
inline constexpr std::array<std::string_view, 4> absent_empty_siblings = {
    "e588e5bb02d2a4920ed449af4b14ec9f104729639a24ae316d6a609eaa5470e0",
    "eb4be344423cb669c30f293def1f7066d3b12e6bfe4507b1fa714ad2c5079511",
    "1265c1598ec5f04f502c7fec401b866e6207ba80e9529a10be0a552fe7812906",
    "ce04a5b9596efe901dfd503cbb27664377cd08d33afed38999e6ce4ba6d8068e",
};

/// A key (16 times this byte) absent from the tree of 16 keys: its path ends in
/// another leaf.
inline constexpr unsigned char absent_other_key = 0x10;
inline constexpr std::array<std::string_view, 5> absent_other_siblings = {
    "3442996eb085015a13a18754c11a984840b936b38460e23a4894bc9c5340dc73",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "ddb8d0ad22005a6c34473a54bc190ad845d42f533792c985b9ca108fdb8d5807",
    "0a29aab10139a6de0fc91fb49f27706ff56c40fb09577bc877d8f361bce27caa",
    "a6140e8dd71cf6d16fd9bc9ab5d430e363407289f37a207a74d3de226f6d7d03",
};
inline constexpr std::string_view absent_other_leaf_path =
    "35375dd513b53ffaac01f34c901ca02189df2533831b1203edf69012c5bac1da";
inline constexpr std::string_view absent_other_leaf_value =
    "caf3fa9010de9b2dd3c2a32d43648db443bf3073edfd099fad176bd6ce74e076";

} // namespace mneme::vectors

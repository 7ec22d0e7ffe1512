#!/usr/bin/env python3
"""An independent model of the roots and of absence proofs, written from the published rules alone.

Prints tests/vectors/mneme_roots.hpp; with a file name it checks that the file holds just that.
"""
import hashlib
import sys

KEYS = [bytes([i]) * 16 for i in range(16)]
WORLD = bytes(range(16))


def h(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def path_of(key):
    return h(b"\x03memories\x00", key)


def bit(path, depth):
    return int.from_bytes(path, "big") >> (255 - depth) & 1


def tree(leaves, depth=0):
    """Root over {path: value hash}."""
    if not leaves:
        return bytes(32)
    if len(leaves) == 1:
        return h(b"\x00", *list(leaves.items())[0])
    return h(b"\x01", *(tree({p: v for p, v in leaves.items() if bit(p, depth) == side}, depth + 1)
                        for side in (0, 1)))


def absence(leaves, path):
    """(siblings, leaf upward; the other leaf or None)"""
    siblings, depth = [], 0
    while len(leaves) > 1:
        beside = {p: v for p, v in leaves.items() if bit(p, depth) != bit(path, depth)}
        siblings.insert(0, tree(beside, depth + 1))
        leaves = {p: v for p, v in leaves.items() if p not in beside}
        depth += 1
    return siblings, next(iter(leaves.items()), None)


def log(leaves):
    """RFC 6962 root."""
    if len(leaves) < 2:
        return h(b"\x00", leaves[0]) if leaves else h()
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return h(b"\x01", log(leaves[:k]), log(leaves[k:]))


def text():
    leaves = {path_of(key): h(b"value", bytes([i])) for i, key in enumerate(KEYS)}
    roots = [tree(dict(list(leaves.items())[:n])) for n in range(len(KEYS) + 1)]
    journal = log([b"header %d" % i for i in range(len(KEYS))])
    overall = h(b"\x02mneme/1", WORLD, (16).to_bytes(8, "big"), journal, b"\x00\x03",
                b"\x05edges", roots[0], b"\x06fields", roots[1], b"\x08memories", roots[16])
    proofs = {}  # the first absent key of each kind
    for i in range(16, 256):
        siblings, other = absence(leaves, path_of(bytes([i]) * 16))
        proofs.setdefault("empty" if other is None else "other", (i, siblings, other))
    lines = ["#pragma once",
             "/// Roots and absence proofs of our own rules. Printed by tests/journal/model.py.",
             "",
             "#include <array>", "#include <string_view>", "", "namespace mneme::vectors {", "",
             "/// Root of the memories tree with the first n of the keys 00…00, 01…01, … "
             "(16 bytes);",
             "/// value hash of key i = SHA-256(\"value\" ‖ u8 i).",
             "inline constexpr std::array<std::string_view, 17> memories_roots = {"]
    lines += ['    "%s",' % root.hex() for root in roots]
    lines += ["};", "",
              "/// Log over the leaves \"header 0\" to \"header 15\".",
              'inline constexpr std::string_view journal_root_16 =',
              '    "%s";' % journal.hex(), "",
              "/// World 000102…0f, seq 16, that journal root, and as roots of edges, fields and",
              "/// memories those of 0, 1 and 16 keys.",
              'inline constexpr std::string_view overall_root_16 =',
              '    "%s";' % overall.hex(), ""]
    for kind, (i, siblings, other) in sorted(proofs.items()):
        lines += ["/// A key (16 times this byte) absent from the tree of 16 keys: its path "
                  "ends in",
                  "/// %s." % ("an empty subtree" if other is None else "another leaf"),
                  "inline constexpr unsigned char absent_%s_key = 0x%02x;" % (kind, i),
                  "inline constexpr std::array<std::string_view, %d> absent_%s_siblings = {"
                  % (len(siblings), kind)]
        lines += ['    "%s",' % sibling.hex() for sibling in siblings] + ["};"]
        if other is not None:
            lines += ['inline constexpr std::string_view absent_other_leaf_path =',
                      '    "%s";' % other[0].hex(),
                      'inline constexpr std::string_view absent_other_leaf_value =',
                      '    "%s";' % other[1].hex()]
        lines += [""]
    return "\n".join(lines + ["} // namespace mneme::vectors", ""])


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.stdout.write(text())
    elif open(sys.argv[1], encoding="utf-8").read() != text():
        sys.exit(sys.argv[1] + " is not what the model prints")

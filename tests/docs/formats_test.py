#!/usr/bin/env python3
"""docs/FORMATS.md says what the code does. The tables are read out of the document; with them (and
with a small MessagePack reader of our own) the samples that the code writes are taken apart, and
every member must come out under its name with the value that went in. The samples themselves are
pinned by the files in golden/, and the dumps shown in the document must be those files.

    formats_test.py SAMPLES_PROGRAM FORMATS.md GOLDEN_DIRECTORY [--rewrite]

--rewrite writes the golden files and the generated lines of the document anew.
"""

import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import unittest
import zlib

PROGRAM, DOCUMENT, GOLDEN = (pathlib.Path(a) for a in sys.argv[1:4])
REWRITE = "--rewrite" in sys.argv[4:]
del sys.argv[1:]


def dump(hex_text):
    return "".join(hex_text[i:i + 64] + "\n" for i in range(0, len(hex_text), 64))


# -- a MessagePack reader that refuses what is not canonical --------------------------------------

class Kind(tuple):
    """(kind, value) of one item."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), "the bytes end early"
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form, least):
        value, = struct.unpack(form, self.take(struct.calcsize(form)))
        assert least(value), "not the shortest form"
        return value

    def length(self, tag, eight, sixteen, thirty_two, bound):
        if tag == eight:
            return self.number(">B", lambda n: n >= bound)
        if tag == sixteen:
            return self.number(">H", lambda n: n >= max(bound, 256 if eight else bound))
        assert tag == thirty_two
        return self.number(">I", lambda n: n >= 65536)

    def item(self):
        tag = self.take(1)[0]
        if tag < 0x80:
            return Kind(("int", tag))
        if tag >= 0xE0:
            return Kind(("int", tag - 256))
        if tag < 0x90 or tag in (0xDE, 0xDF):
            size = tag & 15 if tag < 0x90 else self.length(tag, None, 0xDE, 0xDF, 16)
            pairs = [(self.item()[1], self.item()) for _ in range(size)]
            keys = [k for k, _ in pairs]
            assert keys == sorted(set(keys)), "keys that do not ascend"
            return Kind(("map", dict(pairs)))
        if tag < 0xA0 or tag in (0xDC, 0xDD):
            size = tag & 15 if tag < 0xA0 else self.length(tag, None, 0xDC, 0xDD, 16)
            return Kind(("array", [self.item() for _ in range(size)]))
        if tag < 0xC0 or tag in (0xD9, 0xDA, 0xDB):
            size = tag & 31 if tag < 0xC0 else self.length(tag, 0xD9, 0xDA, 0xDB, 32)
            return Kind(("text", self.take(size).decode("utf-8")))
        if tag == 0xC0:
            return Kind(("nil", None))
        if tag in (0xC4, 0xC5, 0xC6):
            return Kind(("bin", self.take(self.length(tag, 0xC4, 0xC5, 0xC6, 0))))
        if tag in (0xC2, 0xC3):
            return Kind(("bool", tag == 0xC3))
        if tag == 0xCA:
            return Kind(("f32", struct.unpack(">f", self.take(4))[0]))
        if tag == 0xCB:
            return Kind(("f64", struct.unpack(">d", self.take(8))[0]))
        shapes = {0xCC: (">B", 128), 0xCD: (">H", 256), 0xCE: (">I", 1 << 16), 0xCF: (">Q", 1 << 32)}
        if tag in shapes:
            form, least = shapes[tag]
            return Kind(("int", self.number(form, lambda n: n >= least)))
        shapes = {0xD0: (">b", -32), 0xD1: (">h", -128), 0xD2: (">i", -(1 << 15)),
                  0xD3: (">q", -(1 << 31))}
        form, below = shapes[tag]
        return Kind(("int", self.number(form, lambda n: n < below)))


def whole(data):
    reader = Reader(data)
    item = reader.item()
    assert reader.at == len(data), "bytes behind the record"
    return item


# -- the document ---------------------------------------------------------------------------------

class Document:
    """The tables of FORMATS.md: layouts by name, enums, data fields, offsets."""

    def __init__(self, text):
        self.text = text
        self.enums, self.layouts, self.offsets, self.data, self.tables = {}, {}, {}, {}, {}
        section = None
        for line in text.splitlines():
            if line.startswith("#"):
                section = line.lstrip("# ")
            enum = re.match(r"- \*\*(\w+)\*\* (.*)", line)
            if enum:
                self.enums[enum.group(1)] = dict(re.findall(r"(\d+) (\w+)", enum.group(2)))
            if not line.startswith("|"):
                continue
            cells = [c.strip() for c in line.strip("|").split("|")]
            if section == "Data fields" and re.fullmatch(r"[A-Z]\w+", cells[0]):
                self.data[cells[0]] = cells[1].split(" · ")
            elif len(cells) == 4 and cells[0].isdigit():
                self.offsets.setdefault(section, []).append(
                    (int(cells[0]), int(cells[1]), cells[2], cells[3]))
            elif len(cells) == 3 and cells[1] in ("map", "array"):
                keyed = r"(\d+) (\w+) (.*)" if cells[1] == "map" else r"()(\w+) (.*)"
                self.layouts[cells[0]] = [re.fullmatch(keyed, m).groups()
                                          for m in cells[2].split(" · ")]
            elif len(cells) == 3:
                self.tables[cells[0]] = cells[1]

    def keyed(self, name):
        return {int(key): (member, kind) for key, member, kind in self.layouts[name]}

    def read(self, kind, item, type_name=None):
        """The value of an item that the document says is of `kind`."""
        kind = kind.split("?")[0].strip()
        found, value = item
        if kind.startswith("list of "):
            assert found == "array", found
            return [self.read(kind.removeprefix("list of "), i) for i in value]
        if kind.startswith("map "):
            assert found == "map", found
            return self.read_map(kind.removeprefix("map "), value)
        if kind.startswith("array "):
            assert found == "array", found
            return self.read_array(kind.removeprefix("array "), value)
        if kind.startswith("enum "):
            assert found == "int", found
            return self.enums[kind.removeprefix("enum ")][str(value)]
        if kind == "pairs":
            names = [i[1][0][1] for i in value]
            assert names == sorted(names), "names that do not ascend"
            return {i[1][0][1]: self.plain(i[1][1]) for i in value}
        if kind == "json":
            return self.json(item)
        if kind == "data":
            fields = self.data[type_name]
            return {fields[number - 1].split()[0]: self.read(fields[number - 1].split()[1], i)
                    for number, i in value.items()}
        if kind == "texts":
            return self.read("list of text", item)
        if kind.startswith("bin"):
            assert found == "bin", found
            assert kind == "bin" or len(value) == int(kind[3:]), len(value)
            return value.hex()
        assert found == {"uint": "int", "time": "int"}.get(kind, kind), f"{kind} is {found}"
        assert kind != "uint" or value >= 0
        return value

    def plain(self, item):
        return [self.plain(i) for i in item[1]] if item[0] == "array" else item[1]

    def json(self, item):
        found, value = item
        if found == "array":
            return [self.json(i) for i in value]
        if found == "map":
            assert all(isinstance(name, str) for name in value)
            return {name: self.json(i) for name, i in value.items()}
        assert found in ("nil", "bool", "int", "f64", "text"), found
        return value

    def read_map(self, name, items):
        layout = self.keyed(name)
        required = {key for key, (_, kind) in layout.items() if "?" not in kind}
        assert required <= set(items) <= set(layout), f"{name}: keys {sorted(items)}"
        values = {}
        for key, item in items.items():
            member, kind = layout[key]
            values[member] = self.read(kind, item, values.get("type"))
        if "schema" in values:
            assert values.pop("schema") == 1
        return values

    def read_array(self, name, items):
        layout = self.layouts[name]
        assert len(items) == len(layout), f"{name} has {len(items)} items"
        return {member: self.read(kind, item)
                for (_, member, kind), item in zip(layout, items)}

    def read_fixed(self, name, data):
        values, end = {}, 0
        for offset, size, member, kind in self.offsets[name]:
            assert offset == end, f"{name}: a gap before {member}"
            end = offset + size
            part = data[offset:end]
            if kind == "zero":
                assert part == bytes(size)
            elif kind == "text":
                values[member] = part.decode()
            elif kind == "bin":
                values[member] = part.hex()
            elif kind == "crc of the bytes before":
                assert part == struct.pack("<I", zlib.crc32(data[:offset])), f"{name}: {member}"
            elif kind == "crc of the header block":
                block = data[end + 4:end + 4 + values["header_bytes"]]
                assert part == struct.pack("<I", zlib.crc32(block)), f"{name}: {member}"
            else:
                assert kind == f"u{8 * size}le", kind
                values[member] = int.from_bytes(part, "little")
        return values, end


def generated(text, facts):
    """The document with the lines that only list names and numbers written from the code."""
    for name, numbers in facts["enums"].items():
        line = f"- **{name}** " + " · ".join(f"{n} {word}" for n, word in
                                            sorted(numbers.items(), key=lambda kv: int(kv[0])))
        text = re.sub(rf"^- \*\*{name}\*\* .*(\n  .*)*", line, text, flags=re.M)
    rows = "".join(f"| {name} | {' · '.join(fields)} |\n" for name, fields in
                   sorted(facts["data"].items(), key=lambda kv: next(
                       int(n) for n, word in facts["enums"]["memory_type"].items()
                       if word == kv[0])))
    text = re.sub(r"(?<=\| fields in the order of their numbers \|\n\|---\|---\|\n)(\|.*\n)+", rows,
                  text)
    for name in re.findall(r"```hex (\w+)\n", text):
        text = re.sub(rf"```hex {name}\n[0-9a-f\n]*```", f"```hex {name}\n{dump(facts['bytes'][name])}```",
                      text)
    return text


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        printed = subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout
        cls.facts = json.loads(printed)
        if REWRITE:
            DOCUMENT.write_text(generated(DOCUMENT.read_text(), cls.facts))
            for old in GOLDEN.glob("*.hex"):
                old.unlink()
            for name, hex_text in cls.facts["bytes"].items():
                (GOLDEN / f"{name}.hex").write_text(dump(hex_text))
        cls.golden = {p.stem: bytes.fromhex(p.read_text()) for p in GOLDEN.glob("*.hex")}
        cls.document = Document(DOCUMENT.read_text())

    def test_the_code_writes_the_golden_bytes(self):
        self.assertEqual({n: b.hex() for n, b in self.golden.items()}, self.facts["bytes"])

    def test_numbers_of_the_enums(self):
        self.assertEqual(self.document.enums, self.facts["enums"])

    def test_data_fields(self):
        self.assertEqual(self.document.data, self.facts["data"])

    def test_records(self):
        for name in ["head", "keyed_head", "version", "laden_version", "edge", "manifest", "write_payload", "update_payload",
                     "head_payload", "affirming_payload", "edge_payload", "embed_payload", "embed_payload_with_text",
                     "find_late_payload", "snapshot_payload",
                     "field_head", "topic_field", "field_revision", "topic_event", "field_payload",
                     "topic_archive_payload", "topic_merge_payload", "topic_salience_payload",
                     "reinforce_payload", "search_weights_payload", "erase_payload", "trim_payload",
                     "trim_payload_of_versions", "erase_payload_of_edge"]:
            with self.subTest(record=name):
                record = name.removesuffix("_with_text").removesuffix("_of_edge").removesuffix("_of_versions")
                record = record.removeprefix("keyed_").removeprefix("laden_")
                values = self.document.read("map " + record, whole(self.golden[name]))
                self.assertEqual(values, self.facts["values"][name])
                # Every member of the table stands in the sample, but for what came later.
                documented = {m for _, m, _ in self.document.layouts[record]} - {"schema"}
                absent = {"embed_payload": {"text"}, "topic_field": {"erased"},
                          "erase_payload": {"edge", "topic"},
                          "erase_payload_of_edge": {"head", "topic"},
                          "trim_payload": {"versions", "last_drawn"},
                          "trim_payload_of_versions": {"used", "coloured", "reason"},
                          "head": {"key"}, "version": {"payload"}}
                documented -= absent.get(name, set())
                self.assertEqual(set(values), documented)

    def test_provenance_that_tells_its_trust(self):
        values = self.document.read("map version", whole(self.golden["told_version"]))
        self.assertEqual(values, self.facts["values"]["told_version"])
        documented = {m for _, m, _ in self.document.layouts["provenance"]}
        self.assertEqual(set(values["provenance"]), documented)

    def test_header(self):
        values = self.document.read("array header", whole(self.golden["header"]))
        self.assertEqual(values, self.facts["values"]["header"])

    def test_version_hash(self):
        data = self.golden["version"]
        self.assertEqual(hashlib.sha256(data[:-32] + bytes(32)).digest(), data[-32:])
        data = self.golden["laden_version"]
        item = b"\x10\xa8{\"a\": 1}"  # key 16, a text of 8 bytes
        self.assertTrue(data.endswith(item))
        end = len(data) - len(item)
        self.assertEqual(hashlib.sha256(data[:end - 32] + bytes(32) + item).digest(), data[end - 32:end])

    def test_trimmed_frame(self):
        data, whole_frame = self.golden["trimmed_frame"], self.golden["frame"]
        end = 112
        values, _ = self.document.read_fixed("frame", data[:end] + data[end + 20:])
        self.assertEqual(values["format"], 2)
        expected = self.facts["values"]["trimmed_frame"]
        stored, by, crc = struct.unpack_from("<QQI", data, end)
        self.assertEqual((stored, by), (expected["stored_bytes"], expected["trimmed_by"]))
        self.assertEqual(crc, zlib.crc32(data[end:end + 16]))
        block = data[end + 20:end + 20 + values["header_bytes"]]
        rest = data[end + 20 + len(block):]
        self.assertEqual(len(rest), stored)
        self.assertEqual(struct.unpack_from("<BII", rest, stored - 9), (2, expected["was"], 0))
        # As it was written: with format 1, and the CRC of that.
        prefix = data[:4] + struct.pack("<H", 1) + data[6:end - 4]
        prefix += struct.pack("<I", zlib.crc32(prefix))
        self.assertEqual(prefix + block, whole_frame[:end + len(block)])

    def test_segment_head(self):
        values, end = self.document.read_fixed("segment_head", self.golden["segment_head"])
        self.assertEqual(end, len(self.golden["segment_head"]))
        self.assertEqual(values, self.facts["values"]["segment_head"])

    def test_frames(self):
        for name in ["frame", "seal"]:
            with self.subTest(frame=name):
                data, expected = self.golden[name], dict(self.facts["values"][name])
                values, end = self.document.read_fixed("frame", data)
                block = data[end:end + values["header_bytes"]]
                headers, at = [], 0
                while at < len(block):
                    size, = struct.unpack_from("<I", block, at)
                    headers.append(block[at + 4:at + 4 + size].hex())
                    at += 4 + size
                rest = data[end + len(block):]
                self.assertEqual(len(rest), values["payload_bytes"])
                payloads, at = [], 0
                while at < len(rest):
                    state, size, crc = struct.unpack_from("<BII", rest, at)
                    payload = rest[at + 9:at + 9 + size]
                    self.assertEqual((state, crc), (0, zlib.crc32(payload)))
                    payloads.append(payload.hex())
                    at += 9 + size
                values |= {"headers": headers, "payloads": payloads,
                           "frame_hash": hashlib.sha256(data[:end] + block).hexdigest()}
                self.assertEqual(values, expected)
                for header, payload in zip(headers, payloads):
                    header = self.document.read("array header", whole(bytes.fromhex(header)))
                    self.assertEqual(header["payload_hash"],
                                     hashlib.sha256(bytes.fromhex(payload)).hexdigest())

    def test_roots(self):
        def h(*parts):
            return hashlib.sha256(b"".join(parts)).digest()
        g = self.golden
        edge = self.facts["values"]["edge"]
        self.assertEqual(g["edge_key"], bytes.fromhex(edge["src"]) + b"\x03" + bytes.fromhex(edge["dst"]))
        self.assertEqual(g["edge_path"], h(b"\x03", b"edges", b"\x00", g["edge_key"]))
        value = bytes(range(1, 33))
        self.assertEqual(g["tree_leaf"], h(b"\x00", g["edge_path"], value))
        self.assertEqual(g["tree_empty"], bytes(32))
        leaves = [tuple(map(bytes.fromhex, leaf)) for leaf in
                  self.facts["values"]["tree_two_leaves"]["leaves"]]
        # They share the first bit and differ in the second.
        first, second = sorted(leaves)
        node = h(b"\x01", h(b"\x00", *first), h(b"\x00", *second))
        sides = [bytes(32), node] if first[0][0] & 0x80 else [node, bytes(32)]
        self.assertEqual(g["tree_two_leaves"], h(b"\x01", *sides))
        self.assertEqual(g["log_empty"], h())
        self.assertEqual(g["log_leaf"], h(b"\x00", g["header"]))
        self.assertEqual(g["log_node"], h(b"\x01", bytes(range(1, 33)), bytes(range(0x21, 0x41))))

        def overall(seq, journal, states):
            named = b"".join(bytes([len(n)]) + n + s for n, s in
                             zip([b"edges", b"fields", b"memories"], states))
            return h(b"\x02", b"mneme/1", bytes(range(0xC0, 0xD0)), struct.pack(">Q", seq), journal,
                     struct.pack(">H", 3), named)
        self.assertEqual(g["overall_root_empty"], overall(0, h(), [bytes(32)] * 3))
        manifest = self.facts["values"]["manifest"]
        self.assertEqual(g["overall_root"],
                         overall(9, bytes.fromhex(manifest["journal_root"]),
                                 [bytes.fromhex(s) for s in manifest["state_roots"].values()]))

    def test_files(self):
        for name, magic, shape in [("world_file", b"MNEMEWLD", "map "),
                                   ("checkpoint_file", b"MNEMECKP", "array "),
                                   ("checkpoint_file_matched", b"MNEMECKP", "array "),
                                   ("checkpoint_file_summed", b"MNEMECKP", "array ")]:
            with self.subTest(file=name):
                data = self.golden[name]
                self.assertEqual(data[:8], magic)
                self.assertEqual(data[-32:], hashlib.sha256(data[:-32]).digest())
                values = self.document.read(shape + name, whole(data[8:-32]))
                self.assertEqual(values, self.facts["values"][name])
        seeded = hashlib.sha256(b"mneme world\0demo" + struct.pack(">Q", 1)).digest()
        self.assertEqual(self.golden["world_id_of_seed_1"], seeded[:16])

    def test_table_keys(self):
        parts = {"id": bytes(range(1, 17)), "src": bytes(range(1, 17)), "type": b"\x03",
                 "dst": bytes(range(0x21, 0x31)), "u64be ~seq": struct.pack(">Q", 2**64 - 1 - 9),
                 "u64be seq": struct.pack(">Q", 9), "u32be version": struct.pack(">I", 2),
                 "topic": bytes(range(1, 17)), "0": b"\0", "1": b"\1", "2": b"\2", "3": b"\3",
                 "name": b"depth", "u32be number": struct.pack(">I", 2),
                 "u32be index": struct.pack(">I", 1),
                 "sized actor": b"\0\x03ana", "sized intent_id": b"\0\x04trip",
                 "sized step_id": b"\0\x011"}
        named = ("heads", "versions", "edges", "manifests", "weights", "compacts")
        documented = {n: b"".join(parts[p] for p in key.split(" ‖ "))
                      for n, key in self.document.tables.items()
                      if n in named or n.startswith("fields (")}
        written = {re.sub(r"^fields_(\w+)", r"fields (\1)", n.removeprefix("key_")): b
                   for n, b in self.golden.items() if n.startswith("key_")}
        self.assertEqual(documented, written)

    def test_dumps_in_the_document(self):
        shown = re.findall(r"```hex (\w+)\n([0-9a-f\n]*)```", self.document.text)
        self.assertGreaterEqual(len(shown), 2)
        for name, text in shown:
            with self.subTest(dump=name):
                self.assertEqual(text, (GOLDEN / f"{name}.hex").read_text())


if __name__ == "__main__":
    unittest.main()

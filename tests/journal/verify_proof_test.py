"""The auditor's script against bundles that the ledger made.

usage: verify_proof_test.py VERIFY_PROOF_PY WRITE_PROOF_BUNDLES

Honest bundles are accepted. A bundle in which any one byte was changed, or a sibling, a digit, a
key or an item was added or removed, is refused, unless the change was white space that means
nothing.
"""
import base64
import copy
import importlib.util
import json
import random
import subprocess
import sys
import tempfile
import unittest

SCRIPT, WRITER = sys.argv[1:3]
spec = importlib.util.spec_from_file_location("verify_proof", SCRIPT)
verify_proof = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify_proof)

BUNDLES = subprocess.run([WRITER], check=True, capture_output=True).stdout.splitlines()
EMPTY, SMALL, PAST, LARGE = BUNDLES


def accepts(data):
    try:
        verify_proof.verify(data)
        return True
    except (verify_proof.Refused, verify_proof.Unusable):
        return False


def same_meaning(one, other):
    try:
        return json.loads(one) == json.loads(other)
    except ValueError:
        return False


def run(*arguments, stdin=b""):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], input=stdin, capture_output=True,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Honest(unittest.TestCase):
    def test_every_bundle_is_accepted_line_by_line(self):
        for data in BUNDLES:
            bundle = json.loads(data)
            lines = verify_proof.verify(data)
            self.assertEqual(len(lines), 1 + len(bundle["proofs"]))
            self.assertTrue(all(line.startswith("ok ") for line in lines))

    def test_all_kinds_are_among_the_small_ones_items(self):
        items = json.loads(SMALL)["proofs"]
        states = [item for item in items if item["namespace"] != "journal"]
        self.assertLess(len(states), len(items))
        self.assertTrue(any(item["present"] for item in states))
        absent = [item for item in states if not item["present"]]
        self.assertTrue(any("other_leaf" in item for item in absent))
        large = [item for item in json.loads(LARGE)["proofs"] if item.get("present") is False]
        self.assertTrue(any("other_leaf" not in item for item in large))

    def test_white_space_and_an_ok_that_is_true_mean_nothing(self):
        self.assertTrue(accepts(json.dumps(json.loads(SMALL), indent=4).encode()))
        self.assertTrue(accepts(SMALL.replace(b"{", b'{"ok":true,', 1)))
        self.assertFalse(accepts(SMALL.replace(b"{", b'{"ok":false,', 1)))
        self.assertFalse(accepts(SMALL.replace(b"{", b'{"ok":1,', 1)))


class Changed(unittest.TestCase):
    def refused(self, data, original, what):
        if accepts(data) and not same_meaning(data, original):
            self.fail("accepted: " + what)

    def test_one_byte_changed_at_every_position(self):
        for original in (EMPTY, SMALL):
            for position, byte in enumerate(original):
                near = {byte ^ 1, byte ^ 0x20, ord("0"), ord("f"), ord("A"), ord("="), ord(" ")}
                for other in sorted(near - {byte}):
                    data = original[:position] + bytes([other]) + original[position + 1:]
                    self.refused(data, original, "byte %d as %d" % (position, other))

    def test_every_byte_at_some_positions(self):
        dice = random.Random(1)
        for position in dice.sample(range(len(SMALL)), 60):
            for other in set(range(256)) - {SMALL[position]}:
                data = SMALL[:position] + bytes([other]) + SMALL[position + 1:]
                self.refused(data, SMALL, "byte %d as %d" % (position, other))

    def test_a_byte_dropped_doubled_or_added_at_every_position(self):
        for position in range(len(SMALL) + 1):
            before, after = SMALL[:position], SMALL[position:]
            self.refused(before + after[1:] if after else before[1:], SMALL, "dropped")
            for more in (after[:1] or b"}", b"0", b",", b"\x00"):
                self.refused(before + more + after, SMALL, "added at %d" % position)

    def test_cut_anywhere(self):
        for end in range(len(SMALL)):
            self.assertFalse(accepts(SMALL[:end]), end)

    def test_siblings_removed_added_doubled_and_swapped(self):
        for original in (SMALL, PAST):
            bundle = json.loads(original)
            for number, item in enumerate(bundle["proofs"]):
                siblings = item["siblings"]
                variants = [siblings[:i] + siblings[i + 1:] for i in range(len(siblings))]
                variants += [siblings[:i] + [more] + siblings[i:] for i in range(len(siblings) + 1)
                             for more in ("00" * 32, "ab" * 32, bundle["root"])]
                variants += [siblings[:i] + siblings[i:i + 1] + siblings[i:]
                             for i in range(len(siblings))]
                variants += [list(reversed(siblings)), [], ["00" * 32] * 257]
                for variant in variants:
                    if variant != siblings:
                        self.changed_item(bundle, number, "siblings", variant)

    def changed_item(self, bundle, number, key, value):
        changed = copy.deepcopy(bundle)
        changed["proofs"][number][key] = value
        self.assertFalse(accepts(json.dumps(changed).encode()), (number, key))

    def test_lengths_changed(self):
        bundle = json.loads(SMALL)
        for number, item in enumerate(bundle["proofs"]):
            for key in ("key", "path", "value_hash", "header"):
                if key in item:
                    for value in (item[key] + "00", item[key][2:], item[key][:-1], "", None, []):
                        self.changed_item(bundle, number, key, value)
            if "other_leaf" in item:
                self.changed_item(bundle, number, "other_leaf", None)
                self.changed_item(bundle, number, "other_leaf",
                                  dict(item["other_leaf"], path="00" * 31))
        for key in ("root", "world_id", "journal_root"):
            for value in (bundle[key] + "00", bundle[key][2:], bundle[key].upper() + "AB"):
                self.assertFalse(accepts(json.dumps(dict(bundle, **{key: value})).encode()))

    def test_keys_unknown_missing_or_twice(self):
        bundle = json.loads(SMALL)
        for key in bundle:
            self.assertFalse(accepts(json.dumps({k: v for k, v in bundle.items() if k != key})
                                     .encode()))
        self.assertFalse(accepts(json.dumps(dict(bundle, note="x")).encode()))
        self.assertFalse(accepts(SMALL[:-1] + b',"seq":300}'))
        self.assertFalse(accepts(SMALL.replace(b'"present":true', b'"present":true,"present":true',
                                               1)))
        for number, item in enumerate(bundle["proofs"]):
            self.changed_item(bundle, number, "note", 1)
            for key in item:
                changed = copy.deepcopy(bundle)
                del changed["proofs"][number][key]
                self.assertFalse(accepts(json.dumps(changed).encode()), (number, key))

    def test_presence_and_absence_are_not_exchanged(self):
        bundle = json.loads(SMALL)
        for number, item in enumerate(bundle["proofs"]):
            if item["namespace"] == "journal":
                continue
            changed = copy.deepcopy(bundle)
            one = changed["proofs"][number]
            one["present"] = not one["present"]
            self.assertFalse(accepts(json.dumps(changed).encode()))
            value = one.pop("value_hash", "ab" * 32)
            if one["present"]:
                one["value_hash"] = value
                one.pop("other_leaf", None)
            self.assertFalse(accepts(json.dumps(changed).encode()))
            one["other_leaf"] = {"path": one["path"], "value_hash": value}
            self.assertFalse(accepts(json.dumps(changed).encode()))

    def test_items_are_bound_to_their_own_root(self):
        small, past = json.loads(SMALL), json.loads(PAST)
        self.assertFalse(accepts(json.dumps(dict(small, proofs=past["proofs"])).encode()))
        self.assertFalse(accepts(json.dumps(dict(small, proofs=[])).encode()))

    def test_numbers_have_one_spelling(self):
        for other in (b"300.0", b"3e2", b"-300", b"0300", b'"300"', b"true", b"NaN", b"Infinity",
                      b"18446744073709551916", b"9" * 5000):
            self.assertFalse(accepts(SMALL.replace(b'"seq":300', b'"seq":' + other, 1)), other)

    def test_base64_has_one_spelling(self):
        bundle = json.loads(SMALL)
        for number, item in enumerate(bundle["proofs"]):
            if item["namespace"] == "journal":
                header = item["header"]
                for other in (header + "\n", " " + header, header.rstrip("=") + "====",
                              header.replace("+", "-"), base64.b64encode(
                                  base64.b64decode(header) + b"\0").decode()):
                    if other != header:
                        self.changed_item(bundle, number, "header", other)

    def test_what_is_no_bundle_at_all(self):
        for data in (b"", b"[]", b"{}", b"null", b"1", b'"x"', b"\xff\xfe", b"[" * 100_000,
                     b'{"root":' * 2000, SMALL + SMALL, SMALL + b"x"):
            self.assertFalse(accepts(data))


class Crafted(unittest.TestCase):
    """Bundles under roots made for the purpose: only the rule in question stands in the way."""

    KEY = next(bytes([i]) * 16 for i in range(256)
               if verify_proof.sha256(b"\x03memories\x00", bytes([i]) * 16)[0] < 0x80)
    PATH = verify_proof.sha256(b"\x03memories\x00", KEY)
    SIBLING = b"\x11" * 32
    VALUE = b"\x22" * 32

    @staticmethod
    def bundle(item, memories=bytes(32), seq=1, journal=bytes(32)):
        world = bytes(16)
        overall = b"\x02mneme/1" + world + seq.to_bytes(8, "big") + journal + b"\x00\x03"
        overall += b"\x05edges" + bytes(32) + b"\x06fields" + bytes(32) + b"\x08memories" + memories
        return json.dumps({
            "root": verify_proof.sha256(overall).hex(), "seq": seq, "world_id": world.hex(),
            "journal_root": journal.hex(),
            "state_roots": {"edges": "00" * 32, "fields": "00" * 32, "memories": memories.hex()},
            "proofs": [item]}).encode()

    def state(self, **more):
        return dict({"namespace": "memories", "key": self.KEY.hex(), "path": self.PATH.hex(),
                     "present": False, "siblings": []}, **more)

    def with_other(self, other):
        end = verify_proof.sha256(b"\x00", other, self.VALUE)
        root = verify_proof.sha256(b"\x01", end, self.SIBLING)
        leaf = {"path": other.hex(), "value_hash": self.VALUE.hex()}
        return self.bundle(self.state(other_leaf=leaf, siblings=[self.SIBLING.hex()]), root)

    def test_the_other_leaf_lies_on_the_way_down(self):
        self.assertTrue(accepts(self.with_other(b"\x00" * 32)))
        self.assertFalse(accepts(self.with_other(b"\x80" + bytes(31))))
        self.assertFalse(accepts(self.with_other(self.PATH)))

    def test_a_path_ends_as_high_as_it_can(self):
        leaf = verify_proof.sha256(b"\x00", self.PATH, self.VALUE)
        present = self.state(present=True, value_hash=self.VALUE.hex())
        self.assertTrue(accepts(self.bundle(present, leaf)))
        deeper = verify_proof.sha256(b"\x01", leaf, bytes(32))
        self.assertFalse(accepts(self.bundle(dict(present, siblings=["00" * 32]), deeper)))

    def test_a_deletion_is_no_member(self):
        leaf = verify_proof.sha256(b"\x00", self.PATH, bytes(32))
        item = self.state(present=True, value_hash="00" * 32)
        self.assertFalse(accepts(self.bundle(item, leaf)))

    def test_a_header_carries_its_own_seq(self):
        tail = b"\x01\x00\xa0\x90\xc4\x20" + bytes(32)
        for seq, accepted in ((b"\x01", True), (b"\x02", False), (b"\xcc\x01", False),
                              (b"\xcd\x00\x01", False), (b"\xa1", False)):
            header = b"\x97\x01" + seq + tail
            item = {"namespace": "journal", "seq": 1, "header": base64.b64encode(header).decode(),
                    "siblings": []}
            data = self.bundle(item, journal=verify_proof.sha256(b"\x00", header))
            self.assertEqual(accepts(data), accepted, header)
        wide = {100: b"\x64", 200: b"\xcc\xc8", 300: b"\xcd\x01\x2c",
                70_000: b"\xce\x00\x01\x11\x70"}
        for seq, spelled in wide.items():
            self.assertEqual(verify_proof.seq_in_header(b"\x97\x01" + spelled + tail), seq)


class Command(unittest.TestCase):
    def test_exit_codes_and_trusted_root(self):
        root = json.loads(SMALL)["root"]
        self.assertEqual(run(stdin=SMALL)[0], 0)
        code, out, err = run("--root", root, stdin=SMALL)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("ok root %s seq 300 trusted" % root, out)
        code, out, err = run("--root", json.loads(PAST)["root"], stdin=SMALL)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("refused: root is not the trusted one", err)
        self.assertEqual(run(stdin=SMALL.replace(b"true", b"false", 1))[0], 1)
        self.assertEqual(run(stdin=b"nonsense")[0], 2)
        self.assertEqual(run("/no/such/file")[0], 2)
        self.assertEqual(run("--root")[0], 2)
        self.assertEqual(run("--root", "xyz", stdin=SMALL)[0], 2)
        self.assertEqual(run("--unknown", stdin=SMALL)[0], 2)
        self.assertEqual(run("a", "b", stdin=SMALL)[0], 2)

    def test_records(self):
        items = json.loads(SMALL)["proofs"]
        number = next(i for i, item in enumerate(items[:6]) if item["present"])
        record = b"record %d" % number
        text = "base64:" + base64.b64encode(record).decode()
        code, out, _ = run("--record", text, stdin=SMALL)
        self.assertEqual(code, 0)
        self.assertIn("ok record 1 is that of: memories " + items[number]["key"], out)
        with tempfile.NamedTemporaryFile() as file:
            file.write(record)
            file.flush()
            self.assertEqual(run("--record", file.name, stdin=SMALL)[0], 0)
            file.write(b".")
            file.flush()
            code, out, err = run("--record", file.name, stdin=SMALL)
            self.assertEqual((code, out), (1, ""))
            self.assertIn("record 1", err)
        self.assertEqual(run("--record", "base64:%%", stdin=SMALL)[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""The command's verifier and the auditor's script say the same of every text.

usage: both_verifiers_test.py VERIFY_PROOF_PY WRITE_PROOF_BUNDLES PROOF_JUDGE
"""
# Of: tools/protocol/proof_json.cpp, journal/proof.cpp
import base64
import importlib.util
import json
import random
import re
import subprocess
import sys
import unittest

SCRIPT, WRITER, JUDGE = sys.argv[1:4]
spec = importlib.util.spec_from_file_location("verify_proof", SCRIPT)
verify_proof = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify_proof)

BUNDLES = subprocess.run([WRITER], check=True, capture_output=True).stdout.splitlines()
EMPTY, SMALL, PAST, LARGE = BUNDLES


def by_script(text):
    try:
        verify_proof.verify(text)
        return "ok"
    except (verify_proof.Refused, verify_proof.Unusable) as refusal:
        return str(refusal) or "refused"


def by_command(texts):
    lines = b"".join(base64.b64encode(text) + b"\n" for text in texts)
    done = subprocess.run([JUDGE], input=lines, capture_output=True, check=True)
    verdicts = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
    assert len(verdicts) == len(texts)
    return verdicts


def changed_bytes(text, rng):
    for at in range(len(text)):
        yield text[:at] + bytes([text[at] ^ (1 << rng.randrange(8))]) + text[at + 1:]
        yield text[:at] + bytes([rng.choice(b' 01a9fF"\\{}[],:.-+eEnt\t\n')]) + text[at + 1:]
        yield text[:at] + text[at + 1:]
        yield text[:at] + bytes([rng.choice(b' 0fF"\\,-.eE/=\r')]) + text[at:]


def respelled(text):
    """The same JSON values, or nearly, as other programs spell them."""
    t = text.decode()
    yield t.replace('"root"', '"\\u0072oot"', 1)
    yield t.replace('"ok"', '"\\u006fk"', 1)
    yield "\ufeff" + t
    yield t + "\n\t \r"
    yield t + "\x00"
    yield t + "{}"
    yield t.replace("{", '{"ok":true,', 1)
    for value in ("false", "null", "1", '"true"', "[]", "true,\"ok\":true"):
        yield t.replace("{", '{"ok":%s,' % value, 1)
    for spelling in ("%s.0", "%se0", "0%s", "+%s", "-%s", '"%s"', "%s0000000000000000000000",
                     "1844674407370955161%s", "922337203685477580%s", "[%s]", " %s "):
        yield re.sub(r'"seq":\s*(\d+)', lambda m: '"seq":' + spelling % m[1], t, count=1)
        yield re.sub(r'"seq":\s*(\d+)', lambda m: '"seq":' + spelling % m[1], t)
    for seq in ("0", "-0", "-1", "18446744073709551615", "18446744073709551616",
                "9223372036854775807", "9223372036854775808", "1e400", "NaN", "Infinity"):
        yield re.sub(r'"seq":\s*\d+', '"seq":' + seq, t)
        yield re.sub(r'"seq":\s*\d+', '"seq":' + seq, t, count=1)
    yield re.sub(r'"[0-9a-f]{64}"', lambda m: m[0].upper(), t)
    yield re.sub(r'"[0-9a-f]{64}"', lambda m: m[0].upper(), t, count=1)
    for key in ("root", "world_id", "journal_root", "path", "key", "value_hash", "header",
                "namespace", "present", "siblings", "proofs", "state_roots", "other_leaf"):
        found = re.search(r'"%s":("[^"]*"|true|false|\[[^]]*\]|\{[^}]*\})' % key, t)
        if not found:
            continue
        for value in ("null", "{}", "[]", '""', "0", "true", '"%s"' % ("0" * 64), '" "',
                      '"\\u0000"', '"\\ud800"', '"é"', '"\\u00e9"'):
            yield t[:found.start()] + '"%s":%s' % (key, value) + t[found.end():]
        yield t[:found.start()] + '"%s":null,' % key + t[found.start():]
        yield t[:found.start()] + found[0] + "," + t[found.start():]
        yield t[:found.start()] + '"%s":%s' % (key.upper(), found[1]) + t[found.end():]
        yield t[:found.start()] + '"other_leaf":null,' + t[found.start():]
        yield t[:found.start()] + '"value_hash":null,' + t[found.start():]
        yield t[:found.start()] + '"op":"prove",' + t[found.start():]
        yield t[:found.start()] + found[0] + ",}"[:1] + t[found.end():]
    for header in re.findall(r'"header":\s*"([^"]*)"', t)[:2]:
        for other in (header + "=", header.rstrip("="), header + "\\n", header.replace("+", "-"),
                      header[:-4], header + "AAAA", " " + header):
            yield t.replace(header, other)
    for depth in (3, 60, 63, 64, 65, 1000):
        yield t.replace("{", '{"x":' + "[" * depth + "]" * depth + ",", 1)
        yield "[" * depth + t + "]" * depth
    for text in ("", " ", "null", "[]", "{}", "0", '"x"', "{", "\x00", "nan"):
        yield text


class Both(unittest.TestCase):
    def agree(self, texts):
        for text, verdict in zip(texts, by_command(texts)):
            script = by_script(text)
            if (verdict == "ok") != (script == "ok"):
                self.fail("the command says %r, the script %r, of %r" % (verdict, script, text))

    def test_honest_bundles(self):
        self.assertEqual(by_command(BUNDLES), ["ok"] * len(BUNDLES))
        self.assertEqual([by_script(b) for b in BUNDLES], ["ok"] * len(BUNDLES))

    def test_a_bundle_that_proves_nothing(self):
        texts = []
        for bundle in BUNDLES:
            value = json.loads(bundle)
            value["proofs"] = []
            texts.append(json.dumps(value).encode())
        nothing = "there are no proofs: nothing is proven"
        self.assertEqual(by_command(texts), [nothing] * len(texts))
        self.assertEqual([by_script(t) for t in texts], [nothing] * len(texts))

    def test_the_script_helps_who_asks(self):
        for flag in ("--help", "-h"):
            done = subprocess.run([sys.executable, SCRIPT, flag], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: verify_proof.py", done.stdout)
        done = subprocess.run([sys.executable, SCRIPT, "--rot"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "unusable: unexpected argument --rot; see --help\n")

    def test_a_changed_missing_or_added_byte_at_every_position(self):
        rng = random.Random(1)
        for bundle in (EMPTY, SMALL):
            self.agree(list(changed_bytes(bundle, rng)))

    def test_other_spellings(self):
        for bundle in (EMPTY, SMALL, PAST):
            self.agree([t.encode("utf-8", "surrogatepass") for t in respelled(bundle)])

    def test_bytes_that_are_no_utf8(self):
        self.agree([SMALL.replace(b'"root"', b'"ro\xffot"'), b"\xff\xfe", SMALL + b"\xc3",
                    SMALL.replace(b'"root"', b'"\xed\xa0\x80"')])

    def test_items_swapped_dropped_and_repeated(self):
        rng = random.Random(2)
        texts = []
        for bundle in (SMALL, PAST):
            for _ in range(200):
                value = json.loads(bundle)
                proofs = value["proofs"]
                change = rng.randrange(4)
                if change == 0:
                    rng.shuffle(proofs)
                elif change == 1:
                    proofs.append(rng.choice(proofs))
                elif change == 2:
                    del proofs[rng.randrange(len(proofs))]
                else:
                    one, other = rng.choice(proofs), rng.choice(proofs)
                    key = rng.choice(sorted(set(one) & set(other)))
                    one[key] = other[key]
                texts.append(json.dumps(value).encode())
        self.agree(texts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

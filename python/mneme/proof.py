#!/usr/bin/env python3
"""Verifies the output of `mneme prove` without any code of mneme's; needs Python 3 alone.

usage: verify_proof.py [FILE] [--root HEX] [--record FILE|base64:TEXT]...

Reads one JSON object from FILE or standard input and prints one line per proven item.
  --root HEX    the overall root that you trust; without it the proofs are only shown to agree
                with the root that stands in the file itself
  --record R    raw canonical bytes of a record (a file, or base64: and the text): some proven item
                must have exactly this record; may be given several times
Exit status: 0 everything holds, 1 refused (the reason is on standard error), 2 unusable input.

What is checked, with H = SHA-256 and || = concatenation:
  overall root   H(02 || "mneme/1" || world id || u64be seq || journal root || u16be 3
                   || for edges, fields, memories: u8 length of name || name || state root)
  journal        an RFC 6962 Merkle log: leaf H(00 || header), node H(01 || left || right);
                 entry seq is leaf number seq - 1
  state trees    path H(03 || namespace || 00 || key); leaf H(00 || path || value hash);
                 node H(01 || left || right); an empty subtree is 32 zero bytes; a subtree with a
                 single leaf is that leaf. An absent key's path ends in an empty subtree, or in
                 another leaf that lies on the same way down.
"""
import base64
import binascii
import hashlib
import json
import re
import sys
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

NAMESPACES = ("edges", "fields", "memories")
EMPTY = bytes(32)
PATH_BITS = 256
SEQ_MAX = 2 ** 63 - 1


class Refused(Exception):
    """The input is understood and does not prove what it claims."""


class Unusable(Exception):
    """There is nothing to verify: no such file, or not JSON."""


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Refused(reason)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


# Reading. Every value has exactly one accepted spelling, so that no byte can change unnoticed.

def unique_keys(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    result = dict(pairs)
    require(len(result) == len(pairs), "a key stands twice in one object")
    return result


def plain_integer(text: str) -> int:
    require(len(text) <= 20, "a number is too large: " + text)
    return int(text)


def no_number(text: str) -> NoReturn:
    raise Refused("a number that is no integer: " + text)


def parse(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys,
                          parse_int=plain_integer, parse_float=no_number, parse_constant=no_number)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Unusable("not JSON: " + str(error)) from None


def object_of(value: Any, what: str, required: Sequence[str],
              optional: Sequence[str] = ()) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise Refused(what + " is not an object")
    for key in required:
        require(key in value, what + " lacks " + key)
    for key in value:
        require(key in required or key in optional, what + " has an unknown key " + repr(key))
    return value


def list_of(value: Any, what: str) -> List[Any]:
    if not isinstance(value, list):
        raise Refused(what + " is not a list")
    return value


def hex_of(value: Any, what: str, size: Optional[int] = None) -> bytes:
    require(isinstance(value, str) and re.fullmatch("([0-9a-f]{2})*", value) is not None,
            what + " is not lower-case hex")
    raw = bytes.fromhex(value)
    require(size is None or len(raw) == size, what + " is not %s bytes long" % size)
    return raw


def base64_of(value: Any, what: str) -> bytes:
    try:
        require(isinstance(value, str), what + " is not a string")
        raw = base64.b64decode(value.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise Refused(what + " is not base64") from None
    require(base64.b64encode(raw).decode() == value, what + " is not canonical base64")
    return raw


def seq_of(value: Any, what: str) -> int:
    if type(value) is not int or not 0 <= value <= SEQ_MAX:
        raise Refused(what + " is not a seq")
    return value


def hashes_of(value: Any, what: str) -> List[bytes]:
    return [hex_of(item, "%s[%d]" % (what, i), 32) for i, item in enumerate(list_of(value, what))]


# Proofs.

def bit(path: bytes, depth: int) -> int:
    return path[depth // 8] >> (7 - depth % 8) & 1


def shared_bits(a: bytes, b: bytes) -> int:
    difference = int.from_bytes(a, "big") ^ int.from_bytes(b, "big")
    return PATH_BITS - difference.bit_length()


def check_state(item: Dict[str, Any], state_roots: Dict[str, bytes]) -> Tuple[str, Optional[bytes]]:
    """A key of a state tree; returns the line to print and the value hash, None if absent."""
    present = item.get("present")
    require(present is True or present is False, "present is neither true nor false")
    common = ("namespace", "key", "path", "present", "siblings")
    object_of(item, "the proof", common + (("value_hash",) if present else ()),
              () if present else ("other_leaf",))
    namespace = item["namespace"]
    key = hex_of(item["key"], "key")
    path = hex_of(item["path"], "path", 32)
    siblings = hashes_of(item["siblings"], "siblings")
    depth = len(siblings)
    require(depth <= PATH_BITS, "there are more siblings than a path has bits")
    require(path == sha256(b"\x03", namespace.encode(), b"\x00", key), "path is not the key's")
    # A single leaf or an empty subtree stands as high as it can, so its sibling is not empty.
    require(depth == 0 or siblings[0] != EMPTY, "the path ends deeper than it can")

    value_hash, state = None, "absent"
    end = EMPTY
    if present:
        value_hash = hex_of(item["value_hash"], "value_hash", 32)
        require(value_hash != EMPTY, "value_hash is that of a deletion")
        state = "present " + value_hash.hex()
        end = sha256(b"\x00", path, value_hash)
    elif "other_leaf" in item:
        other = object_of(item["other_leaf"], "other_leaf", ("path", "value_hash"))
        other_path = hex_of(other["path"], "other_leaf.path", 32)
        other_value = hex_of(other["value_hash"], "other_leaf.value_hash", 32)
        require(other_path != path, "other_leaf is the key's own leaf")
        require(other_value != EMPTY, "other_leaf.value_hash is that of a deletion")
        require(shared_bits(other_path, path) >= depth, "other_leaf is not on the key's way down")
        end = sha256(b"\x00", other_path, other_value)
    for sibling in siblings:
        depth -= 1
        pair = (sibling, end) if bit(path, depth) else (end, sibling)
        end = sha256(b"\x01", *pair)
    require(end == state_roots[namespace], "the proof does not lead to the state root")
    return "ok %s %s %s" % (namespace, key.hex(), state), value_hash


def seq_in_header(header: bytes) -> int:
    """Entry headers are MessagePack arrays of 7 that begin with schema version 1 and the seq."""
    require(header[:2] == b"\x97\x01" and len(header) > 2, "header is not that of an entry")
    first = header[2]
    if first < 0x80:
        return first
    require(0xCC <= first <= 0xCF, "header has no seq")
    width = 1 << (first - 0xCC)
    seq = int.from_bytes(header[3:3 + width], "big")
    smallest = 0x80 if width == 1 else 1 << (4 * width)
    require(len(header) > 3 + width and seq >= smallest, "header's seq is not canonical")
    return seq


def check_entry(item: Dict[str, Any], log_size: int, journal_root: bytes) -> str:
    """A journal entry; returns the line to print."""
    object_of(item, "the proof", ("namespace", "seq", "header", "siblings"))
    seq = seq_of(item["seq"], "seq")
    require(1 <= seq <= log_size, "the root's journal has no entry %d" % seq)
    index = seq - 1
    siblings = hashes_of(item["siblings"], "siblings")
    inner = (index ^ (log_size - 1)).bit_length()
    border = bin(index >> inner).count("1")
    require(len(siblings) == inner + border, "the number of siblings does not fit seq")
    header = base64_of(item["header"], "header")
    require(seq_in_header(header) == seq, "header is of another seq")
    node = sha256(b"\x00", header)
    for level, sibling in enumerate(siblings):
        on_left = level >= inner or index >> level & 1
        node = sha256(b"\x01", *((sibling, node) if on_left else (node, sibling)))
    require(node == journal_root, "the proof does not lead to the journal root")
    return "ok journal %d %s" % (seq, sha256(header).hex())


def verify(data: bytes, trusted_root: Optional[bytes] = None, records: Sequence[bytes] = ()) -> List[str]:
    """Returns the lines to print; raises Refused or Unusable."""
    bundle = object_of(parse(data), "the input",
                       ("root", "seq", "world_id", "journal_root", "state_roots", "proofs"),
                       ("ok", "log_position"))
    require(bundle.get("ok", True) is True, "ok is not true")
    require(isinstance(bundle.get("log_position", {}), dict), "log_position is not an object")  # proves nothing
    root = hex_of(bundle["root"], "root", 32)
    seq = seq_of(bundle["seq"], "seq")
    journal_root = hex_of(bundle["journal_root"], "journal_root", 32)
    named = object_of(bundle["state_roots"], "state_roots", NAMESPACES)
    state_roots = {name: hex_of(named[name], "state_roots." + name, 32) for name in NAMESPACES}
    overall = b"\x02mneme/1" + hex_of(bundle["world_id"], "world_id", 16) + seq.to_bytes(8, "big")
    overall += journal_root + len(NAMESPACES).to_bytes(2, "big")
    for name in NAMESPACES:
        overall += bytes([len(name)]) + name.encode() + state_roots[name]
    require(sha256(overall) == root, "the parts do not hash to root")
    require(trusted_root is None or trusted_root == root, "root is not the trusted one")

    proofs = list_of(bundle["proofs"], "proofs")
    require(len(proofs) > 0, "there are no proofs: nothing is proven")
    lines = ["ok root %s seq %d%s" % (root.hex(), seq, " trusted" if trusted_root else "")]
    proven: Dict[Optional[bytes], str] = {}
    for i, item in enumerate(proofs):
        try:
            require(isinstance(item, dict), "the proof is not an object")
            if item.get("namespace") == "journal":
                line = check_entry(item, seq, journal_root)
            else:
                require(item.get("namespace") in NAMESPACES, "namespace is unknown")
                line, value_hash = check_state(item, state_roots)
                proven[value_hash] = line
            lines.append(line)
        except Refused as refusal:
            raise Refused("proofs[%d]: %s" % (i, refusal)) from None
    for i, record in enumerate(records):
        require(sha256(record) in proven, "record %d is not that of any proven item" % (i + 1))
        lines.append("ok record %d is that of: %s" % (i + 1, proven[sha256(record)][3:]))
    return lines


def verify_proof(proof: Union[Mapping[str, Any], str, bytes], root: Optional[str] = None,
                 records: Sequence[bytes] = ()) -> List[str]:
    """Checks what `World.prove` answered, or a file of it, without the engine: one line for each item that
    is proven. Refused: it does not prove what it claims. `root` is the one that is trusted, as hex; without
    it the items are only shown to be under the root that stands in the proof. Some item must have each of
    the `records` (raw canonical bytes)."""
    trusted_root = None if root is None else hex_of(root, "root", 32)
    return verify(_text_of(proof), trusted_root, records)


def _text_of(proof: Any) -> bytes:
    if isinstance(proof, Mapping):
        try:
            proof = json.dumps(dict(proof))
        except (TypeError, ValueError, RecursionError) as error:
            raise Unusable("not JSON: " + str(error)) from None
    if isinstance(proof, str):
        return proof.encode("utf-8", "surrogatepass")
    if isinstance(proof, (bytes, bytearray, memoryview)):
        return bytes(proof)
    raise Unusable("neither an answer of prove nor its text: %r" % (proof,))


# Command line.

def read(path: Optional[str]) -> bytes:
    try:
        if path is None:
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Unusable(str(error)) from None


def main(arguments: Sequence[str]) -> int:
    if "--help" in arguments or "-h" in arguments:
        print((__doc__ or "").strip())
        return 0
    try:
        path: Optional[str] = None
        trusted_root: Optional[bytes] = None
        records: List[bytes] = []
        left = list(arguments)
        while left:
            argument = left.pop(0)
            if argument in ("--root", "--record"):
                if not left:
                    raise Unusable(argument + " needs a value")
                value = left.pop(0)
                try:
                    if argument == "--root":
                        trusted_root = hex_of(value, argument, 32)
                    elif value.startswith("base64:"):
                        records.append(base64_of(value[len("base64:"):], argument))
                    else:
                        records.append(read(value))
                except Refused as malformed:
                    raise Unusable(str(malformed)) from None
            elif argument.startswith("-") or path is not None:
                raise Unusable("unexpected argument %s; see --help" % argument)
            else:
                path = argument
        print("\n".join(verify(read(path), trusted_root, records)))
        return 0
    except Refused as refusal:
        print("refused: %s" % refusal, file=sys.stderr)
        return 1
    except Unusable as reason:
        print("unusable: %s" % reason, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The Concordia bank does what Concordia's own tests ask of one. A naive bank stands in for the original."""

import copy
import gc
import json
import os
import pickle
import subprocess
import sys
import threading
import types
import weakref

import numpy
import pytest

import mneme
from mneme.adapters.concordia import AssociativeMemoryBank
from mneme.adapters.shelf import Shelf


def embed(text):
    """Of no length in particular, so that a product and a cosine order differently."""
    random = numpy.random.default_rng(int.from_bytes(text.encode("utf-8", "surrogatepass")[:8].ljust(8), "big"))
    return random.standard_normal(12) * random.uniform(0.1, 5.0)


class Naive:
    """A bank in lists."""

    def __init__(self, allow_duplicates=False):
        self.texts, self.allow_duplicates = [], allow_duplicates

    def add(self, text):
        text = text.replace("\n", " ")
        if self.allow_duplicates or text not in self.texts:
            self.texts.append(text)

    def retrieve_associative(self, query, k=1):
        products = [float(numpy.dot(embed(query), embed(text))) for text in self.texts]
        order = sorted(range(len(products)), key=lambda place: (-products[place], place))
        return [self.texts[place] for place in order[:k]]


@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_it_answers_as_a_naive_bank(duplicates, seed):
    random = numpy.random.default_rng(seed)
    bank, naive = AssociativeMemoryBank(embed, duplicates), Naive(duplicates)
    for step in range(120):
        text = f"{random.integers(60)} has\nhappened"
        bank.add(text)
        naive.add(text)
        assert len(bank) == len(naive.texts)
        if step % 10 == 0:
            for k in (1, 3, 50, 1_000_000):
                query = f"{step} and {k}"
                assert bank.retrieve_associative(query, k) == naive.retrieve_associative(query, k)
                assert bank.retrieve_recent(k) == naive.texts[-k:]
    assert bank.get_all_memories_as_text() == naive.texts
    assert bank.scan(lambda text: "7" in text) == [text for text in naive.texts if "7" in text]


def test_the_product_counts_and_not_the_cosine():
    vectors = {"short": [1.0, 0.0], "long": [9.0, 9.0], "longer": [1e6, 2e6], "nothing": [0.0, 0.0]}
    bank = AssociativeMemoryBank(lambda text: numpy.array(vectors.get(text, [1.0, 0.0])))
    bank.extend(["short", "nothing", "long"])
    assert bank.retrieve_associative("q", 3) == ["long", "short", "nothing"]
    bank.add("longer")  # all are scaled anew
    assert bank.retrieve_associative("q", 9) == ["longer", "long", "short", "nothing"]
    assert bank.retrieve_associative("nothing", 2) == ["short", "nothing"]


def test_what_is_refused():
    bank = AssociativeMemoryBank()
    for call in (lambda: bank.add("a"), lambda: bank.extend(["a"]), lambda: bank.retrieve_associative("a")):
        with pytest.raises(ValueError):
            call()
    bank.set_embedder(embed)
    for k in (0, -1):
        with pytest.raises(ValueError):
            bank.retrieve_associative("a", k)
        with pytest.raises(ValueError):
            bank.retrieve_recent(k)
    assert bank.retrieve_associative("a", 3) == bank.retrieve_recent(3) == bank.scan(bool) == []


def test_a_vector_of_another_length_is_told_as_the_embedder_counts():
    bank = AssociativeMemoryBank(lambda text: numpy.ones(4))
    bank.add("four")
    bank.set_embedder(lambda text: numpy.ones(5))
    for call in (lambda: bank.add("five"), lambda: bank.retrieve_associative("five")):
        with pytest.raises(mneme.InvalidRequest) as refused:
            call()
        assert refused.value.code == "dim_mismatch"
        assert [int(word) for word in refused.value.message.split() if word.isdigit()] == [5, 4]
    assert bank.get_all_memories_as_text() == ["four"]


def test_texts_that_are_hard_to_keep_are_kept():
    texts = ["", "  ", "2024", "null", "é", "e\u0301", "x" * 100_000, "\ttab ", "(blank)", "half \ud800 é",
             "half \udc00" + "é" * 50_000]
    world = mneme.open_in_memory(embedder="none")
    AssociativeMemoryBank(embed, world=world).extend(texts)
    assert AssociativeMemoryBank(embed, world=world).get_all_memories_as_text() == texts


def test_what_came_before_a_failing_embedder_is_there():
    def failing(text):
        if text == "no":
            raise RuntimeError("the model is gone")
        return embed(text)
    bank = AssociativeMemoryBank(failing)
    with pytest.raises(RuntimeError):
        bank.extend(["one", "two", "no", "three"])
    assert bank.get_all_memories_as_text() == ["one", "two"]


def test_a_state_is_json_and_comes_back_equal():
    bank = AssociativeMemoryBank(embed)
    bank.extend(["first", "line\none", "2024"])
    state = bank.get_state()
    assert json.loads(json.dumps(state)) == state
    assert all(isinstance(number, int) for number in state["stored_hashes"])
    assert isinstance(state["memory_bank"], str)
    before = copy.deepcopy(state)
    bank.set_state(state)
    assert bank.get_state() == state == before
    other = AssociativeMemoryBank(embed)
    other.extend(["something", "else", "that goes"])
    other.set_state(state)
    assert other.get_all_memories_as_text() == ["first", "line one", "2024"]
    assert other.retrieve_associative("first", 3) == bank.retrieve_associative("first", 3)


def test_attributes_of_two_banks_are_equal_and_plain():
    bank, other = AssociativeMemoryBank(embed), AssociativeMemoryBank(embed)
    bank.add("one")
    before = dict(bank.__dict__)
    bank.set_state(bank.get_state())
    assert bank.__dict__ == before == other.__dict__
    assert {name: type(value) for name, value in before.items()} == \
        {"_embedder": types.FunctionType, "_allow_duplicates": bool}


def test_a_state_of_the_original_is_taken():
    # As Concordia 2.4 writes it: hashes of another process, a frame by columns.
    state = {"stored_hashes": [-6871354513, 3], "memory_bank":
             '{"text":{"0":"a saved observation","1":"b"},"embedding":{"0":[19.0,1.0],"1":[1.0,1.0]}}'}
    calls = []
    bank = AssociativeMemoryBank(lambda text: calls.append(text) or numpy.array([len(text), 1.0]))
    bank.add("is replaced")
    bank.set_state(state)
    bank.extend(["a saved observation", "new"])
    assert bank.get_all_memories_as_text() == ["a saved observation", "b", "new"]
    assert calls == ["is replaced", "new"]
    empty = AssociativeMemoryBank(embed)
    bank.set_state(empty.get_state())
    assert len(bank) == 0
    bank.extend(["first", "first"])
    assert bank.get_all_memories_as_text() == ["first"]


WORKER = """
import json, sys, numpy
from mneme.adapters.concordia import AssociativeMemoryBank
asked = json.load(sys.stdin)
calls = []
def embed(text):
    calls.append(text)
    return numpy.array([len(text), 1.0])
bank = AssociativeMemoryBank(embed, asked.get("duplicates", False))
if asked.get("state"):
    bank.set_state(asked["state"])
bank.extend(asked["texts"])
print(json.dumps({"state": bank.get_state(), "texts": bank.get_all_memories_as_text(), "calls": calls}))
"""


def in_a_process(seed, **asked):
    answer = subprocess.run([sys.executable, "-B", "-c", WORKER], input=json.dumps(asked), text=True,
                            capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": str(seed)})
    return json.loads(answer.stdout)


@pytest.mark.parametrize("writer,reader", [(11, 22), (22, 11)])
def test_what_is_there_is_known_in_another_process(writer, reader):
    saved = in_a_process(writer, texts=["seen", "line one\nline two"])
    restored = in_a_process(reader, state=saved["state"], texts=["seen", "line one line two", "new"])
    assert restored["texts"] == ["seen", "line one line two", "new"]
    assert restored["calls"] == ["new"]
    doubled = in_a_process(writer, texts=["e", "e"], duplicates=True)
    assert in_a_process(reader, state=doubled["state"], texts=["e"], duplicates=True)["texts"] == ["e"] * 3
    assert in_a_process(reader, state=doubled["state"], texts=["e"])["texts"] == ["e"] * 2


def test_copies_share_nothing():
    bank = AssociativeMemoryBank(embed)
    bank.extend(["one", "two"])
    for other in (copy.deepcopy(bank), copy.copy(bank), pickle.loads(pickle.dumps(bank))):
        other.add("three")
        assert len(other) == 3 and len(bank) == 2
        assert other.retrieve_associative("two", 2) == [
            text for text in other.retrieve_associative("two", 3)][:2]


def test_it_is_found_again_in_a_world(tmp_path):
    with mneme.open(tmp_path / "w", embedder="none") as world:
        ana = AssociativeMemoryBank(embed, world=world, actor="ana")
        ana.extend([f"{n} lights" for n in range(40)])
        AssociativeMemoryBank(embed, world=world, actor="bo").add("only bo's")
        expected = ana.retrieve_associative("lights", 5)
    with mneme.open(tmp_path / "w") as world:
        ana = AssociativeMemoryBank(embed, world=world, actor="ana")
        assert ana.retrieve_associative("lights", 5) == expected
        ana.add("3 lights")
        assert len(ana) == 40
        ana.set_state(AssociativeMemoryBank().get_state())
        assert len(ana) == 0
    with mneme.open(tmp_path / "w") as world:
        assert len(AssociativeMemoryBank(embed, world=world, actor="ana")) == 0
        assert AssociativeMemoryBank(embed, world=world, actor="bo").retrieve_recent(9) == ["only bo's"]


def test_a_set_state_that_is_broken_off_leaves_the_old_state(tmp_path, monkeypatch):
    world = mneme.open_in_memory(embedder="none")
    bank = AssociativeMemoryBank(embed, world=world)
    bank.extend(["old", "older"])
    said = bank.get_state()
    bigger = AssociativeMemoryBank(embed)
    bigger.extend(["new", "newer"])

    def broken(self, facts):
        raise RuntimeError("the power is gone")
    with monkeypatch.context() as patch:
        patch.setattr(Shelf, "say", broken)
        with pytest.raises(RuntimeError):
            bank.set_state(bigger.get_state())
    assert AssociativeMemoryBank(embed, world=world).get_state() == said
    bank = AssociativeMemoryBank(embed, world=world)
    bank.set_state(bigger.get_state())
    assert AssociativeMemoryBank(embed, world=world).get_state() == bigger.get_state()


def test_it_works_through_a_server(served):
    with mneme.connect(served.url) as world:
        # The served world has an embedder of 384 numbers: one less is the bank's.
        def wide(text):
            return numpy.random.default_rng(len(text)).standard_normal(383)
        bank = AssociativeMemoryBank(wide, world=world, actor="ana")
        bank.extend(["a", "bb", "ccc"])
        products = {text: float(wide("q").dot(wide(text))) for text in ("a", "bb", "ccc")}
        assert bank.retrieve_associative("q", 3) == sorted(products, key=lambda text: -products[text])


def test_many_threads_add():
    bank = AssociativeMemoryBank(embed)
    threads = [threading.Thread(target=lambda n=n: [bank.add(f"{n} {m % 7}") for m in range(14)])
               for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bank) == len(set(bank.get_all_memories_as_text())) == 28


def test_a_frame_has_texts_and_embeddings(monkeypatch):
    class DataFrame(dict):
        def __init__(self, data, columns):
            super().__init__(data)
            self.columns = columns
    stand_in = types.ModuleType("pandas")
    stand_in.DataFrame = DataFrame
    monkeypatch.setitem(sys.modules, "pandas", stand_in)
    bank = AssociativeMemoryBank(embed)
    bank.extend(["one", "two"])
    frame = bank.get_data_frame()
    assert frame.columns == ["text", "embedding"] and frame["text"] == ["one", "two"]
    numpy.testing.assert_array_equal(frame["embedding"][1], embed("two"))
    frame["text"].append("mine alone")
    assert len(bank) == 2


def test_a_bank_that_is_let_go_goes():
    from mneme.adapters import concordia
    ring = [AssociativeMemoryBank(embed)]
    ring.append(ring)  # as a traceback may hold one: it goes when somebody collects
    banks = [AssociativeMemoryBank(embed) for _ in range(3)]
    kept = [weakref.ref(concordia._memories[bank]) for bank in banks]
    del ring, banks
    gc.collect()
    assert [one() for one in kept] == [None] * 3


REFUSED = {"long": "x" * 1_100_000, "longest": "x" * 1_200_000 + "\ud800"}


def growing(text):
    """What a world will refuse is longer, so that the whole bank is put anew for it."""
    return embed(text) if text not in REFUSED.values() else numpy.full(12, 100.0)


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("given", [False, True])
def test_what_is_refused_changes_nothing(refused, given):
    options = {"world": mneme.open_in_memory(embedder="none"), "actor": "ana"} if given else {}
    bank = AssociativeMemoryBank(growing, **options)
    naive = Naive()
    for text in [f"early {number}" for number in range(300)]:
        naive.add(text)
    bank.extend(naive.texts)
    state = bank.get_state()
    for texts in ([refused], ["one", refused, "two"]):
        with pytest.raises(mneme.InvalidRequest):
            bank.extend(texts)
        assert bank.get_state() == state
    later = [f"late {number}" for number in range(300)]
    bank.extend(later)
    for text in later:
        naive.add(text)
    banks = [bank, AssociativeMemoryBank(growing, **options)] if given else [bank]
    for one in banks:
        for query in ("early 7", "late 9", "elsewhere"):
            assert one.retrieve_associative(query, 5) == naive.retrieve_associative(query, 5)
        assert one.get_all_memories_as_text() == naive.texts


@pytest.mark.parametrize("given", [False, True])
def test_a_refused_state_changes_nothing(given):
    options = {"world": mneme.open_in_memory(embedder="none"), "actor": "ana"} if given else {}
    bank = AssociativeMemoryBank(embed, **options)
    bank.extend(["one", "two", "three"])
    state = bank.get_state()
    with pytest.raises(mneme.InvalidRequest):
        bank.set_state({"stored_hashes": [], "memory_bank": json.dumps(
            {"text": {"0": "a", "1": "b"}, "embedding": {"0": [1, 2], "1": [1, 2, 3]}})})
    assert bank.get_state() == state
    bank.set_embedder(lambda text: numpy.full(5, 9.0))
    with pytest.raises(mneme.InvalidRequest):
        bank.add("of another length")
    assert bank.get_state() == state
    bank.set_embedder(embed)
    bank.add("four")
    assert bank.get_all_memories_as_text() == ["one", "two", "three", "four"]
    assert bank.retrieve_associative("two", 4) == sorted(
        bank.get_all_memories_as_text(), key=lambda text: -float(embed("two").dot(embed(text))))

"""LangGraph's store: the checks of its own tests, beside a naive store."""

import asyncio
import datetime
import importlib
import json
import random
import sys
import types

import pytest

import mneme
from mneme.adapters import langgraph
from mneme.adapters.json_paths import texts_at
from mneme.adapters.langgraph import (GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, MnemeStore,
                                      PutOp, SearchOp, matches)

LETTERS = "abcdefghijklmnopqrstuvwxyz "


def embed(texts):
    """How often each letter is there."""
    return [[float(text.lower().count(letter)) for letter in LETTERS] for text in texts]


def cosine(a, b):
    lengths = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return sum(x * y for x, y in zip(a, b)) / lengths if lengths else 0.0


def keys(hits):
    return [hit.key for hit in hits]


def test_values_are_put_got_changed_and_deleted():
    store = MnemeStore()
    assert store.get(("a", "b"), "k") is None
    store.put(("a", "b"), "k", {"text": "é\0", "deep": {"list": [1, None, {"x": 1.5}]}})
    first = store.get(("a", "b"), "k")
    assert first.value == {"text": "é\0", "deep": {"list": [1, None, {"x": 1.5}]}}
    assert first.namespace == ("a", "b") and first.key == "k" and first.created_at.tzinfo is not None
    store.put(("a", "b"), "k", {"n": 2})
    second = store.get(("a", "b"), "k")
    assert second.value == {"n": 2}
    assert second.created_at == first.created_at and second.updated_at > first.updated_at
    assert store.get(("a",), "k") is None and store.get(("a", "b"), "other") is None
    store.delete(("a", "b"), "k")
    store.delete(("a", "b"), "k")
    assert store.get(("a", "b"), "k") is None and store.search(("a",)) == []
    store.put(("a", "b"), "k", {"n": 3})
    assert store.get(("a", "b"), "k").value == {"n": 3}
    store.put(("a",), "long", {"text": "x" * 900_000})
    assert len(store.get(("a",), "long").value["text"]) == 900_000


def test_a_batch_answers_in_order_and_reads_what_was_before():
    store = MnemeStore()
    store.put(("t",), "a", {"n": 1})
    answers = store.batch([
        PutOp(("t",), "a", {"n": 2}), GetOp(("t",), "a"), PutOp(("t",), "b", {"n": 3}), GetOp(("t",), "b"),
        SearchOp(("t",)), PutOp(("t",), "a", {"n": 4}), ListNamespacesOp(), PutOp(("t",), "c", {"n": 5}),
        PutOp(("t",), "c", None)])
    assert [answers[0], answers[1].value, answers[3], keys(answers[4]), answers[6]] == \
        [None, {"n": 1}, None, ["a"], [("t",)]]
    assert store.get(("t",), "a").value == {"n": 4} and store.get(("t",), "c") is None
    assert store.batch([]) == []
    with pytest.raises(ValueError):
        store.batch(["no op"])


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("a", ""), ("a", 1), ("langgraph", "a")])
def test_namespaces_that_are_refused(namespace):
    store = MnemeStore()
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {})
    with pytest.raises(InvalidNamespaceError):
        asyncio.run(store.aput(namespace, "k", {}))
    if namespace and namespace[0] == "langgraph":
        store.batch([PutOp(namespace, "k", {"n": 1})])  # not by the methods alone
        assert store.get(namespace, "k").value == {"n": 1}


def test_namespaces_are_listed():
    store = MnemeStore()
    names = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"),
             ("b", "a", "f"), ("users", "123"), ("users", "456", "settings"), ("admin", "users", "789")]
    for name in names:
        store.put(name, "id", {"data": "x"})
    store.put(("gone",), "id", {})
    store.delete(("gone",), "id")
    assert store.list_namespaces() == sorted(names)
    assert store.list_namespaces(prefix=("a", "b")) == sorted(names[:4])
    assert store.list_namespaces(suffix=("f",)) == sorted(names[3:6])
    assert store.list_namespaces(prefix=("a",), suffix=("f",)) == sorted(names[3:5])
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]
    assert store.list_namespaces(prefix=("a", "b"), limit=2) == sorted(names[:4])[:2]
    assert store.list_namespaces(prefix=("a", "b"), offset=2) == sorted(names[:4])[2:]
    assert store.list_namespaces(prefix=("a", "*", "f")) == sorted(names[3:5])
    assert store.list_namespaces(suffix=("*", "f")) == sorted(names[3:6])
    assert store.list_namespaces(prefix=("*", "users")) == [names[8]]
    assert store.list_namespaces(prefix=("nowhere",)) == []
    with pytest.raises(ValueError):
        store.batch([ListNamespacesOp((MatchCondition("infix", ("a",)),))])


VALUE = {"type": "article", "n": 5, "flag": True, "author": {"name": "Ana", "age": 30}, "tags": ["a", "b"],
         "none": None, "a.b": 1}


@pytest.mark.parametrize("filter,fits", [
    ({}, True), ({"type": "article"}, True), ({"type": "note"}, False), ({"type": "article", "n": 4}, False),
    ({"n": {"$gt": 4, "$lte": 5}}, True), ({"n": {"$lt": 5}}, False), ({"n": {"$gte": 5}}, True),
    ({"n": {"$ne": 5}}, False), ({"missing": {"$ne": 5}}, True), ({"missing": {"$eq": 5}}, False),
    ({"missing": {"$gt": 5}}, False), ({"type": {"$eq": "article"}}, True), ({"none": None}, True),
    ({"author": {"name": "Ana"}}, True), ({"author": {"age": {"$gt": 40}}}, False), ({"author.name": "Ana"}, True),
    ({"tags": ["a", "b"]}, True), ({"tags": ["a"]}, False), ({"tags": [{"$eq": "a"}, "b"]}, True),
    ({"n": {"$in": [1, 5]}}, True), ({"n": {"$nin": [1, 5]}}, False), ({"a.b": 1}, True), ({"flag": True}, True)])
def test_filters(filter, fits):
    assert matches(VALUE, filter) is fits
    store = MnemeStore()
    store.put(("f",), "k", VALUE)
    store.put(("f",), "other", {"type": "x"})
    assert ("k" in keys(store.search(("f",), filter=filter))) is fits


def test_unknown_operators_are_refused():
    store = MnemeStore()
    store.put(("f",), "k", VALUE)
    with pytest.raises(ValueError):
        store.search(("f",), filter={"n": {"$about": 5}})


@pytest.mark.parametrize("seed", range(3))
def test_searches_as_a_naive_store(seed):
    chance, store, naive = random.Random(seed), MnemeStore(), {}
    for step in range(150):
        name, key = (chance.choice("ab"), *chance.choice([(), ("x",), ("x", "y")])), str(chance.randint(0, 9))
        if chance.random() < 0.3:
            store.delete(name, key)
            naive.pop((name, key), None)
        else:
            value = {"colour": chance.choice(["red", "blue"]), "n": chance.randint(0, 5),
                     **{f"f{n}": "t" for n in range(chance.choice([0, 50]))}}
            store.put(name, key, value)
            naive[name, key] = value
        prefix = chance.choice([(), ("a",), ("a", "x"), ("b", "x", "y"), ("c",)])
        filter = chance.choice([None, {"colour": "red"}, {"n": {"$gt": 2}}, {"colour": {"$eq": "blue"}, "n": 1}])
        wanted = {(name, key) for (name, key), value in naive.items()
                  if name[:len(prefix)] == prefix and matches(value, filter or {})}
        got = store.search(prefix, filter=filter, limit=1000)
        assert {(hit.namespace, hit.key) for hit in got} == wanted and len(got) == len(wanted)
        pages = [hit for at in range(0, len(got) + 3, 3)
                 for hit in store.search(prefix, filter=filter, limit=3, offset=at)]
        assert [(hit.namespace, hit.key) for hit in pages] == [(hit.namespace, hit.key) for hit in got]
        assert store.list_namespaces() == sorted({name for name, _ in naive})
    assert store.search((), limit=0) == []


def indexed(**more):
    return MnemeStore(index={"dims": len(LETTERS), "embed": embed, **more})


def test_queries_are_by_the_best_vector_of_each():
    store = indexed(fields=["text", "parts[*]"])
    values = {"one": {"text": "zzz", "parts": ["hello world", "qqq"]}, "two": {"text": "hello"},
              "three": {"text": "world zz"}, "four": {"other": "hello world"}}
    for key, value in values.items():
        store.put(("t",), key, value)
    store.put(("t",), "false", {"text": "hello world"}, index=False)
    hits = store.search(("t",), query="hello world", limit=10)
    best = {key: max(cosine(embed(["hello world"])[0], vector) for vector in embed(
        [text for path in ("text", "parts[*]") for text in texts_at(value, path)]))
        for key, value in values.items() if key != "four"}
    assert keys(hits)[:3] == sorted(best, key=lambda key: -best[key])
    assert [hit.score for hit in hits[:3]] == pytest.approx(sorted(best.values(), reverse=True), abs=1e-5)
    assert keys(hits)[3:] == ["four", "false"] and [hit.score for hit in hits[3:]] == [None, None]
    assert keys(store.search(("t",), query="hello world", limit=2, offset=1)) == keys(hits)[1:3]
    assert keys(store.search(("t",), query="hello world", filter={"text": "hello"})) == ["two"]


def test_queries_follow_changes():
    store = indexed()
    store.put(("t",), "a", {"text": "hello"}, index=["text"])
    store.put(("t",), "b", {"text": "zebra"}, index=["text"])
    assert keys(store.search(("t",), query="zebra")) == ["b", "a"]
    store.put(("t",), "b", {"text": "hello"}, index=["text"])
    store.put(("t",), "a", {"text": "zebra"}, index=["text"])
    assert keys(store.search(("t",), query="zebra")) == ["a", "b"]
    store.put(("t",), "a", {"text": "zebra"}, index=False)
    assert [(hit.key, hit.score is None) for hit in store.search(("t",), query="zebra")] == [("b", False), ("a", True)]
    store.delete(("t",), "b")
    assert keys(store.search(("t",), query="zebra")) == ["a"]
    store.put(("t",), "zero", {"text": "123"}, index=["text"])  # a vector that points nowhere
    assert sorted(keys(store.search(("t",), query="zebra"))) == ["a", "zero"]


def test_many_vectors_of_one_do_not_hide_others():
    store = indexed(fields=["parts[*]"])
    store.put(("t",), "many", {"parts": [f"hello {letter}" for letter in LETTERS] * 3})
    for number in range(5):
        store.put(("t",), f"one{number}", {"parts": ["zebra hello"]})
    assert keys(store.search(("t",), query="hello", limit=3))[0] == "many"
    assert len(keys(store.search(("t",), query="hello", limit=3))) == 3


def test_without_an_index_a_query_says_nothing():
    store = MnemeStore()
    store.put(("t",), "a", {"text": "hello"}, index=["text"])
    hit, = store.search(("t",), query="zebra")
    assert hit.key == "a" and hit.score is None


@pytest.mark.parametrize("path,texts", [
    ("a", ["1"]), ("b.c", ["two"]), ("list[0].x", ["x0"]), ("list[-1].x", ["x1"]), ("list[*].x", ["x0", "x1"]),
    ("list[9]", []), ("b.*", ["3.5", "two"]), ("{a,b.c}", ["1", "two"]), ("none", []), ("missing.x", []),
    ("list[x]", []), ("b", ['{"c": "two", "d": 3.5}']), ("a[0]", [])])
def test_texts_at_paths(path, texts):
    value = {"a": 1, "b": {"d": 3.5, "c": "two"}, "list": [{"x": "x0"}, {"x": "x1"}], "none": None}
    assert texts_at(value, path) == texts
    assert texts_at(value, "$") == [json.dumps(value, sort_keys=True)]


def test_times_to_live():
    clock = [1_000.0]
    store = MnemeStore(ttl={"default_ttl": 10, "refresh_on_read": False}, now=lambda: clock[0])
    store.put(("t",), "default", {"n": 1})
    store.put(("t",), "short", {"n": 2}, ttl=1)
    store.put(("t",), "read", {"n": 3}, ttl=1)
    clock[0] += 30
    assert store.get(("t",), "read", refresh_ttl=True).value == {"n": 3}
    assert store.get(("t",), "short").value == {"n": 2}
    clock[0] += 31
    assert store.get(("t",), "short") is None and store.get(("t",), "read") is not None
    assert sorted(keys(store.search(("t",)))) == ["default", "read"]
    store.put(("t",), "short", {"n": 4})
    assert store.get(("t",), "short").value == {"n": 4}
    clock[0] += 300
    assert store.sweep_ttl() == 1
    clock[0] += 600
    assert store.list_namespaces() == [] and store.sweep_ttl() == 2 and store.sweep_ttl() == 0
    kept = MnemeStore(ttl={"omit_expired": False}, now=lambda: clock[0])
    kept.put(("t",), "k", {}, ttl=1)
    kept.put(("t",), "forever", {})
    clock[0] += 600
    assert len(kept.search(("t",), refresh_ttl=False)) == 2
    assert kept.sweep_ttl() == 1 and keys(kept.search(("t",))) == ["forever"]


@pytest.mark.parametrize("ttl", [15, datetime.timedelta(minutes=15), "datetime"])
def test_a_time_to_live_in_all_its_words(ttl):
    if ttl == "datetime":
        ttl = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=15)
    store, ops = MnemeStore(ttl={"default_ttl": 1}), []
    batch = store.batch
    store.batch = lambda asked: ops.extend(asked) or batch(asked)
    store.put(("t",), "k", {}, ttl=ttl)
    store.put(("t",), "default", {})
    store.put(("t",), "for ever", {}, ttl=None)
    assert ops[0].ttl == pytest.approx(15, abs=0.1) and ops[1].ttl == 1 and ops[2].ttl is None
    assert [hit.key for hit in store.search(("t",))] == ["k", "default", "for ever"]


def test_calls_of_a_turn_are_one_batch():
    async def live(store):
        await store.aput(("t",), "a", {"n": 1})
        batches = []
        run = store._run
        store._run = lambda ops, vectors: batches.append(len(ops)) or run(ops, vectors)
        got = await asyncio.gather(store.aget(("t",), "a"), store.aget(("t",), "nothing"), store.asearch(("t",)),
                                   store.aput(("t",), "b", {"n": 2}), store.alist_namespaces())
        assert batches == [5]
        assert got[0].value == {"n": 1} and got[1] is None and keys(got[2]) == ["a"] and got[4] == [("t",)]
        assert (await store.aget(("t",), "b")).value == {"n": 2}
        mixed = await asyncio.gather(store.aget(("t",), "a"), store.asearch(("t",), filter={"n": {"$x": 1}}),
                                     store.aput(("t",), "c", {"n": 3}), return_exceptions=True)
        assert mixed[0].value == {"n": 1} and isinstance(mixed[1], ValueError) and mixed[2] is None
        assert (await store.aget(("t",), "c")).value == {"n": 3}
        await store.adelete(("t",), "c")
        assert await store.aget(("t",), "c") is None
    store = MnemeStore()
    asyncio.run(live(store))
    asyncio.run(live(MnemeStore(world=store._world, actor="other")))  # of another loop


@pytest.mark.parametrize("vectors", [[], [[1.0] * len(LETTERS)] * 3])
def test_an_embedder_that_skips_a_text_is_told_of(vectors):
    class Embeddings:
        def embed_documents(self, texts):
            return vectors

        async def aembed_documents(self, texts):
            return vectors

    async def later(texts):
        return vectors
    for made in (lambda texts: vectors, Embeddings(), later):
        store = MnemeStore(index={"embed": made, "fields": ["text"]})
        if made is not later:
            with pytest.raises(ValueError, match="1 texts were to be embedded, and there are"):
                store.put(("t",), "a", {"text": "hello"})
        with pytest.raises(ValueError, match="1 texts were to be embedded, and there are"):
            asyncio.run(store.aput(("t",), "a", {"text": "hello"}))


def test_half_of_a_surrogate_pair_is_kept():
    world = mneme.open_in_memory(embedder="none")
    value = {"text": "half \ud800 é", "\udc00": ["\udc00"]}
    MnemeStore(world=world).put(("half \ud800",), "half \udc00", value)
    store = MnemeStore(world=world)
    assert store.get(("half \ud800",), "half \udc00").value == value
    assert keys(store.search((), filter={"text": value["text"]})) == ["half \udc00"]
    assert store.search((), filter={"text": "half ? é"}) == []


def test_embedders_of_all_kinds():
    class Embeddings:
        def embed_documents(self, texts):
            return embed(texts)

        def embed_query(self, text):
            return embed([text])[0]

        async def aembed_documents(self, texts):
            return embed(texts)

        async def aembed_query(self, text):
            return embed([text])[0]

    async def later(texts):
        return embed(texts)

    async def live(store):
        await asyncio.gather(store.aput(("t",), "a", {"text": "hello"}), store.aput(("t",), "b", {"text": "zebra"}))
        return keys(await store.asearch(("t",), query="zebra"))
    for made in (embed, Embeddings(), later):
        store = MnemeStore(index={"embed": made, "fields": ["text"]})
        assert asyncio.run(live(store)) == ["b", "a"]
        if made is later:
            with pytest.raises(ValueError):
                store.search(("t",), query="zebra")
        else:
            assert keys(store.search(("t",), query="hello")) == ["a", "b"]


def test_it_is_found_again_and_apart_from_others(tmp_path):
    deep = tuple("abcdefghijklmnopqr")
    with mneme.open(tmp_path / "w", embedder="none") as world:
        MnemeStore({"embed": embed}, world=world).put(("t", "sub"), "a", {"text": "hello"})
        MnemeStore(world=world).put(deep, "k", {"n": 1})
        MnemeStore(world=world, actor="other").put(("t",), "b", {"text": "hello"})
    with mneme.open(tmp_path / "w") as world:
        store = MnemeStore({"embed": embed}, world=world)
        assert keys(store.search(("t",), query="hello")) == ["a"]
        assert keys(store.search(deep[:15])) == ["k"] and store.search(deep[:14] + ("z",)) == []
        assert store.list_namespaces(prefix=("t",)) == [("t", "sub")]


def test_it_works_through_a_server(served):
    with mneme.connect(served.url) as world:
        store = MnemeStore(world=world)
        store.put(("t",), "a", {"n": 1})
        store.put(("t",), "a", {"n": 2})
        assert store.get(("t",), "a").value == {"n": 2} and len(store.search(())) == 1


def test_more_than_a_batch_has_is_put_refreshed_and_swept():
    now = [1000.0]
    store = MnemeStore(ttl={"default_ttl": 1}, now=lambda: now[0])
    store.batch([PutOp(("d",), f"{number}", {"n": number}, ttl=1) for number in range(10_500)])
    assert len(store.search(("d",), limit=12_000)) == 10_500
    now[0] += 50
    assert len(store.search(("d",), limit=12_000, refresh_ttl=True)) == 10_500
    now[0] += 50
    assert store.get(("d",), "10499", refresh_ttl=False).value == {"n": 10_499}
    now[0] += 50
    assert store.sweep_ttl() == 10_500
    assert store.sweep_ttl() == 0 and store.search(("d",), limit=1) == []


def test_more_than_an_answer_holds_is_read():
    now = [1000.0]
    store = MnemeStore(ttl={"default_ttl": 1}, now=lambda: now[0])
    for start in range(0, 70, 10):
        store.batch([PutOp(("d", str(number)), "k", {"t": "x" * 1_000_000, "n": number}, ttl=1)
                     for number in range(start, start + 10)])
    assert len(store.list_namespaces(limit=100)) == 70
    assert [hit.value["n"] for hit in store.search(("d",), filter={"n": {"$gte": 68}})] == [68, 69]
    items = store.batch([GetOp(("d", str(number)), "k", False) for number in range(70)])
    assert [item.value["n"] for item in items] == list(range(70))
    now[0] += 1000
    assert store.sweep_ttl() == 70


def test_keys_of_a_value_are_texts_as_json_has_them():
    store = MnemeStore(index={"dims": len(LETTERS), "embed": embed, "fields": ["$", "a.7"]})
    store.put(("d",), "k", {1: "one", None: "yes", "a": {7: "seven"}, "pair": (1, 2)})
    told = {"1": "one", "null": "yes", "a": {"7": "seven"}, "pair": [1, 2]}
    assert store.get(("d",), "k").value == told
    assert keys(store.search(("d",), filter={"null": "yes"})) == ["k"]
    assert store.search(("d",), query="seven")[0].score == pytest.approx(1.0, abs=1e-6)
    asyncio.run(store.aput(("d",), "later", {2: "two"}))
    assert store.get(("d",), "later").value == {"2": "two"}
    with pytest.raises(TypeError):
        store.put(("d",), "none", {"x": object()})
    assert store.get(("d",), "none") is None


def test_the_classes_of_the_framework_are_used(monkeypatch):
    class BaseStore:
        supports_ttl = False
        ttl_config = None
        __slots__ = ("__weakref__",)

        def get(self, namespace, key):
            return self.batch([GetOp(namespace, key)])[0]

    class Item(langgraph.Item):
        pass
    module = types.ModuleType("langgraph.store.base")
    module.BaseStore, module.Item = BaseStore, Item
    monkeypatch.setitem(sys.modules, "langgraph.store.base", module)
    try:
        store = importlib.reload(langgraph).MnemeStore()
        assert isinstance(store, BaseStore) and store.supports_ttl
        store.batch([PutOp(("t",), "a", {"n": 1})])
        assert isinstance(store.get(("t",), "a"), Item)
    finally:
        monkeypatch.undo()
        importlib.reload(langgraph)

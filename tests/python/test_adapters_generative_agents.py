"""The memory and the retrieve of Generative Agents, beside naive ones that say what the original does."""

import datetime
import json
import random
import types

import numpy
import pytest

import mneme
from mneme.adapters.generative_agents import AssociativeMemory, new_retrieve

START = datetime.datetime(2023, 2, 13)


def embed(text):
    return numpy.random.default_rng(int.from_bytes(text.encode()[:8].ljust(8), "big")).standard_normal(16).tolist()


def at(minute):
    return START + datetime.timedelta(minutes=minute)


def persona(memory, minute=0, **weights):
    return types.SimpleNamespace(a_mem=memory, scratch=types.SimpleNamespace(
        curr_time=at(minute), **{"recency_decay": 0.99, "recency_w": 1, "relevance_w": 1, "importance_w": 1,
                                 **weights}))


def fill(memory, seed, count):
    chance = random.Random(seed)
    for number in range(count):
        text = f"{number} {chance.choice(['bed is idle', 'walks', 'talks', 'lights the lamp'])}"
        pair = (text, embed(text))
        words = {chance.choice(["Ana", "Bo", "Lamp"]), "Sea"}
        kind = chance.choice(["event", "event", "thought"])
        below = [f"node_{chance.randint(1, number)}"] if kind == "thought" and number else None
        add = memory.add_event if kind == "event" else memory.add_thought
        add(at(number // 3), None, "Ana", "sees", "it", text, words, chance.randint(1, 9), pair, below)


def naive_retrieve(who, focal_points, count, original):
    """Sentence by sentence what the paper (or, with `original`, its program) does."""
    answer = {}
    memory = who.a_mem
    for focal_point in focal_points:
        nodes = [node for node in memory.seq_event + memory.seq_thought if "idle" not in node.embedding_key]
        if original:
            nodes = sorted(nodes, key=lambda node: node.last_accessed)
        else:
            nodes = sorted(nodes, key=lambda node: (node.last_accessed, node.node_count))[::-1]
        focus = numpy.array(embed(focal_point))

        def scaled(values):
            low, high = min(values), max(values)
            return [0.5 if low == high else (value - low) / (high - low) for value in values]

        def cosine(node):
            vector = numpy.array(memory.embeddings[node.embedding_key])
            return float(vector.dot(focus) / numpy.linalg.norm(vector) / numpy.linalg.norm(focus))
        parts = zip(nodes, scaled([0.99 ** i for i in range(1, len(nodes) + 1)]),
                    scaled([cosine(node) for node in nodes]), scaled([node.poignancy for node in nodes]))
        scores = [(0.5 * a + 3 * b + 2 * c, node) for node, a, b, c in parts]
        scores.sort(key=lambda score: score[0], reverse=True)
        answer[focal_point] = [node for _, node in scores[:count]]
        for node in answer[focal_point]:
            node.last_accessed = who.scratch.curr_time
    return {focal_point: [node.node_id for node in nodes] for focal_point, nodes in answer.items()}


@pytest.mark.parametrize("recency", ["newest", "original"])
@pytest.mark.parametrize("seed", range(3))
def test_retrieve_is_as_the_naive_one(seed, recency):
    memory, other = AssociativeMemory(), AssociativeMemory()
    fill(memory, seed, 60)
    fill(other, seed, 60)
    for minute in (100, 200):
        points = [f"point {minute}", "lamp"]
        got = new_retrieve(persona(memory, minute), points, 7, embed=embed, recency=recency)
        assert {point: [node.node_id for node in nodes] for point, nodes in got.items()} == \
            naive_retrieve(persona(other, minute), points, 7, recency == "original")
        assert all(node.last_accessed == at(minute) for nodes in got.values() for node in nodes)


def test_the_order_of_recency():
    for recency, first in (("newest", "b"), ("original", "a")):
        memory = AssociativeMemory()
        for minute, text in enumerate("ab"):
            memory.add_event(at(minute), None, "s", "p", "o", text, set(), 5, (text, [1.0, 0.0]), None)
        found = new_retrieve(persona(memory), ["x"], embed=lambda _: [1.0, 0.0], recency=recency)["x"]
        assert found[0].description == first


def test_retrieve_at_the_edges():
    memory = AssociativeMemory(embed=embed)
    assert new_retrieve(persona(memory), ["x"]) == {"x": []}
    memory.add_event(at(0), None, "bed", "is", "idle", "bed is idle", {"bed"}, 1, ("bed is idle", embed("b")), None)
    assert new_retrieve(persona(memory), ["x"]) == {"x": []}
    memory.add_event(at(0), None, "s", "p", "o", "zero", set(), 5, ("zero", [0.0] * 16), None)
    assert [node.description for node in new_retrieve(persona(memory), ["x"])["x"]] == ["zero"]
    with pytest.raises(ValueError):
        new_retrieve(persona(memory), ["x"], recency="oldest")
    with pytest.raises(ValueError):
        new_retrieve(persona(AssociativeMemory()), ["x"])


def test_nodes_words_and_depths():
    memory = AssociativeMemory()
    pair = ("k", [1.0, 2.0])
    event = memory.add_event(at(0), None, "Ana", "is", "at work", "Ana is at work (lighting the lamp)",
                             {"Ana", "Lamp"}, 3, pair, None)
    assert (event.node_id, event.depth, event.type) == ("node_1", 0, "event")
    assert event.description == "Ana is at lighting the lamp"
    idle = memory.add_event(at(1), None, "bed", "is", "idle", "bed is idle", {"bed"}, 1, pair, None)
    thought = memory.add_thought(at(2), None, "Ana", "plans", "tea", "tea", {"Tea"}, 5, pair, ["node_1"])
    deeper = memory.add_thought(at(3), None, "Ana", "plans", "tea", "more tea", {"Tea"}, 5, pair,
                                ["node_3", "node_1"])
    lost = memory.add_thought(at(3), None, "Ana", "plans", "tea", "lost", {"Tea"}, 5, pair, ["node_99"])
    assert (thought.depth, deeper.depth, lost.depth) == (1, 2, 1)
    chat = memory.add_chat(at(4), None, "Ana", "chat with", "Bo", "of the sea", {"Ana", "Bo"}, 4, pair,
                           [["Ana", "hello"], ["Bo", "good day"]])
    assert memory.seq_event == [idle, event] and memory.seq_thought == [lost, deeper, thought]
    assert memory.kw_strength_event == {"ana": 1, "lamp": 1} and memory.kw_strength_thought == {"tea": 3}
    assert memory.retrieve_relevant_events("ana", "lamp", "nothing") == {event}
    assert memory.retrieve_relevant_events("Ana", "", "") == set()
    assert memory.retrieve_relevant_thoughts("tea", "tea", "") == {lost, deeper, thought}
    assert memory.get_last_chat("Bo") is chat and memory.get_last_chat("Cy") is False
    assert memory.get_summarized_latest_events(1) == {("bed", "is", "idle")}
    assert memory.get_str_seq_events().splitlines()[1] == \
        "('Event', 1, ': ', ('Ana', 'is', 'at work'), ' -- ', 'Ana is at lighting the lamp')"
    assert memory.get_str_seq_thoughts().startswith("('Thought', 3, ': ', ('Ana', 'plans', 'tea'), ' -- ', 'lost')(")
    assert memory.get_str_seq_chats() == ("with Bo (of the sea)\nFebruary 13, 2023, 00:04:00\n"
                                          "Ana: hello\nBo: good day\n")


def said(memory, tmp_path):
    memory.save(tmp_path)
    return {name: json.loads((tmp_path / f"{name}.json").read_text())
            for name in ("nodes", "kw_strength", "embeddings")}


def test_files_come_back_as_they_were(tmp_path):
    memory = AssociativeMemory()
    fill(memory, 5, 30)
    memory.add_chat(at(99), at(999), "Ana", "chat with", "Bo", "of the sea", {"Bo"}, 4, ("c", embed("c")),
                    [["Ana", "hello"]])
    first = said(memory, tmp_path)
    assert list(first["nodes"])[0] == "node_31"
    (tmp_path / "again").mkdir()
    again = AssociativeMemory(tmp_path)
    assert said(again, tmp_path / "again") == first
    assert [node.node_id for node in again.seq_event] == [node.node_id for node in memory.seq_event]


def test_strengths_of_a_file_are_kept(tmp_path):
    memory = AssociativeMemory()
    fill(memory, 5, 5)
    said(memory, tmp_path)
    (tmp_path / "kw_strength.json").write_text(
        json.dumps({"kw_strength_event": {"sea": 70}, "kw_strength_thought": {}}))
    with mneme.open_in_memory(embedder="none") as world:
        first = AssociativeMemory(tmp_path, world=world)
        assert first.kw_strength_event == {"sea": 70}
        first.add_event(at(9), None, "s", "p", "o", "d", {"Sea"}, 5, ("d", embed("d")), None)
        assert AssociativeMemory(tmp_path, world=world).kw_strength_event == {"sea": 71}


def test_it_is_found_again_in_a_world(tmp_path):
    with mneme.open(tmp_path / "w", embedder="none") as world:
        memory = AssociativeMemory(world=world, actor="Ana")
        fill(memory, 7, 40)
        fill(AssociativeMemory(world=world, actor="Bo"), 8, 5)
        new_retrieve(persona(memory, 100), ["the sea"], 5, embed=embed)
        (tmp_path / "a").mkdir()
        before = said(memory, tmp_path / "a")
        accessed = {node.node_id: node.last_accessed for node in memory.id_to_node.values()}
    with mneme.open(tmp_path / "w") as world:
        memory = AssociativeMemory(world=world, actor="Ana")
        assert said(memory, tmp_path) == before
        assert {node.node_id: node.last_accessed for node in memory.id_to_node.values()} == accessed
        assert len(new_retrieve(persona(memory, 200), ["the sea"], 5, embed=embed)["the sea"]) == 5

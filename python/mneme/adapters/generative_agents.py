"""The associative memory of Generative Agents, and its retrieve, over a mneme world.

    from mneme.adapters.generative_agents import AssociativeMemory, new_retrieve

    memory = AssociativeMemory("saved/bootstrap_memory/associative_memory")
    memory.add_event(now, None, "Ana", "lights", "the lamp", "Ana lights the lamp", {"Ana", "lamp"}, 4,
                     ("Ana lights the lamp", embed("Ana lights the lamp")), None)
    new_retrieve(persona, ["who keeps the lamp?"], embed=embed)

Signatures and results are those of persona/memory_structures/associative_memory.py and
persona/cognitive_modules/retrieve.py, and so are the files that are loaded and saved.
"""

import datetime
import json
import os
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple,
                    Union)

from .frameworks import found
from .shelf import Entry, Shelf, has_direction, packed, unpacked

if TYPE_CHECKING:
    from ..world import World

_TIME = "%Y-%m-%d %H:%M:%S"
_WEIGHTS = (0.5, 3.0, 2.0)  # of recency, relevance and importance


class ConceptNode:
    """A memory: node_id is node_1, node_2 and so on, `type` event, thought or chat."""

    def __init__(self, node_count: int, type_count: int, type: str, depth: int, said: "_Said") -> None:
        self.node_id = f"node_{node_count}"
        self.node_count = node_count
        self.type_count = type_count
        self.type = type
        self.depth = depth
        self.created = said.created
        self.expiration = said.expiration
        self.last_accessed = said.created
        self.subject, self.predicate, self.object = said.spo
        self.description = said.description
        self.embedding_key = said.embedding_key
        self.poignancy = said.poignancy
        self.keywords = said.keywords
        self.filling = said.filling

    def spo_summary(self) -> Tuple[Any, Any, Any]:
        return self.subject, self.predicate, self.object

    def __repr__(self) -> str:
        return f"<{self.node_id} {self.type} {self.description!r}>"


class _Said:
    """What the adding of a node says."""

    def __init__(self, created: datetime.datetime, expiration: Optional[datetime.datetime],
                 spo: Tuple[Any, Any, Any], description: str, keywords: Iterable[str], poignancy: Any,
                 embedding_pair: Tuple[str, Sequence[float]], filling: Any) -> None:
        self.created, self.expiration, self.spo = created, expiration, spo
        self.description, self.keywords, self.poignancy = description, keywords, poignancy
        self.embedding_key, self.embedding = embedding_pair
        self.filling = filling

    def entry(self, kind: str) -> Entry:
        """As it lies on the shelf."""
        vector = [float(number) for number in self.embedding]
        value = {"type": kind, "created": self.created.isoformat(),
                 "expiration": self.expiration.isoformat() if self.expiration else None,
                 "spo": list(self.spo), "keywords": sorted(self.keywords), "poignancy": self.poignancy,
                 "embedding_key": self.embedding_key, "embedding": packed(vector), "filling": self.filling}
        weight = self.poignancy if isinstance(self.poignancy, int) and 1 <= self.poignancy <= 10 else None
        return Entry(self.description, value, vector if has_direction(vector) else None, weight)


def _said_by(entry: Entry) -> _Said:
    value = entry.value
    created = datetime.datetime.fromisoformat(value["created"])
    expiration = datetime.datetime.fromisoformat(value["expiration"]) if value["expiration"] else None
    subject, predicate, object = value["spo"]
    return _Said(created, expiration, (subject, predicate, object), entry.text, set(value["keywords"]),
                 value["poignancy"], (value["embedding_key"], unpacked(value["embedding"])), value["filling"])


def _said_in_file(details: Mapping[str, Any], embeddings: Mapping[str, Sequence[float]]) -> _Said:
    def time(text: str) -> datetime.datetime:
        return datetime.datetime.strptime(text, _TIME)
    key, description = details["embedding_key"], details["description"]
    if details["type"] == "event":
        description = _event_description(description)
    return _Said(time(details["created"]), time(details["expiration"]) if details["expiration"] else None,
                 (details["subject"], details["predicate"], details["object"]), description, set(details["keywords"]),
                 details["poignancy"], (key, embeddings[key]), details["filling"])


def _event_description(text: str) -> str:
    """Of "Ana is at work (lighting the lamp)" the first words and what is in the brackets."""
    if "(" not in text:
        return text
    return " ".join(text.split()[:3]) + " " + text.split("(")[-1][:-1]


class AssociativeMemory:
    """What one persona has seen, thought and talked about.

        AssociativeMemory("path/of/a/saved/memory")                # gone with the program, as the original
        AssociativeMemory(world=world, actor="Isabella Rodriguez") # found again in the world
        AssociativeMemory("path", world=world, actor="Isabella")   # the path fills a memory that has nothing

    seq_event, seq_thought and seq_chat are newest first; kw_to_* and kw_strength_* have words in lower case;
    embeddings and id_to_node are as the original has them."""

    def __init__(self, f_saved: Optional[Union[str, "os.PathLike[str]"]] = None, *,
                 world: Optional["World"] = None, actor: str = "persona",
                 embed: Optional[Callable[[str], Sequence[float]]] = None) -> None:
        from .. import open_in_memory
        self.embed = embed
        self.id_to_node: Dict[str, ConceptNode] = {}
        self.seq_event: List[ConceptNode] = []
        self.seq_thought: List[ConceptNode] = []
        self.seq_chat: List[ConceptNode] = []
        self.kw_to_event: Dict[str, List[ConceptNode]] = {}
        self.kw_to_thought: Dict[str, List[ConceptNode]] = {}
        self.kw_to_chat: Dict[str, List[ConceptNode]] = {}
        self.kw_strength_event: Dict[str, int] = {}
        self.kw_strength_thought: Dict[str, int] = {}
        self.embeddings: Dict[str, Any] = {}
        self._nodes: Dict[str, ConceptNode] = {}  # by the ids of the world
        world = open_in_memory(embedder="none") if world is None else world
        self._shelf = Shelf(world, actor, "generative_agents")
        self._accesses = Shelf(world, actor, "generative_agents.accesses")
        self._find_again()
        if f_saved is not None and not self.id_to_node:
            self._load(os.fspath(f_saved))

    def add_event(self, created: datetime.datetime, expiration: Optional[datetime.datetime], s: Any, p: Any,
                  o: Any, description: str, keywords: Iterable[str], poignancy: Any,
                  embedding_pair: Tuple[str, Sequence[float]], filling: Any) -> ConceptNode:
        """Something seen. What is "idle" makes no word stronger."""
        return self._add("event", _Said(created, expiration, (s, p, o), _event_description(description),
                                        keywords, poignancy, embedding_pair, filling))

    def add_thought(self, created: datetime.datetime, expiration: Optional[datetime.datetime], s: Any, p: Any,
                    o: Any, description: str, keywords: Iterable[str], poignancy: Any,
                    embedding_pair: Tuple[str, Sequence[float]], filling: Any) -> ConceptNode:
        """A thought, one deeper than the deepest of what it rests on: `filling` has the ids."""
        return self._add("thought", _Said(created, expiration, (s, p, o), description, keywords, poignancy,
                                          embedding_pair, filling))

    def add_chat(self, created: datetime.datetime, expiration: Optional[datetime.datetime], s: Any, p: Any,
                 o: Any, description: str, keywords: Iterable[str], poignancy: Any,
                 embedding_pair: Tuple[str, Sequence[float]], filling: Any) -> ConceptNode:
        """A talk: `filling` has pairs of who said what."""
        return self._add("chat", _Said(created, expiration, (s, p, o), description, keywords, poignancy,
                                       embedding_pair, filling))

    def retrieve_relevant_events(self, s_content: str, p_content: str, o_content: str) -> Set[ConceptNode]:
        """The events that have one of these among their keywords. Those are in lower case, so that these
        have to be, too."""
        return {node for word in (s_content, p_content, o_content) for node in self.kw_to_event.get(word, ())}

    def retrieve_relevant_thoughts(self, s_content: str, p_content: str, o_content: str) -> Set[ConceptNode]:
        """The same of thoughts."""
        return {node for word in (s_content, p_content, o_content)
                for node in self.kw_to_thought.get(word, ())}

    def get_last_chat(self, target_persona_name: str) -> Union[ConceptNode, bool]:
        """The newest talk with somebody; False if there was none."""
        talks = self.kw_to_chat.get(target_persona_name.lower())
        return talks[0] if talks else False

    def get_summarized_latest_events(self, retention: int) -> Set[Tuple[Any, Any, Any]]:
        """Subject, predicate and object of the newest events."""
        return {node.spo_summary() for node in self.seq_event[:retention]}

    def get_str_seq_events(self) -> str:
        return "".join(_numbered("Event", self.seq_event, place) + "\n"
                       for place in range(len(self.seq_event)))

    def get_str_seq_thoughts(self) -> str:
        return "".join(_numbered("Thought", self.seq_thought, place)
                       for place in range(len(self.seq_thought)))

    def get_str_seq_chats(self) -> str:
        lines = []
        for node in self.seq_chat:
            lines.append(f"with {getattr(node.object, 'content', node.object)} ({node.description})")
            lines.append(node.created.strftime("%B %d, %Y, %H:%M:%S"))
            lines += [f"{row[0]}: {row[1]}" for row in node.filling]
        return "".join(line + "\n" for line in lines)

    def save(self, out_json: Union[str, "os.PathLike[str]"]) -> None:
        """Writes nodes.json, kw_strength.json and embeddings.json, which the original loads, too."""
        nodes = {}
        for node in sorted(self.id_to_node.values(), key=lambda node: -node.node_count):
            nodes[node.node_id] = {
                "node_count": node.node_count, "type_count": node.type_count, "type": node.type,
                "depth": node.depth, "created": node.created.strftime(_TIME),
                "expiration": node.expiration.strftime(_TIME) if node.expiration else None,
                "subject": node.subject, "predicate": node.predicate, "object": node.object,
                "description": node.description, "embedding_key": node.embedding_key,
                "poignancy": node.poignancy, "keywords": sorted(node.keywords), "filling": node.filling}
        strengths = {"kw_strength_event": self.kw_strength_event,
                     "kw_strength_thought": self.kw_strength_thought}
        embeddings = {key: [float(number) for number in vector] for key, vector in self.embeddings.items()}
        for name, said in (("nodes", nodes), ("kw_strength", strengths), ("embeddings", embeddings)):
            with open(os.path.join(out_json, name + ".json"), "w", encoding="utf-8") as file:
                json.dump(said, file)

    def touch(self, nodes: Sequence[ConceptNode], time: datetime.datetime) -> None:
        """These were accessed at that time; it is known again with the rest."""
        for node in nodes:
            node.last_accessed = time
        if nodes:
            self._accesses.append([Entry(f"{len(nodes)} accessed", {
                "time": time.isoformat(), "nodes": [node.node_count for node in nodes]})])

    def distances(self, vectors: Sequence[Sequence[float]]) -> List[Dict[str, float]]:
        """For each vector the cosine distance of every node, by node_id. What has no direction is far from
        everything: 1."""
        asked = [[float(number) for number in vector] for vector in vectors]
        pointing = [vector for vector in asked if has_direction(vector)]
        found = iter(self._shelf.nearest(pointing, len(self._nodes)) if pointing and self._nodes else [])
        far = dict.fromkeys(self.id_to_node, 1.0)
        return [{**far, **{self._nodes[id].node_id: distance for id, distance in next(found, [])}}
                if has_direction(vector) else far for vector in asked]

    def _add(self, kind: str, said: _Said) -> ConceptNode:
        ids = self._shelf.append([said.entry(kind)])
        return self._keep(ids[0], kind, said)

    def _keep(self, id: str, kind: str, said: _Said) -> ConceptNode:
        sequence: List[ConceptNode] = getattr(self, f"seq_{kind}")
        depth = 0
        if kind == "thought":
            depth = 1
            if said.filling and all(below in self.id_to_node for below in said.filling):
                depth += max(self.id_to_node[below].depth for below in said.filling)
        node = ConceptNode(len(self.id_to_node) + 1, len(sequence) + 1, kind, depth, said)
        sequence.insert(0, node)
        words = [word.lower() for word in said.keywords]
        by_word: Dict[str, List[ConceptNode]] = getattr(self, f"kw_to_{kind}")
        for word in words:
            by_word.setdefault(word, []).insert(0, node)
        self.id_to_node[node.node_id] = node
        self._nodes[id] = node
        if kind != "chat" and f"{node.predicate} {node.object}" != "is idle":
            strengths: Dict[str, int] = getattr(self, f"kw_strength_{kind}")
            for word in words:
                strengths[word] = strengths.get(word, 0) + 1
        self.embeddings[said.embedding_key] = said.embedding
        return node

    def _load(self, place: str) -> None:
        """What the original has saved, as one write."""
        def read(name: str) -> Dict[str, Any]:
            with open(os.path.join(place, name + ".json"), encoding="utf-8") as file:
                return dict(json.load(file))
        embeddings, nodes, strengths = read("embeddings"), read("nodes"), read("kw_strength")
        self.embeddings.update(embeddings)
        told = [nodes[f"node_{number}"] for number in range(1, len(nodes) + 1)]
        said = [(details["type"], _said_in_file(details, embeddings)) for details in told]
        facts = {"after": len(said), **{name: strengths[name] for name in strengths if strengths[name]}}
        ids = self._shelf.replace([one.entry(kind) for kind, one in said], facts)
        for id, (kind, one) in zip(ids, said):
            self._keep(id, kind, one)
        self._set_strengths(facts)

    def _set_strengths(self, facts: Mapping[str, Any]) -> None:
        """A file says how strong words were when it was saved."""
        for name in ("kw_strength_event", "kw_strength_thought"):
            if facts.get(name):
                setattr(self, name, dict(facts[name]))

    def _find_again(self) -> None:
        facts = self._shelf.facts
        for number, (id, entry) in enumerate(self._shelf.entries(), 1):
            self._keep(id, entry.value["type"], _said_by(entry))
            if number == facts.get("after"):
                self._set_strengths(facts)
        for _, entry in self._accesses.entries():
            for number in entry.value["nodes"]:
                node = self.id_to_node.get(f"node_{number}")
                if node is not None:
                    node.last_accessed = datetime.datetime.fromisoformat(entry.value["time"])


def new_retrieve(persona: Any, focal_points: Sequence[str], n_count: int = 30, *,
                 embed: Optional[Callable[[str], Sequence[float]]] = None,
                 recency: str = "newest") -> Dict[str, List[ConceptNode]]:
    """For each focal point the events and thoughts that matter most: recency, relevance and importance, each
    brought between 0 and 1, weigh 0.5, 3 and 2, times the weights of persona.scratch. What is "idle" is left
    out. What is returned was accessed at persona.scratch.curr_time.

        new_retrieve(persona, ["what is Ana planning?"], n_count=10, embed=embed)

    embed    what embeds a focal point: else the memory's `embed`, else the framework's get_embedding
    recency  "newest": what was accessed last decays least. "original": the original gives decay ** 1 to the
             one accessed longest ago, so that the oldest count as the most recent."""
    if recency not in ("newest", "original"):
        raise ValueError(f'recency is "newest" or "original", not {recency!r}')
    memory, scratch = persona.a_mem, persona.scratch
    embed = embed or memory.embed or found("persona.prompt_template.gpt_structure", "get_embedding")
    if embed is None:
        raise ValueError("nothing embeds a focal point: new_retrieve(..., embed=...)")
    distances = memory.distances([embed(focal_point) for focal_point in focal_points])
    retrieved: Dict[str, List[ConceptNode]] = {}
    touched: Dict[str, ConceptNode] = {}
    for focal_point, distance in zip(focal_points, distances):
        scores = _scores(memory, scratch, distance, recency == "original")
        best = sorted(scores, key=lambda id: scores[id], reverse=True)[:n_count]
        retrieved[focal_point] = [memory.id_to_node[id] for id in best]
        for node in retrieved[focal_point]:
            node.last_accessed = scratch.curr_time  # counts for the next focal point
            touched[node.node_id] = node
    memory.touch(list(touched.values()), scratch.curr_time)
    return retrieved


def _scores(memory: AssociativeMemory, scratch: Any, distance: Mapping[str, float],
            oldest_first: bool) -> Dict[str, float]:
    nodes = [node for node in memory.seq_event + memory.seq_thought if "idle" not in node.embedding_key]
    if not nodes:
        return {}
    if oldest_first:
        nodes.sort(key=lambda node: node.last_accessed)
    else:
        nodes.sort(key=lambda node: (node.last_accessed, node.node_count), reverse=True)
    recencies = _between_0_and_1([scratch.recency_decay ** place for place in range(1, len(nodes) + 1)])
    relevances = _between_0_and_1([1.0 - distance[node.node_id] for node in nodes])
    importances = _between_0_and_1([float(node.poignancy) for node in nodes])
    recency, relevance, importance = _WEIGHTS
    return {node.node_id: scratch.recency_w * a * recency + scratch.relevance_w * b * relevance
            + scratch.importance_w * c * importance
            for node, a, b, c in zip(nodes, recencies, relevances, importances)}


def _between_0_and_1(values: Sequence[float]) -> List[float]:
    low, high = min(values), max(values)
    if high == low:
        return [0.5] * len(values)
    return [(value - low) / (high - low) for value in values]


def _numbered(kind: str, sequence: Sequence[ConceptNode], place: int) -> str:
    node = sequence[place]
    return str((kind, len(sequence) - place, ": ", node.spo_summary(), " -- ", node.description))

"""A memory for Mesa-LLM's agents over a mneme world.

    from mneme.adapters.mesa_llm import MnemeMemory

    class Citizen(LLMAgent):
        def __init__(self, model, ...):
            ...
            self.memory = MnemeMemory(agent=self, n=5, world=model.world)

The signatures are those of mesa_llm.memory.memory.Memory; what its tests read of a short-term memory
(short_term_memory, step_content, last_observation) is there.
"""

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Deque, Dict, Iterable, List, Optional, Union

from .frameworks import base, found
from .shelf import Entry, Shelf
from .values import from_json, to_json

if TYPE_CHECKING:
    from ..world import World
    _Memory = object
else:
    _Memory = base("mesa_llm.memory.memory", "Memory")

_ADDITIVE = ("message", "action")  # what happens several times in a step, and is a list


@dataclass
class MemoryEntry:
    """What happened in one step. Stands in for Mesa-LLM's own where that is not installed."""

    content: Dict[str, Any]
    step: Optional[int]
    agent: Any


class MnemeMemory(_Memory):
    """The last n steps of an agent as they are, and of the older ones those that resemble the present.

        MnemeMemory(agent, n=5, recalled=3, world=world)

    Every step is kept in the world (one in memory, where none is given) and found again there: give all
    agents of a model the same world. Older steps are found by the world's own embedder, so that no model is
    asked. `actor` is whose memory it is; else the agent's class and unique_id."""

    def __init__(self, agent: Any, llm_model: Optional[str] = None, display: bool = True, *, n: int = 5,
                 recalled: int = 3, additive_event_types: Optional[Iterable[str]] = None,
                 world: Optional["World"] = None, actor: Optional[str] = None) -> None:
        from .. import open_in_memory
        if n < 1:
            raise ValueError("n is 1 or more")
        if _Memory is not object:
            super().__init__(agent=agent, llm_model=llm_model, display=display)  # type: ignore[call-arg]
        self.agent = agent
        self.display = display
        self.n, self.recalled = n, recalled
        self.additive_event_types = set(_ADDITIVE if additive_event_types is None else additive_event_types)
        self.step_content: Dict[str, Any] = {}
        self.last_observation: Dict[str, Any] = {}
        self._begun: Optional[Dict[str, Any]] = None
        self._shelf = Shelf(open_in_memory() if world is None else world,
                            actor or f"{type(agent).__name__}-{agent.unique_id}", "mesa_llm")
        self._old: Dict[str, Any] = {}  # entries by their ids in the world, the oldest first
        self.short_term_memory: Deque[Any] = deque(maxlen=n)
        for id, entry in self._shelf.entries():
            self._keep(id, self._entry(from_json(entry.value["content"]), entry.value["step"]))

    def add_to_memory(self, type: str, content: Dict[str, Any]) -> None:
        """Something of this step. Of an observation only what has changed; messages and actions gather."""
        if not isinstance(content, dict):
            raise TypeError(f"content is a dict, not {content!r}")
        if type in self.additive_event_types:
            self.step_content.setdefault(type, []).append(content)
        elif type == "observation":
            changed = {key: value for key, value in content.items() if value != self.last_observation.get(key)}
            if changed:
                self.step_content[type] = changed
        else:
            self.step_content[type] = content
        if type == "observation":
            self.last_observation = content

    def process_step(self, pre_step: bool = False) -> None:
        """Before the agent's step, with pre_step, and after it: then what both said becomes one entry. Where that
        is refused, what was said is there still."""
        if pre_step:
            self._begun, self.step_content = self.step_content, {}
            return
        if self._begun is None:
            return
        content = {**self.step_content, **self._begun}
        for type in self.additive_event_types & set(self._begun) & set(self.step_content):
            content[type] = [*_listed(self._begun[type]), *_listed(self.step_content[type])]
        entry = self._entry(content, _step(self.agent.model))
        ids = self._shelf.append([Entry(_text(content), {"content": to_json(content, repr), "step": entry.step})])
        self._begun, self.step_content = None, {}
        self._keep(ids[0], entry)
        if self.display and hasattr(entry, "display"):
            entry.display()

    async def aprocess_step(self, pre_step: bool = False) -> None:
        """process_step, to be awaited."""
        self.process_step(pre_step)

    async def aadd_to_memory(self, type: str, content: Dict[str, Any]) -> None:
        """add_to_memory, to be awaited."""
        self.add_to_memory(type, content)

    def recall(self, query: str, limit: Optional[int] = None) -> List[Any]:
        """Steps that are no longer in the short-term memory and that words and meaning find, the oldest
        first."""
        wanted = self.recalled if limit is None else limit
        recent = {id(entry) for entry in self.short_term_memory}
        if wanted <= 0 or not query.strip() or len(self._old) <= len(recent):
            return []
        hits = [self._old[hit] for hit, _ in self._shelf.search(query, wanted + self.n) if hit in self._old]
        chosen = {id(entry) for entry in [entry for entry in hits if id(entry) not in recent][:wanted]}
        return [entry for entry in self._old.values() if id(entry) in chosen]

    def format_short_term(self) -> str:
        """The last steps, a line each."""
        return _lines(self.short_term_memory) or "No recent memory."

    def get_prompt_ready(self) -> str:
        """The last steps, and older ones that resemble what is happening now."""
        now = self.step_content or self._begun or (
            self.short_term_memory[-1].content if self.short_term_memory else {})
        older = _lines(self.recall(_text(now)))
        return (f"Long term memory:\n {older}\n" if older else "") + \
            f"Short term memory:\n {self.format_short_term()}\n"

    def get_communication_history(self) -> str:
        """The messages of the last steps."""
        return "\n".join(f"step {entry.step}: {message}\n\n" for entry in self.short_term_memory
                         for message in _listed(entry.content.get("message", [])))

    def _entry(self, content: Dict[str, Any], step: Optional[int]) -> Any:
        kind = found("mesa_llm.memory.memory", "MemoryEntry", MemoryEntry)
        return kind(content=content, step=step, agent=self.agent)

    def _keep(self, id: str, entry: Any) -> None:
        self._old[id] = entry
        self.short_term_memory.append(entry)


def _step(model: Any) -> Optional[int]:
    told = found("mesa_llm.model_step", "get_model_step")
    step: Optional[int] = told(model) if told is not None else getattr(model, "steps", None)
    return step


def _listed(value: Any) -> List[Any]:
    return value if isinstance(value, list) else [value]


def _lines(entries: Iterable[Any]) -> str:
    return "\n".join(f"Step {entry.step}: \n{entry.content}" for entry in entries)


def _text(value: Union[Dict[str, Any], Any]) -> str:
    """All that is said in a content, for a search."""
    if isinstance(value, dict):
        return " ".join(f"{key} {_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(_text(item) for item in value)
    return str(value)

"""The stream memory of AgentSociety's agents over a mneme world.

    from mneme.adapters.agent_society import MnemeStreamMemory

    stream = MnemeStreamMemory(environment, world=world, actor="citizen 7")
    await stream.add(topic="event", description="met Bo at the market")
    await stream.search("who was at the market?", top_k=3)

The signatures are those of agentsociety's StreamMemory: `tag` as its first generation has it, `topic` as 1.5
does. """

import inspect
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from .shelf import Entry, Shelf

if TYPE_CHECKING:
    from ..world import World

_EVERYTHING = 1_000_000


class MnemeStreamMemory:
    """What one agent lives through, by day and time.

        MnemeStreamMemory(environment)                              # environment.get_datetime() -> (day, seconds)
        MnemeStreamMemory(clock=lambda: (0, 3600), world=world, actor="citizen 7")    # found again in the world

    Searches are by words and meaning, by the world's own embedder; only an agent's own memories are looked
    at, however many agents share the world. `clock` and `where`, which gives the place, may be async."""

    def __init__(self, environment: Any = None, *, clock: Optional[Callable[[], Any]] = None,
                 where: Optional[Callable[[], Any]] = None, world: Optional["World"] = None,
                 actor: str = "agent") -> None:
        from .. import open_in_memory
        if clock is None and environment is None:
            raise ValueError("a stream needs an environment with get_datetime(), or a clock")
        self._clock = clock if clock is not None else environment.get_datetime
        self._where = where or (lambda: "unknown")
        self._shelf = Shelf(open_in_memory() if world is None else world, actor, "agent_society")
        self._memories: List[Dict[str, Any]] = []
        self._numbers: Dict[str, int] = {}  # by ids of the world
        for id, entry in self._shelf.entries():
            self._keep(id, entry.text, entry.value)

    async def add(self, topic: str, description: str) -> int:
        """Its number: 0, 1 and so on."""
        return await self._add(topic, description, [])

    async def add_event(self, description: str) -> int:
        return await self.add("event", description)

    async def add_social(self, description: str) -> int:
        return await self.add("social", description)

    async def add_economy(self, description: str) -> int:
        return await self.add("economy", description)

    async def add_mobility(self, description: str) -> int:
        return await self.add("mobility", description)

    async def add_cognition(self, description: str) -> int:
        return await self.add("cognition", description)

    async def add_other(self, description: str) -> int:
        return await self.add("other", description)

    async def add_cognition_to_memory(self, memory_ids: Union[int, Sequence[int]], cognition: str) -> None:
        """A thought about memories: it is told with them from now on. ValueError where there is none of
        them."""
        wanted = [memory_ids] if isinstance(memory_ids, int) else list(memory_ids)
        about = [number for number in wanted if 0 <= number < len(self._memories)]
        if not about:
            raise ValueError(f"there are no memories {wanted}")
        await self._add("cognition", cognition, about)

    async def search(self, query: str, tag: Any = None, top_k: int = 3,
                     day_range: Optional[Tuple[int, int]] = None, time_range: Optional[Tuple[int, int]] = None,
                     *, topic: Any = None) -> str:
        """The best, a line each; days and times with both their ends. Without a query the newest, in their
        order."""
        wanted = _name(topic if topic is not None else tag)

        def fits(memory: Dict[str, Any]) -> bool:
            return (wanted is None or memory["topic"] == wanted) \
                and (day_range is None or day_range[0] <= memory["day"] <= day_range[1]) \
                and (time_range is None or time_range[0] <= memory["t"] <= time_range[1])
        if top_k <= 0:
            return "Nothing"
        if not query.strip():
            return self._told([memory for memory in self._memories if fits(memory)][-top_k:])
        hits = self._shelf.search(query, max(1, min(len(self._memories), _EVERYTHING)))
        found = [self._memories[self._numbers[id]] for id, _ in hits if id in self._numbers]
        return self._told([memory for memory in found if fits(memory)][:top_k])

    async def search_today(self, query: str = "", tag: Any = None, top_k: int = 100, *, topic: Any = None) -> str:
        """The same of this day alone."""
        day, _ = await self._now()
        return await self.search(query, tag, top_k, (day, day), topic=topic)

    async def get_by_ids(self, memory_ids: Union[int, Sequence[int]]) -> str:
        """These, a line each."""
        wanted = [memory_ids] if isinstance(memory_ids, int) else list(memory_ids)
        return self._told([self._memories[number] for number in wanted if 0 <= number < len(self._memories)])

    async def get_all(self) -> List[Dict[str, Any]]:
        """All of them: id, topic, day, t, location, description, cognition_id."""
        return [dict(memory) for memory in self._memories]

    async def _now(self) -> Tuple[int, int]:
        day, seconds = await _awaited(self._clock())
        return int(day), int(seconds)

    async def _add(self, topic: Any, description: str, about: List[int]) -> int:
        day, seconds = await self._now()
        value = {"topic": _name(topic), "day": day, "t": seconds, "location": str(await _awaited(self._where())),
                 "about": about}
        self._keep(self._shelf.append([Entry(description, value)])[0], description, value)
        return len(self._memories) - 1

    def _keep(self, id: str, description: str, value: Dict[str, Any]) -> None:
        number = len(self._memories)
        self._numbers[id] = number
        self._memories.append({"id": number, "topic": value["topic"], "day": value["day"], "t": value["t"],
                               "location": value["location"], "description": description, "cognition_id": None})
        for earlier in value["about"]:
            self._memories[earlier]["cognition_id"] = number

    def _told(self, memories: List[Dict[str, Any]]) -> str:
        return "\n".join(self._line(memory) for memory in memories) or "Nothing"

    def _line(self, memory: Dict[str, Any]) -> str:
        hours, rest = divmod(memory["t"], 3600)
        line = (f"- [{memory['topic']}]: {memory['description']} [day: {memory['day']}, "
                f"time: {hours:02d}:{rest // 60:02d}:{rest % 60:02d}, location: {memory['location']}]")
        if memory["cognition_id"] is None:
            return line
        return f"{line}\n  Related cognition: {self._memories[memory['cognition_id']]['description']}"


def _name(topic: Any) -> Optional[str]:
    """Of a topic, or of a member of an enum of them."""
    return None if topic is None else str(getattr(topic, "value", topic))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value

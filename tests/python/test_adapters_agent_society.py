"""AgentSociety's stream memory."""

import asyncio
import enum

import pytest

import mneme
from mneme.adapters.agent_society import MnemeStreamMemory


class Tag(enum.Enum):
    EVENT = "event"


class Environment:
    def __init__(self):
        self.now = (0, 8 * 3600)

    def get_datetime(self):
        return self.now


def test_a_stream_is_lived_and_searched(tmp_path):
    async def live(stream, environment):
        assert await stream.add_event("met Bo at the market") == 0
        assert await stream.add_economy("bought fish for 3 coins") == 1
        environment.now = (1, 9 * 3600 + 61)
        assert await stream.add("social", "Bo tells of the lighthouse") == 2
        assert await stream.add_mobility("walked to the lighthouse") == 3
        await stream.add_cognition_to_memory([0, 2, 99], "Bo is a friend")
        with pytest.raises(ValueError):
            await stream.add_cognition_to_memory(99, "nothing")

    async def ask(stream, environment):
        fish = "- [economy]: bought fish for 3 coins [day: 0, time: 08:00:00, location: unknown]"
        assert await stream.search("who sells fish?", top_k=1) == fish
        assert await stream.search("lighthouse", tag=Tag.EVENT) == "Nothing"
        assert (await stream.search("lighthouse", topic="mobility")).count("\n") == 0
        assert await stream.search("fish", day_range=(1, 1)) == "Nothing"
        assert await stream.search("fish", time_range=(0, 8 * 3600)) == fish
        assert await stream.search("fish", time_range=(0, 7 * 3600)) == "Nothing"
        assert await stream.search("fish", top_k=0) == "Nothing"
        today = await stream.search_today()
        assert [line[:6] for line in today.split("\n")] == ["- [soc", "  Rela", "- [mob", "- [cog"]
        assert "time: 09:01:01" in today
        assert "Related cognition: Bo is a friend" in await stream.get_by_ids([0])
        everything = await stream.get_all()
        assert [memory["id"] for memory in everything] == [0, 1, 2, 3, 4]
        assert [memory["cognition_id"] for memory in everything] == [4, None, 4, None, None]
        assert await stream.get_by_ids(7) == "Nothing"
    environment = Environment()
    with mneme.open(tmp_path / "w") as world:
        stream = MnemeStreamMemory(environment, world=world, actor="ana")
        other = MnemeStreamMemory(environment, world=world, actor="bo")
        asyncio.run(other.add_event("fish fish fish"))
        asyncio.run(live(stream, environment))
        asyncio.run(ask(stream, environment))
    with mneme.open(tmp_path / "w") as world:
        asyncio.run(ask(MnemeStreamMemory(environment, world=world, actor="ana"), environment))


def test_clocks_and_places_may_be_awaited():
    async def clock():
        return 2, 60

    async def where():
        return "the harbour"
    stream = MnemeStreamMemory(clock=clock, where=where)
    asyncio.run(stream.add_other("rain"))
    assert asyncio.run(stream.search_today()) == "- [other]: rain [day: 2, time: 00:01:00, location: the harbour]"
    with pytest.raises(ValueError):
        MnemeStreamMemory()

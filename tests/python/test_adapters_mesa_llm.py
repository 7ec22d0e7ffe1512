"""Mesa-LLM's memory: what its own tests read of one."""

import asyncio
import importlib
import sys
import types
from collections import deque

import pytest

import mneme
from mneme.adapters import mesa_llm
from mneme.adapters.mesa_llm import MemoryEntry, MnemeMemory


class Citizen:
    def __init__(self, number=1):
        self.unique_id = number
        self.model = types.SimpleNamespace(steps=1)


def lived(memory, step, **content):
    memory.agent.model.steps = step
    for type, said in content.items():
        memory.add_to_memory(type, said)
    memory.process_step(pre_step=True)
    memory.process_step()


def test_a_step_is_before_and_after():
    memory = MnemeMemory(Citizen(), display=False)
    assert isinstance(memory.short_term_memory, deque) and memory.step_content == {}
    memory.step_content = {"observation": "seeing a cat"}
    memory.process_step(pre_step=True)
    assert memory.step_content == {} and not memory.short_term_memory
    memory.step_content = {"plan": "pet the cat"}
    memory.process_step()
    entry, = memory.short_term_memory
    assert entry.step == 1 and memory.step_content == {}
    assert entry.content == {"observation": "seeing a cat", "plan": "pet the cat"}
    memory.process_step()
    assert len(memory.short_term_memory) == 1


def test_a_step_that_is_refused_is_not_lost():
    with mneme.open_in_memory() as world:
        memory = MnemeMemory(Citizen(), display=False, world=world)
        memory.add_to_memory("observation", {"seen": "a cat"})
        memory.process_step(pre_step=True)
        memory.add_to_memory("plan", {"text": "x" * 2_000_000})
        memory.add_to_memory("action", {"did": "sat down"})
        with pytest.raises(mneme.InvalidRequest):
            memory.process_step()
        assert not memory.short_term_memory and set(memory.step_content) == {"plan", "action"}
        memory.step_content["plan"] = {"text": "pet the cat"}
        memory.process_step()
        said = {"observation": {"seen": "a cat"}, "plan": {"text": "pet the cat"}, "action": [{"did": "sat down"}]}
        again = MnemeMemory(Citizen(), display=False, world=world)
        for one in (memory, again):
            assert [entry.content for entry in one.short_term_memory] == [said] and one.step_content == {}


def test_observations_are_what_has_changed():
    memory = MnemeMemory(Citizen())
    memory.add_to_memory("observation", {"pos": (0, 0), "near": ["Bo"]})
    memory.step_content = {}
    memory.add_to_memory("observation", {"pos": (1, 1), "near": ["Bo"]})
    assert memory.step_content == {"observation": {"pos": (1, 1)}}
    assert memory.last_observation == {"pos": (1, 1), "near": ["Bo"]}
    memory.step_content = {}
    memory.add_to_memory("observation", {"pos": (1, 1), "near": ["Bo"]})
    assert memory.step_content == {}
    with pytest.raises(TypeError):
        memory.add_to_memory("observation", "a text")


@pytest.mark.parametrize("type", ["message", "action"])
def test_messages_and_actions_gather(type):
    memory = MnemeMemory(Citizen(), display=False)
    before, after = {"message": "before", "sender": "A1"}, {"message": "after", "sender": "A2"}
    memory.add_to_memory(type, before)
    assert memory.step_content[type] == [before]
    memory.process_step(pre_step=True)
    memory.add_to_memory(type, after)
    memory.process_step()
    assert memory.short_term_memory[-1].content[type] == [before, after]
    memory.add_to_memory("Plan", {"content": "a"})
    memory.add_to_memory("Plan", {"content": "b"})
    assert memory.step_content["Plan"] == {"content": "b"}
    custom = MnemeMemory(Citizen(), additive_event_types=["observation"])
    custom.add_to_memory("observation", {"pos": 0})
    custom.add_to_memory("observation", {"pos": 0})
    assert custom.step_content["observation"] == [{"pos": 0}, {"pos": 0}]


def test_awaited():
    async def live(memory):
        await memory.aadd_to_memory("message", {"message": "hello"})
        await memory.aprocess_step(pre_step=True)
        await memory.aprocess_step()
    memory = MnemeMemory(Citizen(), display=False)
    asyncio.run(live(memory))
    assert "hello" in memory.get_communication_history()


def test_what_is_told():
    memory = MnemeMemory(Citizen(), display=False, n=2)
    assert memory.format_short_term() == "No recent memory." and memory.get_communication_history() == ""
    memory.short_term_memory.append(MemoryEntry({"message": "Hello there!"}, 1, memory.agent))
    memory.short_term_memory.append(MemoryEntry({"action": "move"}, 1, memory.agent))
    history = memory.get_communication_history()
    assert "step 1: Hello there!" in history and "action" not in history
    with pytest.raises(ValueError):
        MnemeMemory(Citizen(), n=0)


def test_older_steps_that_resemble_the_present_are_told(tmp_path):
    with mneme.open(tmp_path / "w") as world:
        memory = MnemeMemory(Citizen(), display=False, n=2, recalled=1, world=world)
        lived(memory, 1, observation={"seen": "a key under the stone", "by": object()})
        for step in range(2, 9):
            lived(memory, step, observation={"seen": f"rain on day {step}"})
        other = MnemeMemory(Citizen(2), display=False, world=world)
        lived(other, 1, observation={"seen": "another key"})
    with mneme.open(tmp_path / "w") as world:
        memory = MnemeMemory(Citizen(), display=False, n=2, recalled=1, world=world)
        assert [entry.step for entry in memory.short_term_memory] == [7, 8]
        memory.add_to_memory("observation", {"asked": "where is the key?"})
        prompt = memory.get_prompt_ready()
        assert "key under the stone" in prompt and prompt.index("Step 1") < prompt.index("Step 7")
        assert "another" not in prompt and "day 5" not in prompt
        assert memory.recall("", 3) == [] and memory.recall("key", 0) == []


def test_the_class_of_the_framework_is_the_base(monkeypatch):
    shown = []

    class Memory:
        def __init__(self, agent, llm_model=None, display=True):
            self.llm = llm_model

    class Entry(MemoryEntry):
        def display(self):
            shown.append(self.step)
    module = types.ModuleType("mesa_llm.memory.memory")
    module.Memory, module.MemoryEntry = Memory, Entry
    monkeypatch.setitem(sys.modules, "mesa_llm.memory.memory", module)
    try:
        again = importlib.reload(mesa_llm)
        memory = again.MnemeMemory(Citizen(), "a model")
        assert isinstance(memory, Memory) and memory.llm == "a model"
        lived(memory, 3, observation={"seen": "x"})
        assert isinstance(memory.short_term_memory[0], Entry) and shown == [3]
    finally:
        monkeypatch.undo()
        importlib.reload(mesa_llm)


def test_half_of_a_surrogate_pair_is_kept():
    world = mneme.open_in_memory()
    memory = MnemeMemory(Citizen(), n=1, display=False, world=world)
    lived(memory, 1, observation={"seen": "a harbour \ud800"})
    lived(memory, 2, observation={"seen": "a harbour \udc00 again"})
    assert memory.recall("harbour \ud800")[0].content == {"observation": {"seen": "a harbour \ud800"}}
    again = MnemeMemory(Citizen(), n=2, display=False, world=world)
    assert [entry.content for entry in again.short_term_memory] == [
        {"observation": {"seen": "a harbour \ud800"}}, {"observation": {"seen": "a harbour \udc00 again"}}]

#!/usr/bin/env python3
"""A town of agents who live some days, and remember them.

    PYTHONPATH=build/check/python examples/town/town.py DATA WORLD [--days 2]

DATA is a folder with what is known of them: meta.json (start_date, persona_names), personas.jsonl (name,
currently), memories.jsonl (scope, type, text, poignancy) and movement.jsonl (who, time, act). Each hour is
two ticks of the engine: all agents look into their memories at one moment, and all that comes of it is one
commit. What an agent does is what the record says for that hour; else it is drawn from what is done in town,
by the name, the hour and what the agent remembered: in a simulator a model would reply here.

Killed at any moment and started again, it goes on with the hour that it was in, and all remember what they
would have. A town that was lived in one go has the same root when it is lived again: --check does so, in
memory. (Under a root are salts, too, which an engine that was started anew draws anew.) Of any town `mneme
replay WORLD --into COPY` has the same root. """

import argparse
import datetime
import hashlib
import json
import pathlib
import sys

import mneme
from mneme import asks

ASLEEP = "sleeping"


class Town:
    """What is known before the first hour."""

    def __init__(self, folder):
        self.start = datetime.datetime.strptime(
            json.loads((folder / "meta.json").read_text("utf-8"))["start_date"], "%B %d, %Y")
        self.names = json.loads((folder / "meta.json").read_text("utf-8"))["persona_names"]
        self.past = [row for row in lines(folder / "memories.jsonl") if row["scope"] in self.names]
        self.past += [{"scope": row["name"], "type": "thought", "poignancy": 5, "text": row["currently"]}
                      for row in lines(folder / "personas.jsonl") if row["name"] in self.names]
        self.recorded = {}  # (who, hours since the start) -> act
        for row in lines(folder / "movement.jsonl"):
            at = datetime.datetime.strptime(row["time"], "%B %d, %Y, %H:%M:%S")
            self.recorded.setdefault((row["who"], int((at - self.start).total_seconds() // 3600)), row["act"])
        done = {act for act in self.recorded.values() if not act.startswith(ASLEEP)}
        self.acts = sorted(done) or ["walking @ the town:square"]

    def time(self, hour):
        return (self.start + datetime.timedelta(hours=hour)).isoformat() + "Z"

    def id(self, hour, number):
        """The id of what is written then: a time, a number, and a digest of both."""
        told = f"{hour} {number}".encode()
        since = self.start + datetime.timedelta(hours=hour) - datetime.datetime(1970, 1, 1)
        return asks.ulid((since // datetime.timedelta(milliseconds=1)).to_bytes(6, "big")
                         + number.to_bytes(2, "big") + hashlib.sha256(told).digest()[:8])

    def act(self, name, hour, remembered):
        """The record, or else a reply that stands in for a model's."""
        if (name, hour) in self.recorded:
            return self.recorded[name, hour]
        if hour % 24 < 6:
            return f"{ASLEEP} @ {name}'s home"
        said = "\n".join([name, str(hour), *remembered])
        return self.acts[int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], "big") % len(self.acts)]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def place_of(act):
    """Of "painting @ the town:cafe:kitchen:sink" the room."""
    return ":".join(act.partition(" @ ")[2].split(":")[:3])


def note(name, kind, text, importance=3, after=()):
    more = {"provenance": {"derived_from": list(after)}} if after else {}
    return asks.write("Note", {"statement": text}, actor=name, tags=[kind], importance=max(1, min(10, importance)),
                      **more)


def committed(world, town, writes, hour):
    """All of an hour in one commit, and that it has been. Ids are the town's own: an engine that was started
    anew draws others than one that went on."""
    over = asks.write("Note", {"statement": f"hour {hour} is over"}, actor="town", tags=["clock"],
                      metadata={"hour": hour})
    for number, write in enumerate([*writes, over]):
        write.request["id"] = town.id(hour, number)
    done = world.tick(writes=[*writes, over])
    for written in done.writes:
        if isinstance(written, mneme.MnemeError):
            raise written


def hours_lived(world):
    """The last hour that is over; None of a town that has not begun."""
    over = world.find("Note", where={"has_tag": "clock"}, actor="town", limit=1_000_000, include_ended=True)
    return max((row.metadata.hour for row in over), default=None)


def live(world, town, hour):
    """One hour: everybody remembers, does something, and talks to whom he meets."""
    found = world.tick(reads=[ask for name in town.names for ask in (
        asks.search(f"what does {name} do at {hour % 24}?", actor=name, tag="event", limit=3),
        asks.search(f"what does {name} think of, and plan?", actor=name, tag="thought", limit=1))])
    for hits in found:
        if isinstance(hits, mneme.MnemeError):
            raise hits
    remembered, news = dict(zip(town.names, found[::2])), dict(zip(town.names, found[1::2]))
    acts = {name: town.act(name, hour, remembered[name].texts()) for name in town.names}
    writes = [note(name, "event", f"{name} is {act}") for name, act in acts.items()]
    rooms = {}
    for name, act in acts.items():
        if not act.startswith(ASLEEP):
            rooms.setdefault(place_of(act), []).append(name)
    for together in rooms.values():
        for one, other in zip(together[::2], together[1::2]):
            for teller, listener in ((one, other), (other, one)):
                said = f"{teller} tells {listener}: {(news[teller].texts() or ['nothing new'])[0][:160]}"
                writes += [note(one, "chat", said, 5), note(other, "chat", said, 5)]
    if hour % 24 == 22:
        for name in town.names:
            hits = remembered[name]
            if hits:
                writes.append(note(name, "thought", f"{name} thinks back: {'; '.join(hits.texts())[:300]}", 7,
                                   [hit.uri for hit in hits]))
    committed(world, town, writes, hour)


def run(world, town, days, said=lambda line: None):
    """Lives on from where the world is until the days are over."""
    lived = hours_lived(world)

    if lived is None:
        world.call("clock", now=town.time(-1))
        committed(world, town, [note(row["scope"], row["type"], row["text"], row["poignancy"])
                                for row in town.past], -1)
        lived = -1
    else:
        said(f"goes on behind hour {lived}")
    for hour in range(lived + 1, days * 24):
        world.call("clock", now=town.time(hour))
        live(world, town, hour)
        said(f"hour {hour}: seq {world.root().seq}")
    return world.root()


def told(world, town, days):
    """What they remember: a bar for each day, and what each thinks of first."""
    print("\nmemories made on each day (. = 25)")
    for day in range(days):
        made = world.find("Note", limit=1_000_000, where={"and": [
            {"gte": ["head.created_at", town.time(24 * day)]},
            {"lt": ["head.created_at", town.time(24 * day + 24)]}]})
        kinds = [kind for row in made for kind in row.tags if kind != "clock"]
        for kind in sorted(set(kinds)):
            count = kinds.count(kind)
            print(f"  day {day + 1}  {kind:8} {'.' * (count // 25)} {count}")
    print("\nwhat each remembers of the talks")
    for name in town.names:
        hits = world.search(f"what does somebody tell {name}?", actor=name, tag="chat", limit=1)
        print(f"  {name:20} {hits.texts()[0][:90] if hits else '-'}")


def digest(world, town):
    """Of all that all of them remember."""
    rows = [[row.id, row.actor_scope, row.tags, row.version.data] for name in [*town.names, "town"]
            for row in world.find("Note", actor=name, limit=1_000_000, include_ended=True)]
    return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()


def opened(place=None):
    """A world that repeats: all that is drawn comes from the seed, all times from the town."""
    options = {"seed": 1, "manual_clock": True, "per_request": True, "world_name": "town"}
    return mneme.open_in_memory(**options) if place is None else mneme.open(place, **options)


def main():
    parser = argparse.ArgumentParser(description="A town of agents who live some days, and remember them.")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("world", type=pathlib.Path)
    parser.add_argument("--days", type=int, default=2)
    parser.add_argument("--check", action="store_true",
                        help="live the same days again, in memory, and compare roots")
    asked = parser.parse_args()
    town = Town(asked.data)
    print(f"{len(town.names)} agents, {len(town.past)} memories of their past")
    with opened(asked.world) as world:
        in_one_go = hours_lived(world) is None
        root = run(world, town, asked.days, lambda line: print(line, flush=True))
        told(world, town, asked.days)
        memories = digest(world, town)
        print(f"\nroot {root.root} at seq {root.seq}\nmemories {memories}")
    if asked.check:
        with opened() as again:
            same_root = run(again, town, asked.days).root == root.root
            same = digest(again, town) == memories and (same_root or not in_one_go)
        print("lived again:", "the same" if same else "ANOTHER TOWN", "and the same root" if same_root else "")
        return 0 if same else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

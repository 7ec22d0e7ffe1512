"""One agent, turn by turn: what it should know goes before its model, what the model says is done, and
what came of it is remembered, so that what it rested on weighs more the next time.

    python3 agent_loop.py DIR

The model is a record of replies; put a call of your own in its place.
"""

import sys

import mneme

REPLIES = (
    "The pump in shed 3 drips. I note it down.",
    "Shed 3 again: I bring a new seal.",
    "The pump is dry. I write to Ana that shed 3 is done.",
)
REQUESTS = ("Look after shed 3.", "What about the pump in shed 3?", "Finish what is open in shed 3.")


def model(system: str, request: str, turn: int) -> str:
    """What a model would answer to `request`, knowing `system`."""
    return REPLIES[turn]


def take_turn(world: mneme.World, request: str, turn: int) -> str:
    known = world.context(query=request, actor="gardener", budget_tokens=500)
    reply = model(str(known), request, turn)
    cited = [hit.uri for hit in world.search(request, actor="gardener", limit=3)]
    world.write("Note", {"statement": reply}, actor="gardener", tags=["shed"])
    if cited:
        world.call("attest", intent_id="shed-3", outcome="success", cited=cited, actor="gardener")
    return reply


def main() -> None:
    with mneme.open(sys.argv[1]) as world:
        for turn, request in enumerate(REQUESTS):
            print(f"> {request}\n{take_turn(world, request, turn)}")
        print(f"remembers {len(world.list(limit=100, owner='gardener'))} things")


if __name__ == "__main__":
    main()

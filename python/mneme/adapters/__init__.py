"""Drop-in memories: what agent frameworks ask of a memory, over a mneme world. A module for each:

    concordia          AssociativeMemoryBank
    generative_agents  AssociativeMemory, new_retrieve
    camel              MnemeAgentMemory, MnemeMemoryBlock, MnemeKeyValueStorage, MnemeVectorStorage
    mesa_llm           MnemeMemory
    agent_society      MnemeStreamMemory
    langgraph          MnemeStore

None of them needs its framework to be imported; where the framework is there, its own base class is the
base. Each works on a world of its own in memory, or on one that is given to it, where what it remembers is
found again. docs/ADAPTERS.md shows each in use.
"""

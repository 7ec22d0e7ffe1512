/** LangGraph's store over a world: `import { MnemeStore } from "mneme/langgraph"`. */

export { MnemeStore, type MnemeStoreOptions } from "./store.js";

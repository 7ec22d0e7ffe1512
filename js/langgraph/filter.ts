/** Whether a value has what a filter asks for, and a namespace what a condition does. */

import type { MatchCondition } from "@langchain/langgraph-checkpoint";

import type { Namespace, Value } from "./layout.js";

const OPERATORS: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: (value, operand) => value === operand,
  $ne: (value, operand) => value !== operand,
  $gt: (value, operand) => Number(value) > Number(operand),
  $gte: (value, operand) => Number(value) >= Number(operand),
  $lt: (value, operand) => Number(value) < Number(operand),
  $lte: (value, operand) => Number(value) <= Number(operand),
  $in: (value, operand) => Array.isArray(operand) && operand.includes(value),
  $nin: (value, operand) => !Array.isArray(operand) || !operand.includes(value),
};

/** All of a filter: `{kind: "habit"}`, `{hour: {$gte: 5, $lt: 9}}`. What is missing is unequal to everything. */
export function matches(value: Value, filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(([name, told]) => {
    const operators = operatorsOf(told);
    if (operators === undefined) return value[name] === told;
    return operators.every(([operator, operand]) => OPERATORS[operator]!(value[name], operand));
  });
}

/** The texts that whatever matches has, for the index to look for. */
export function equalTexts(filter: Readonly<Record<string, unknown>>): Value {
  const same: Value = {};
  for (const [name, told] of Object.entries(filter)) {
    const equal = typeof told === "string" ? told : operatorsOf(told)?.find(([operator]) => operator === "$eq")?.[1];
    if (typeof equal === "string") same[name] = equal;
  }
  return same;
}

function operatorsOf(told: unknown): [string, unknown][] | undefined {
  if (typeof told !== "object" || told === null) return undefined;
  const entries = Object.entries(told);
  return entries.every(([name]) => Object.hasOwn(OPERATORS, name)) ? entries : undefined;
}

/** Whether a namespace begins, or ends, with a path in which "*" is any label. */
export function matchesPath({ matchType, path }: MatchCondition, namespace: Namespace): boolean {
  if (matchType !== "prefix" && matchType !== "suffix") throw new Error(`Unsupported match type: ${String(matchType)}`);
  if (path.length > namespace.length) return false;
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.every((label, place) => label === "*" || label === namespace[from + place]);
}

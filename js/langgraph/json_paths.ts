/** Texts at paths of a JSON value: "$" for the whole, "a.b", "a[0]", "a[-1]", "a[*].c", "*", "{a,b.c}". */

/** What is said at the path, each for itself; nothing where there is nothing. */
export function textsAt(value: unknown, path: string): string[] {
  if (path === "" || path === "$") return [JSON.stringify(value, null, 2)];
  return at(value, partsOf(path));
}

function partsOf(path: string): string[] {
  return path.match(/\[[^\]]*\]|\{[^}]*\}|[^.[{]+/g) ?? [];
}

function at(value: unknown, parts: readonly string[]): string[] {
  const [part, ...rest] = parts;
  if (part === undefined) return said(value);
  // A choice of fields ends the path, whatever stands behind it.
  if (part.startsWith("{")) return choice(part).flatMap((path) => said(field(value, partsOf(path))));
  return inside(value, part).flatMap((inner) => at(inner, rest));
}

/** The values one step further. */
function inside(value: unknown, part: string): unknown[] {
  if (part === "*") return isObject(value) ? Object.values(value) : [];
  if (!part.startsWith("[")) return isObject(value) && part in value ? [(value as Record<string, unknown>)[part]] : [];
  if (!Array.isArray(value)) return [];
  const place = part.slice(1, -1);
  if (place === "*") return value;
  const index = Number.parseInt(place, 10);
  const found = index < 0 ? value.length + index : index;
  return found >= 0 && found < value.length ? [value[found]] : [];
}

function choice(part: string): string[] {
  return part
    .slice(1, -1)
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
}

function field(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (!isObject(found) || !(name in found)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function said(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return [typeof value === "object" ? JSON.stringify(value, null, 2) : String(value)];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

"""As much of JSON Schema 2020-12 as the servers' documents use; an unknown keyword is an error."""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SILENT = {"description", "title", "$defs", "default", "$schema"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name]) and not (name != "boolean" and isinstance(value, bool))


def problems(value, schema, document, at="$"):
    """What is wrong with `value`; references are resolved in `document`."""
    found = []
    for keyword, rule in schema.items():
        if keyword in SILENT or keyword in ("additionalProperties", "items"):
            continue
        if keyword == "$ref":
            target = document
            for part in rule.removeprefix("#/").split("/"):
                target = target[part]
            found += problems(value, target, document, at)
        elif keyword == "type":
            names = rule if isinstance(rule, list) else [rule]
            if not any(is_type(value, n) for n in names):
                return found + [f"{at}: {value!r} is not {rule}"]
        elif keyword == "const":
            if value != rule:
                found.append(f"{at}: {value!r} is not {rule!r}")
        elif keyword == "enum":
            if value not in rule:
                found.append(f"{at}: {value!r} is not among {rule}")
        elif keyword == "anyOf":
            if all(problems(value, s, document, at) for s in rule):
                found.append(f"{at}: {value!r} fits none of anyOf")
        elif keyword == "oneOf":
            if sum(not problems(value, s, document, at) for s in rule) != 1:
                found.append(f"{at}: {value!r} does not fit exactly one of oneOf")
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                found.append(f"{at}: {value!r} does not match {rule}")
        elif keyword == "minimum":
            if is_type(value, "number") and value < rule:
                found.append(f"{at}: {value} < {rule}")
        elif keyword == "maximum":
            if is_type(value, "number") and value > rule:
                found.append(f"{at}: {value} > {rule}")
        elif keyword == "required":
            if isinstance(value, dict):
                found += [f"{at}: {k} is missing" for k in rule if k not in value]
        elif keyword == "properties":
            if isinstance(value, dict):
                for key, sub in rule.items():
                    if key in value:
                        found += problems(value[key], sub, document, f"{at}.{key}")
        elif keyword in ("minItems", "maxItems", "minProperties", "maxProperties"):
            if isinstance(value, (list, dict)):
                wrong = len(value) < rule if keyword.startswith("min") else len(value) > rule
                if wrong:
                    found.append(f"{at}: {len(value)} members, {keyword} {rule}")
        else:
            raise ValueError(f"{at}: the keyword {keyword} is not known here")
    if isinstance(value, dict) and "additionalProperties" in schema:
        more = schema["additionalProperties"]
        for key in value.keys() - schema.get("properties", {}).keys():
            if more is False:
                found.append(f"{at}: {key} is not allowed")
            elif isinstance(more, dict):
                found += problems(value[key], more, document, f"{at}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += problems(item, schema["items"], document, f"{at}[{i}]")
    return found

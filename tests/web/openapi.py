# SPDX-License-Identifier: Apache-2.0
"""Checks real answers against the description of the API: supports the part of OpenAPI 3.0 that it uses."""

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def resolve(document, node):
    while "$ref" in node:
        found = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


def problems(document, schema, value, place="answer"):
    """The differences between `value` and `schema`, one text each."""
    schema = resolve(document, schema)
    found = [text for part in schema.get("allOf", []) for text in problems(document, part, value, place)]
    if value is None:
        return found + ([] if schema.get("nullable") or "type" not in schema else [f"{place} is null"])
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "integer" and isinstance(value, bool))):
        return found + [f"{place} is {type(value).__name__}, not {kind}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place} is {value!r}, none of {schema['enum']}")
    if kind == "array":
        for i, item in enumerate(value):
            found += problems(document, schema.get("items", {}), item, f"{place}[{i}]")
    if kind == "object":
        found += [f"{place} lacks {key}" for key in schema.get("required", []) if key not in value]
        named = schema.get("properties", {})
        for key, member in value.items():
            if key in named:
                found += problems(document, named[key], member, f"{place}.{key}")
            elif "additionalProperties" in schema:
                found += problems(document, schema["additionalProperties"], member, f"{place}.{key}")
    return found


def problems_of_answer(document, path, status, body):
    """The same for a JSON answer to a GET of `path`, as written in the description."""
    answers = document["paths"][path]["get"]["responses"]
    if str(status) not in answers:
        return [f"{path}: {status} is not described"]
    content = resolve(document, answers[str(status)])["content"]
    if "application/json" not in content:
        return [f"{path}: {status} is described as {list(content)}"]
    return problems(document, content["application/json"]["schema"], body, f"{path} {status}")

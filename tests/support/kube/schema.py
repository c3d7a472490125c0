# SPDX-License-Identifier: Apache-2.0
"""Checks a body against the OpenAPI schema of an API server. Stricter than the server: an unknown field is a problem,
because a server drops it silently."""
import json

TYPES = {"string": str, "object": dict, "array": list, "boolean": bool, "integer": int, "number": (int, float)}


class Schema:
    def __init__(self, file):
        self.definitions = json.loads(file.read_text(encoding="utf-8"))

    def problems(self, body, kind):
        """Problems of a body of this kind: "core.v1.Event"."""
        name = next(name for name in self.definitions if name.endswith("." + kind))
        return list(self._problems(body, {"$ref": "#/definitions/" + name}, kind))

    def _problems(self, value, schema, path):
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[-1]]
        if value is None:
            return  # Omitted, or removed by a patch.
        expected = TYPES.get(schema.get("type"))
        is_bool_for_number = isinstance(value, bool) and expected is not bool
        if expected and (not isinstance(value, expected) or is_bool_for_number):
            yield f"{path}: {value!r} is no {schema['type']}"
        elif isinstance(value, dict):
            yield from self._object_problems(value, schema, path)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._problems(item, schema.get("items", {}), f"{path}[{index}]")

    def _object_problems(self, value, schema, path):
        known = schema.get("properties", {})
        others = schema.get("additionalProperties")
        for name in schema.get("required", []):
            if name not in value:
                yield f"{path}.{name}: missing"
        for name, member in value.items():
            if name in known or others:
                yield from self._problems(member, known.get(name, others), f"{path}.{name}")
            elif known or others is None and schema.get("type") == "object" and "properties" in schema:
                yield f"{path}.{name}: unknown"

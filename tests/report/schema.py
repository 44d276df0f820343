"""A validator for the part of JSON Schema that docs/report.schema.json uses; unknown words fail."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SILENT = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(value, schema, root, at="$"):
    """Every way in which `value` is not what `schema` says."""
    known = SILENT | {"type", "required", "properties", "items", "enum", "const", "$ref", "oneOf",
                      "minimum", "maximum", "additionalProperties"}
    if set(schema) - known:
        return [f"{at}: the schema uses {sorted(set(schema) - known)}, unknown here"]
    found = []
    if "$ref" in schema:
        found += errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    if "oneOf" in schema:
        fits = [not errors(value, choice, root, at) for choice in schema["oneOf"]]
        found += [] if sum(fits) == 1 else [f"{at}: fits {sum(fits)} of oneOf"]
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        return found + [f"{at}: {value!r} is not {names}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is not one of {schema['enum']}")
    if is_type(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{at}: {value} is out of range")
    if isinstance(value, dict):
        found += [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
        for name, part in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            found += errors(part, rule, root, f"{at}.{name}")
    if isinstance(value, list) and "items" in schema:
        for index, part in enumerate(value):
            found += errors(part, schema["items"], root, f"{at}[{index}]")
    return found

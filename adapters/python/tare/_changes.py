"""What was new about the arguments for which a function was compiled again."""
UNKNOWN, VALUE, SHAPE, TYPE, OBJECT, FUNCTION, CONTEXT = range(7)  # enum trace_change of layout.h

_LONGEST = 40


def short(value):
    """As source text, cut when long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST - 1] + "…"


def then(name, one, other):
    """The two values, in words."""
    return f"{name}: {short(one)}, then {short(other)}"


def _compare(name, before, after):
    """(change, words) of one argument, from the types that TensorFlow gave its two values."""
    if type(before) is not type(after):
        return TYPE, f"{name}: {type(before).__name__}, then {type(after).__name__}"
    if hasattr(before, "shape") and hasattr(before, "dtype"):
        if before.dtype != after.dtype:
            return TYPE, then(name, before.dtype.name, after.dtype.name)
        return SHAPE, f"{name}: shape {before.shape}, then {after.shape}"
    if hasattr(before, "value"):
        return VALUE, then(name, before.value, after.value)
    for part in ("components", "mapping"):
        inner = getattr(before, part, None)
        if inner is not None:
            return _compare_parts(name, inner, getattr(after, part))
    return OBJECT, name


def _compare_parts(name, before, after):
    if len(before) != len(after):
        return TYPE, f"{name}: {len(before)} elements, then {len(after)}"
    pairs = before.items() if hasattr(before, "items") else enumerate(before)
    for key, one in pairs:
        other = after[key] if not hasattr(after, "items") or key in after else None
        if one != other:
            return _compare(f"{name}[{key!r}]", one, other)
    return OBJECT, name


def difference(cache, concrete, made_before):
    """(change, words). `made_before`: another function of the same definition had been traced."""
    kept = list(cache._primary.items())  # pylint: disable=protected-access
    if len(kept) < 2:
        return (FUNCTION, "") if made_before else (UNKNOWN, "")
    (context, _), _ = kept[-1]
    (old_context, _), old = kept[-2]
    before, after = old.function_type.parameters, concrete.function_type.parameters
    for name in after:
        if name not in before:
            return TYPE, name
        one, other = before[name].type_constraint, after[name].type_constraint
        if one != other:
            return _compare(name, one, other)
    return (CONTEXT, "") if context != old_context else (UNKNOWN, "")

"""
JSON values to frozen dataclasses and back, by nothing but the annotations of their fields.

It knows text, numbers, flags, choices, tuples, mappings and dataclasses, and no record. What
comes back is what went in: a number stays whole if it was written whole. The key of a field
whose default is None is left out where the field is None.
"""

import dataclasses
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from evaluator.text.messages import first_few

Value = TypeVar("Value")
_SCHEMA_TYPES: Mapping[object, str] = {
    str: "string",
    float: "number",
    int: "integer",
    bool: "boolean",
    type(None): "null",
}
_PLAIN: Mapping[object, str] = {
    str: "text",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    type(None): "null",
}


def from_json(kind: type[Value], value: Any, *, where: str) -> tuple[Value | None, list[str]]:
    """
    A value of this dataclass and no problems, or None and all of them, each with its place.

    A problem is a key that is missing, one that the dataclass does not have, or a value of
    another kind than the annotation says. A trailing underscore of a field's name, as in
    `class_`, is no part of the key.
    """
    problems: list[str] = []
    found = _read(kind, value, where, problems)
    return (None, problems) if problems else (cast(Value, found), [])


def to_json(value: Any) -> Any:
    """Plain dictionaries, lists, text and numbers, ready for a JSON writer."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name.rstrip("_"): to_json(held)
            for field in dataclasses.fields(value)
            if not ((held := getattr(value, field.name)) is None and _may_be_absent(field))
        }
    if isinstance(value, Mapping):
        return {key: to_json(held) for key, held in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(held) for held in value]
    return value


def schema_of(kind: Any, shapes: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an annotation; dataclasses in it go to `shapes`, each by its name."""
    origin, inner = get_origin(kind), get_args(kind)
    found: dict[str, Any] = {}
    if origin in (Union, types.UnionType):
        found = {"anyOf": [schema_of(one, shapes) for one in inner]}
    elif origin is Literal:
        found = {"enum": list(inner)}
    elif origin is tuple and inner[-1] is Ellipsis:
        found = {"type": "array", "items": schema_of(inner[0], shapes)}
    elif origin is tuple:
        each = [schema_of(one, shapes) for one in inner]
        found = {"type": "array", "prefixItems": each, "items": False, "minItems": len(each)}
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        found = {"type": "object", "additionalProperties": schema_of(inner[1], shapes)}
    elif dataclasses.is_dataclass(kind):
        found = {"$ref": f"#/$defs/{_add_shape(kind, shapes)}"}
    elif kind is not Any:
        found = {"type": _SCHEMA_TYPES[kind]}
    return found


def _add_shape(kind: Any, shapes: dict[str, Any]) -> str:
    """The name of a dataclass, which stands in `shapes` from then on."""
    if kind.__name__ not in shapes:
        said = " ".join((kind.__doc__ or "").split())
        shapes[kind.__name__] = shape = dict[str, Any](description=said)
        fields, hints = dataclasses.fields(kind), _hints(kind)
        shape |= {
            "type": "object",
            "properties": {f.name.rstrip("_"): schema_of(hints[f.name], shapes) for f in fields},
            "required": [f.name.rstrip("_") for f in fields if not _may_be_absent(f)],
            "additionalProperties": False,
        }
    return str(kind.__name__)


def _read(kind: Any, value: Any, where: str, problems: list[str]) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any or (value is None and type(None) in inner):
        return value
    if origin in (Union, types.UnionType):
        [kind] = [one for one in inner if one is not type(None)]
        return _read(kind, value, where, problems)
    if origin is tuple:
        return _read_tuple(inner, value, where, problems)
    if dataclasses.is_dataclass(kind) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _read_table(kind, value, where, problems)
    if origin is Literal and value not in inner:
        problems.append(f"{where} is {_shown(value)} where one of {inner} belongs")
    if origin is None and type(value) is not kind and (type(value), kind) != (int, float):
        problems.append(f"{where} is {_shown(value)} where {_PLAIN[kind]} belongs")
    return value


def _read_tuple(inner: tuple[Any, ...], value: Any, where: str, problems: list[str]) -> Any:
    """A list of any length of one kind, or of just these kinds."""
    if not isinstance(value, list):
        problems.append(f"{where} is {_shown(value)} where a list belongs")
        return None
    kinds = inner if inner[-1] is not Ellipsis else (inner[0],) * len(value)
    if len(kinds) != len(value):
        problems.append(f"{where} has {len(value)} values where {len(kinds)} belong")
        return None
    return tuple(
        _read(kind, held, f"{where}[{number}]", problems)
        for number, (kind, held) in enumerate(zip(kinds, value, strict=True))
    )


def _read_table(kind: Any, value: Any, where: str, problems: list[str]) -> Any:
    """A dataclass by its fields, or a table whose keys are data."""
    if not isinstance(value, dict):
        problems.append(f"{where} is {_shown(value)} where a table belongs")
        return None
    if get_origin(kind) is not None:
        _, one = get_args(kind)
        return {key: _read(one, held, f"{where}.{key}", problems) for key, held in value.items()}
    fields, hints = {f.name.rstrip("_"): f for f in dataclasses.fields(kind)}, _hints(kind)
    missing = [k for k, f in fields.items() if k not in value and not _may_be_absent(f)]
    problems += _listed(f"{where} lacks", missing)
    problems += _listed(f"{where} has the unknown", (k for k in value if k not in fields))
    held = {
        field.name: _read(hints[field.name], value[key], f"{where}.{key}", problems)
        for key, field in fields.items()
        if key in value
    }
    return None if problems else kind(**held)


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _may_be_absent(field: "dataclasses.Field[Any]") -> bool:
    return field.default is None


def _listed(what: str, keys: Iterable[str]) -> Iterator[str]:
    names = sorted(keys)
    if names:
        yield f"{what} {first_few(names)}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

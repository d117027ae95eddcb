"""JSON schemas of tools at random: what servers, libraries and people write, and what no policy can read."""

from __future__ import annotations

from typing import cast

from hypothesis import strategies as st

from workbench.model import AgentSpec, Json, Tool

_ODD = "id date time str class tool result größe user-id a.b int Decimal tuple frozenset Literal Text Call"
KEYS = st.one_of(
    st.sampled_from(["", "total", "legs[]", *_ODD.split(), "none", "self", "_x", "x" * 60]),
    st.text("abcdefghijk_ABC", min_size=1, max_size=6),
)
TEXTS = st.one_of(
    st.text(max_size=8), st.sampled_from(['"', "\\", '"""', "\n", "\u202e", "\ud800", "{x}", "é"])
)
CONSTANTS = st.one_of(TEXTS, st.integers(-3, 3), st.booleans(), st.none(), st.floats(allow_nan=False))


def _objects(inner: st.SearchStrategy[Json], least: int = 0) -> st.SearchStrategy[Json]:
    more: list[dict[str, Json]] = [
        {},
        {"additionalProperties": False},
        {"description": 'an "object" \\'},
    ]
    return st.builds(
        _object,
        st.dictionaries(KEYS, inner, min_size=least, max_size=5),
        st.lists(KEYS, max_size=4),
        st.sampled_from(more),
    )


def _object(properties: dict[str, Json], required: list[str], more: dict[str, Json]) -> Json:
    return {"type": "object", "properties": properties, "required": [*required], **more}


def _grown(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    lists = st.lists(inner, max_size=3)
    return st.one_of(
        _objects(inner),
        inner.map(lambda schema: cast("Json", {"type": "array", "items": schema})),
        inner.map(lambda schema: cast("Json", {"type": "object", "additionalProperties": schema})),
        lists.map(lambda parts: cast("Json", {"anyOf": [*parts, {"type": "null"}]})),
        lists.map(lambda parts: cast("Json", {"oneOf": parts})),
        lists.map(lambda parts: cast("Json", {"allOf": parts, "description": "all"})),
        inner.map(lambda schema: cast("Json", {"patternProperties": {"^x": schema}, "type": "object"})),
    )


ODD: list[Json] = [True, False, None, 3, "string", [], {}]
PLAIN: st.SearchStrategy[Json] = st.sampled_from(
    [{"type": "string"}, {"type": "integer"}, {"type": "number"}, {"enum": ["a", "b"]}]
).map(lambda schema: cast("Json", schema))
SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null", "odd", "object", "array"]).map(
        lambda name: cast("Json", {"type": name})
    ),
    st.sampled_from(["date", "time", "date-time", "uri"]).map(
        lambda form: cast("Json", {"type": "string", "format": form})
    ),
    st.lists(st.sampled_from(["string", "integer", "null"]), max_size=3).map(
        lambda names: cast("Json", {"type": names})
    ),
    st.lists(CONSTANTS, max_size=4).map(lambda values: cast("Json", {"enum": values})),
    CONSTANTS.map(lambda value: cast("Json", {"const": value})),
    st.sampled_from(
        ["#", "#/$defs/A", "#/$defs/B", "#/$defs/none", "other.json", "#/properties/id", "#x"]
    ).map(lambda reference: cast("Json", {"$ref": reference, "description": "one of them"})),
    st.sampled_from(ODD),
)
SCHEMAS = st.recursive(PLAIN | SCALARS, _grown, max_leaves=8)


def _parameters(whole: Json, definitions: dict[str, Json]) -> dict[str, Json]:
    return {**cast("dict[str, Json]", whole), "$defs": definitions}


PARAMETERS = st.builds(
    _parameters, _objects(SCHEMAS, 2), st.dictionaries(st.sampled_from(["A", "B"]), SCHEMAS, max_size=2)
)
NAMES = st.one_of(
    st.sampled_from(
        ["pay_invoice", "run", "call", "text", "getX", "2fa", "größe", "a.b-c", "earlier_pay_invoice"]
    ),
    st.text("abc_", min_size=1, max_size=5),
)
AGENTS = st.dictionaries(NAMES, st.tuples(TEXTS, PARAMETERS), min_size=1, max_size=4).map(
    lambda tools: AgentSpec("desk", tools=tuple(Tool(name, *tool) for name, tool in tools.items()))
)

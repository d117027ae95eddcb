"""Tools of an OpenAPI document and of Python functions."""

from __future__ import annotations

import json

import pytest

from workbench.app.tool_sources import python_tools, read_tools
from workbench.dialect.call_types import agent_types
from workbench.dialect.stub import stub
from workbench.files.file_error import FileError
from workbench.model import AgentSpec, Json
from workbench.session.agent_file import read_agent, write_agent

LIBRARY: dict[str, Json] = {
    "openapi": "3.1.0",
    "paths": {
        "/books/{isbn}": {
            "parameters": [{"name": "isbn", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {"operationId": "getBook", "summary": "One book."},
            "patch": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Change"}}},
                }
            },
        },
        "/books": {
            "post": {
                "operationId": "add-book",
                "parameters": [{"$ref": "#/components/parameters/Branch"}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}},
                },
            }
        },
    },
    "components": {
        "parameters": {"Branch": {"name": "branch", "in": "query", "schema": {"enum": ["east", "west"]}}},
        "schemas": {
            "Book": {
                "type": "object",
                "required": ["title"],
                "properties": {
                    "title": {"type": "string"},
                    "price": {"$ref": "#/components/schemas/Money"},
                    "sequel": {"$ref": "#/components/schemas/Book"},
                },
            },
            "Money": {"type": "object", "properties": {"amount": {"type": "number"}}},
            "Change": {
                "type": "object",
                "properties": {"isbn": {"type": "string"}, "title": {"type": "string"}},
            },
            "Unused": {"type": "object"},
        },
    },
}


def test_operations_are_tools_with_the_parameters_of_their_bodies() -> None:
    tools = {tool.name: tool for tool in read_tools(json.dumps(LIBRARY), "api.json").tools}
    assert [*tools] == ["getBook", "patch_books_isbn", "add-book"]
    assert (tools["getBook"].reads_only, tools["add-book"].reads_only) == (True, False)
    types = agent_types(AgentSpec("a", tools=(*tools.values(),)))
    assert [field.name for field in types.calls["AddBook"].fields] == ["branch", "title", "price", "sequel"]
    # The body has a parameter of the name of another, so that it stays whole.
    assert [field.name for field in types.calls["PatchBooksIsbn"].fields] == ["isbn", "body"]
    definitions = tools["add-book"].parameters["$defs"]
    assert isinstance(definitions, dict)
    assert {*definitions} == {"Money", "Book"}
    assert "recursive" in types.unreadable["AddBookSequel.sequel"]
    spec = AgentSpec("a", tools=(*tools.values(),))
    assert read_agent(write_agent(spec)) == spec


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"swagger": "2.0", "paths": {}}, "is not OpenAPI 3"),
        ({"openapi": "3.0.0", "paths": {}}, "has no operation"),
        (
            {"openapi": "3.0.0", "paths": {"/x": {"get": {"operationId": "a"}, "put": {"operationId": "a"}}}},
            "twice",
        ),
    ],
)
def test_what_is_no_openapi_of_tools_is_refused(document: Json, why: str) -> None:
    with pytest.raises(FileError, match=why):
        read_tools(json.dumps(document), "api.json")


FUNCTIONS = '''
"""Tools of a garage."""
import os
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

raise SystemExit("this file was run")


class Paint(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Part:
    number: str
    count: int = 1


@tool
def repair(car_id: str, parts: list[Part], paint: Paint | None = None, *, hours: float) -> str:
    """Repairs a car.

    Args:
        car_id: the plate of the car
        hours (float): how long it takes
    """


@mcp.tool()
async def book(ctx: Context, day: "date", kind: Literal["check", "wash"], note: Annotated[str, "a"] = ""):
    """Books a day."""


def helper(x): ...
'''


def test_functions_are_tools_and_nothing_of_the_file_is_run() -> None:
    tools = {tool.name: tool for tool in python_tools(FUNCTIONS, "garage.py").tools}
    assert [*tools] == ["repair", "book"]
    assert tools["repair"].description == "Repairs a car."
    assert tools["repair"].parameters["required"] == ["car_id", "parts", "hours"]
    types = agent_types(AgentSpec("a", tools=(*tools.values(),)))
    text = stub(types)
    for line in (
        "    car_id: Text",
        '    paint: Literal["red", "blue"] | None',
        "    hours: Decimal",
        "    number: Text",
        "    day: date",
    ):
        assert line in text, text
    assert types.calls["Repair"].fields[0].description == "the plate of the car"
    assert not types.unreadable


def test_without_a_mark_every_public_function_is_a_tool_and_what_is_no_python_is_refused() -> None:
    tools = python_tools(
        "def a(x: int, y=2): ...\ndef _b(): ...\nclass C:\n    def d(self): ...\n", "t.py"
    ).tools
    assert [tool.name for tool in tools] == ["a"]
    assert tools[0].parameters["properties"] == {"x": {"type": "integer"}, "y": {}}
    for text, why in (
        ("def a(:", "is not valid Python"),
        ("x = 1", "has no public function"),
        ("(" * 500, "valid"),
    ):
        with pytest.raises(FileError, match=why):
            python_tools(text, "t.py")

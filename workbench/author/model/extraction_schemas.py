# The form is made at run time from the argument's type: its fields have no static types, and
# pydantic's constructor takes any.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportCallIssue=false, reportArgumentType=false
"""The form in which a model replies with the values it read, each with its quotation, per argument."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from workbench.author.model.case_schemas import Typed, element_type, value_type
from workbench.author.model.reply_schemas import Line
from workbench.model import ArgumentType, Json, Kind
from workbench.runs.extract.model_method import WantedValue

_MOST_ELEMENTS = 40


class ReadValuesForm(BaseModel):
    """What every form of readings is: see ``values_form``."""

    model_config = ConfigDict(extra="forbid")


def values_form(wanted_values: Sequence[WantedValue]) -> type[ReadValuesForm]:
    """A form with a list for each argument: at most one value, or one for each element of a set."""
    return _values_form(tuple((wanted_value.name, wanted_value.type) for wanted_value in wanted_values))


@lru_cache(maxsize=128)
def _values_form(arguments: Typed) -> type[ReadValuesForm]:
    # The name of an argument may be one that a field of a model class may not have.
    fields: dict[str, Any] = {
        f"read_{number}": (_list_of(declared), Field(alias=name))
        for number, (name, declared) in enumerate(arguments)
    }
    return create_model("Reading", __base__=ReadValuesForm, **fields)


def _list_of(declared: ArgumentType) -> Any:
    many = declared.kind is Kind.SET
    value = element_type(declared) if many else value_type(replace(declared, optional=False))
    value_form = create_model("Found", value=(value, ...), quote=(Line, ...))
    return Annotated[list[value_form], Field(max_length=_MOST_ELEMENTS if many else 1)]


def replied_values(reply: ReadValuesForm) -> dict[str, list[tuple[Json, str]]]:
    """The values of a reply with their quotations, by argument."""
    data: dict[str, list[dict[str, Json]]] = json.loads(reply.model_dump_json(by_alias=True))
    return {
        name: [(entry["value"], str(entry["quote"])) for entry in entries] for name, entries in data.items()
    }

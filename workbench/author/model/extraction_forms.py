# The form is made at run time from the argument's type: its fields have no static types, and
# pydantic's constructor takes any.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportCallIssue=false, reportArgumentType=false
"""The form in which a model replies with what it read: values of one type, each with its words."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Annotated

from pydantic import BaseModel, Field, create_model

from workbench.author.model.case_forms import element_type, value_type
from workbench.author.model.reply_schemas import Line
from workbench.model import ArgumentType, Json, Kind

_MOST_ELEMENTS = 40


class ReadingForm(BaseModel):
    """What every form of readings is: see ``reading_form``."""


@cache
def reading_form(declared: ArgumentType) -> type[ReadingForm]:
    """A form with at most one value, or with one for each element of a set."""
    many = declared.kind is Kind.SET
    value = element_type(declared) if many else value_type(replace(declared, optional=False))
    found = create_model("Found", value=(value, ...), quote=(Line, ...))
    most = _MOST_ELEMENTS if many else 1
    return create_model(
        "Reading", __base__=ReadingForm, found=(Annotated[list[found], Field(max_length=most)], ...)
    )


def replied_values(reply: ReadingForm) -> list[tuple[Json, str]]:
    """The values of a reply with their quotations."""
    return [(one["value"], one["quote"]) for one in json.loads(reply.model_dump_json())["found"]]

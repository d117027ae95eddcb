# The form of the cases is made at run time from the arguments of the policy: its fields have no
# static types, and pydantic's constructor takes any.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportCallIssue=false, reportArgumentType=false
"""The form in which a model replies with test cases: a value for every argument, typed like it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from workbench.author.model.reply_schemas import Short
from workbench.model import Argument, ArgumentType, Json, Kind

type Typed = tuple[tuple[str, ArgumentType], ...]
"""The arguments of a form: names and types."""

_DECIMAL = r"^-?[0-9]{1,20}(\.[0-9]{1,10})?$"


class CasesForm(BaseModel):
    """What every form of cases is: see ``cases_form``."""


def cases_form(arguments: Sequence[Argument]) -> type[CasesForm]:
    """A form with the arguments as fields."""
    return _cases_form(typed(arguments))


@lru_cache(maxsize=128)
def _cases_form(arguments: Typed) -> type[CasesForm]:
    fields = {name: (value_type(type_), ...) for name, type_ in arguments}
    strict = ConfigDict(extra="forbid")
    values = create_model("Arguments", __config__=strict, **cast("dict[str, Any]", fields))
    case = create_model(
        "CaseReply", arguments=(values, ...), expected=(Literal["allow", "deny"], ...), reason=(Short, ...)
    )
    return create_model(
        "CasesReply", __base__=CasesForm, cases=(Annotated[list[case], Field(max_length=8)], ...)
    )


def typed(arguments: Sequence[Argument]) -> Typed:
    """The names and types of the arguments, from which the form is made; equal ones share a form."""
    return tuple((argument.name, argument.type) for argument in arguments)


def replied_cases(reply: CasesForm) -> list[tuple[Mapping[str, Json], bool, str]]:
    """The cases of a reply: the arguments as JSON, whether to allow them, and the reason."""
    data = json.loads(reply.model_dump_json())
    return [(case["arguments"], case["expected"] == "allow", case["reason"]) for case in data["cases"]]


def element_type(declared: ArgumentType) -> Any:
    """The type of a set's elements in a form."""
    return Literal[declared.values] if declared.values else Short


def value_type(declared: ArgumentType) -> Any:
    """The type of an argument's values in a form."""
    kind = declared.kind
    match kind:
        case Kind.BOOL:
            type_: Any = bool
        case Kind.INT:
            type_ = Annotated[int, Field(ge=-(10**12), le=10**12)]
        case Kind.DECIMAL:
            type_ = Annotated[str, Field(pattern=_DECIMAL)]
        case Kind.ENUM:
            type_ = Literal[declared.values]
        case Kind.SET:
            element: Any = element_type(declared)
            type_ = Annotated[list[element], Field(max_length=8)]
        case _:
            type_ = Short
    return type_ | None if declared.optional else type_

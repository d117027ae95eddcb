# The form of the tests is made at run time from the arguments of the policy: its fields have no
# static types, and pydantic's constructor takes any.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportCallIssue=false, reportArgumentType=false
"""The forms in which a model states a rule or a clause: tests of single arguments, typed like them.

A small model fills such a form reliably but writes expressions badly. A server that enforces schemas cannot
give a value that an argument does not have. Conditions that tests cannot state are expressions of the
dialect.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from workbench.author.model.case_schemas import Typed, element_type, typed
from workbench.author.model.reply_schemas import Expression, NamedList, RuleName, Short
from workbench.model import Argument, ArgumentType, Json, Kind

ONLY_IF, FORBIDDEN, ALLOWED = "allowed only if", "forbidden", "allowed"
ORDER = ("less than", "at most", "exactly", "at least", "more than", "not")
TIMES = ("before", "until", "exactly", "from", "after")
TEXTS = ("one of", "none of", "starts with", "ends with", "contains", "does not contain")
SETS = ("all in", "any in", "any not in", "none in")
_DECIMAL = r"^-?[0-9]{1,20}(\.[0-9]{1,10})?$"
_TIMES = {
    Kind.DATE: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    Kind.TIME: r"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$",
    Kind.DATETIME: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?$",
}
_STRICT = ConfigDict(extra="forbid")


class ExpressionTest(BaseModel):
    """A condition of the dialect as text, with the lists that it names."""

    model_config = _STRICT

    expression: Expression
    lists: Annotated[list[NamedList], Field(max_length=4)] = []


class RulesForm(BaseModel):
    """What every form of rules is: see ``rules_form``."""


class ClausesForm(BaseModel):
    """What every form of clauses is: see ``clauses_form``."""


def rules_form(arguments: Sequence[Argument], lists: Sequence[str], *, permits: bool) -> type[RulesForm]:
    """The policy generator's form; ``lists`` are the names of lists that code read in the passage.

    With ``permits``, a rule may also allow: the default is then to deny.
    """
    return _rules_form(typed(arguments), tuple(lists), permits=permits)


@lru_cache(maxsize=128)
def _rules_form(arguments: Typed, lists: tuple[str, ...], *, permits: bool) -> type[RulesForm]:
    tests, nonempty_tests = _tests(arguments, lists), _tests(arguments, lists, least=1)
    kinds = [
        _rule("OnlyIf", ONLY_IF, needs=nonempty_tests, when=tests),
        _rule("Forbidden", FORBIDDEN, when=nonempty_tests),
        *([_rule("Allowed", ALLOWED, when=nonempty_tests)] if permits else []),
    ]
    rules = Annotated[list[Union[tuple(kinds)]], Field(max_length=4)]  # noqa: UP007 -- made at run time
    return create_model("RulesReply", __base__=RulesForm, rules=(rules, ...))


def clauses_form(arguments: Sequence[Argument], lists: Sequence[str]) -> type[ClausesForm]:
    """The constraint generator's form: conditions under which every right policy denies, and allows."""
    return _clauses_form(typed(arguments), tuple(lists))


@lru_cache(maxsize=128)
def _clauses_form(arguments: Typed, lists: tuple[str, ...]) -> type[ClausesForm]:
    decision = Literal["deny", "allow"]
    clause = create_model(
        "Clause", __config__=_STRICT, when=(_tests(arguments, lists), ...), decision=(decision, ...)
    )
    clauses = Annotated[list[clause], Field(max_length=4)]
    return create_model("ClausesReply", __base__=ClausesForm, clauses=(clauses, ...))


_EXPRESSIONS_ONLY = (Kind.DURATION, Kind.RECORD, Kind.LIST)


def replied(reply: RulesForm | ClausesForm) -> Mapping[str, Json]:
    """A reply as plain data."""
    return cast("dict[str, Json]", json.loads(reply.model_dump_json()))


def _rule(name: str, effect: str, **tests: Any) -> type[BaseModel]:
    fields: dict[str, Any] = {"name": (RuleName, ...), "effect": (Literal[effect], ...)}
    return create_model(
        name, __config__=_STRICT, **fields, **{key: (type_, ...) for key, type_ in tests.items()}
    )


def _tests(arguments: Typed, lists: Sequence[str], least: int = 0) -> Any:
    """A list of tests, all of which hold."""
    kinds = [_test(name, type_, lists) for name, type_ in arguments if type_.kind not in _EXPRESSIONS_ONLY]
    return Annotated[list[Union[(*kinds, ExpressionTest)]], Field(min_length=least, max_length=6)]


def _test(name: str, type_: ArgumentType, lists: Sequence[str]) -> type[BaseModel]:
    """The test of one argument."""
    kind, unknown = type_.kind, ("unknown",) if type_.optional else ()
    is_: Any
    value: tuple[str, Any] | None
    match kind:
        case Kind.BOOL:
            is_ = Literal[unknown] | bool if unknown else bool
            value = None
        case Kind.INT:
            is_, value = (
                Literal[(*ORDER, *unknown)],
                ("value", Annotated[int, Field(ge=-(10**12), le=10**12)]),
            )
        case Kind.DECIMAL:
            is_, value = Literal[(*ORDER, *unknown)], ("value", Annotated[str, Field(pattern=_DECIMAL)])
        case Kind.DATE | Kind.TIME | Kind.DATETIME:
            is_, value = Literal[(*TIMES, *unknown)], ("value", Annotated[str, Field(pattern=_TIMES[kind])])
        case Kind.ENUM:
            is_, value = (
                Literal[("one of", "none of", *unknown)],
                ("values", _some(Literal[type_.values])),
            )
        case Kind.SET:
            is_, value = Literal[(*SETS, *unknown)], ("values", _elements(type_, lists))
        case Kind.STR:
            is_, value = Literal[(*TEXTS, *unknown)], ("values", _some(Short))
        case Kind.DURATION | Kind.RECORD | Kind.LIST:
            raise ValueError(f"{name} is tested by expressions only")
    fields: dict[str, Any] = {"argument": (Literal[name], ...), "is": (is_, ...)}
    if value is not None:
        fields[value[0]] = (value[1], ...)
    title = "".join(part.capitalize() for part in name.split("_")) + "Test"
    return create_model(title, __config__=_STRICT, **fields)


def _some(element: Any) -> Any:
    return Annotated[list[element], Field(min_length=1, max_length=40)]


def _elements(type_: ArgumentType, lists: Sequence[str]) -> Any:
    """The elements one by one, or the name of a list in the passage."""
    if lists:
        return Literal[tuple(lists)]
    return Annotated[list[element_type(type_)], Field(min_length=1, max_length=200)]

"""The forms of a model's replies. Texts and lists are bounded, so that a reply cannot run away.

A reply of one of these forms is only data: what it says is checked against the request, the agent
spec and the dialect before anything is made of it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Short = Annotated[str, Field(max_length=160)]
Line = Annotated[str, Field(max_length=400)]
Expression = Annotated[str, Field(max_length=1500)]
RuleName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]
ListName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,40}$")]


class FoundRule(BaseModel):
    """A rule of the request: where it stands, and the rule said so that it stands alone."""

    quote: Line
    statement: Line


class Reading(BaseModel):
    """One way to understand an ambiguous passage."""

    label: Short
    statement: Line


class Doubt(BaseModel):
    """A passage that can be understood in different ways."""

    quote: Line
    question: Line
    readings: Annotated[list[Reading], Field(min_length=2, max_length=4)]


class Analysis(BaseModel):
    """What the validator finds in a request (VeriGuard, section 3.2)."""

    title: Short
    rules: Annotated[list[FoundRule], Field(max_length=60)]
    otherwise: Literal["allow", "deny", "unsaid"]
    doubts: Annotated[list[Doubt], Field(max_length=8)]


class Lacking(BaseModel):
    """A fact that a rule needs and that no argument gives."""

    rule: Annotated[str, Field(max_length=8)]
    fact: Annotated[str, Field(min_length=3, max_length=120)]


class Uses(BaseModel):
    """The arguments that the rules need, and what they need beside."""

    arguments: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=40)]
    lacking: Annotated[list[Lacking], Field(max_length=6)]


class NamedList(BaseModel):
    """A list of texts that expressions name."""

    name: ListName
    values: Annotated[list[Short], Field(max_length=200)]


class RuleReply(BaseModel):
    """A rule as data: ``when`` is an expression of the dialect."""

    name: RuleName
    effect: Literal["forbid", "permit"]
    when: Expression
    message: Short


class RulesReply(BaseModel):
    """What the policy generator makes of one requirement."""

    lists: Annotated[list[NamedList], Field(max_length=4)]
    rules: Annotated[list[RuleReply], Field(max_length=4)]


class ClauseReply(BaseModel):
    """A clause as data: on every input on which ``when`` holds, this is the decision."""

    when: Expression
    decision: Literal["allow", "deny"]
    comment: Short


class ClausesReply(BaseModel):
    """What the constraint generator makes of one requirement."""

    lists: Annotated[list[NamedList], Field(max_length=4)]
    clauses: Annotated[list[ClauseReply], Field(max_length=4)]

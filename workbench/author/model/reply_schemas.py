"""The forms of a model's replies. Texts and lists are bounded, so that a reply cannot run away.

A reply of one of these forms is only data. Its content is checked against the request, the agent spec and the
dialect before it is used. The names and docstrings of these classes are in the schema shown to the model.
Changing one changes the prompt, and then no recorded call matches.
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


class SentenceReply(BaseModel):
    """What one sentence is that the analysis made nothing of."""

    kind: Literal["rule", "context"]
    statement: Line


class Use(BaseModel):
    """The arguments that decide a rule, and the fact that it needs and that no argument gives."""

    rule: Annotated[str, Field(max_length=8)]
    arguments: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=12)]
    lacking: Annotated[str, Field(max_length=120)]


class Uses(BaseModel):
    """What the rules need, rule by rule."""

    rules: Annotated[list[Use], Field(max_length=60)]


class NamedList(BaseModel):
    """A list of texts that expressions name."""

    name: ListName
    values: Annotated[list[Short], Field(max_length=200)]

"""The form for an assumption: its words, why it is made, who made it, and the requirements it touches."""

from __future__ import annotations

from dataclasses import replace

from workbench.model import Assumption, MadeBy
from workbench.old_screen.forms import Form, FormField, Shape, Typed, words_shown, words_typed
from workbench.old_screen.spec_forms import needed

_FIELDS = (
    FormField("statement", "Statement", "what is assumed, in words that others will read", Shape.TEXT),
    FormField("why", "Why", "what speaks for it; may stay empty", Shape.TEXT),
    FormField("made_by", "Made by", "a person, or taken by default", Shape.CHOICE, tuple(MadeBy)),
    FormField("requirements", "Requirements", "what it touches, separated by commas"),
)


def assumption_form(begun: Assumption) -> Form[Assumption]:
    """An assumption in other words; the answer that it stands for stays."""

    def read(typed: Typed) -> Assumption:
        return replace(
            begun,
            statement=needed(typed, "statement"),
            why=typed["why"].strip(),
            made_by=MadeBy(typed["made_by"]),
            requirements=words_typed(typed["requirements"]),
        )

    values = {
        "statement": begun.statement,
        "why": begun.why,
        "made_by": begun.made_by.value,
        "requirements": words_shown(begun.requirements),
    }
    return Form(f"Assumption {begun.id}", lambda _typed: _FIELDS, values, read)

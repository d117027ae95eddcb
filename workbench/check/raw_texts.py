"""The questions about texts of a kind: tests of raw text, and commands of an undeclared shell."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from workbench.clean_text import one_line
from workbench.model import Doubt, Span
from workbench.policy.terms import PolicyTerms

_NOWHERE = Span(0, 0)


def raw_texts(terms: PolicyTerms) -> Iterator[Doubt]:
    """A question for each of them: whether the text as it is written is meant."""
    for one in terms.file.text_tests:
        material = hashlib.sha256("\0".join((one.rule, one.text)).encode()).hexdigest()[:8]
        yield Doubt(
            id=f"text-test:{one.rule}:{material}",
            kind="text-test",
            quote="",
            span=_NOWHERE,
            values=("meant",),
            requirements=one.requirements,
            facts={"rule": one.rule, "test": one_line(one.text), "typed": one_line(one.typed)},
        )


def undeclared_shells(terms: PolicyTerms) -> Iterator[Doubt]:
    """A question for each tool whose commands are read, and which does not say its shell."""
    for tool in terms.file.undeclared_shells:
        yield Doubt(
            id=f"undeclared-shell:{tool}",
            kind="undeclared-shell",
            quote="",
            span=_NOWHERE,
            values=("meant",),
            facts={"tool": one_line(tool)},
        )

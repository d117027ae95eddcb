"""Theorems that are gone or changed since the version was accepted, as things that the session owes."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from workbench.app.owed import Owed, OwedKind
from workbench.policy.terms import PolicyTerms

if TYPE_CHECKING:
    from workbench.session import Session
    from workbench.session.accepted_version import AcceptedVersion


def owed_theorems(session: Session, accepted: AcceptedVersion, terms: PolicyTerms) -> Iterator[Owed]:
    """Each theorem of the accepted version that the policy does not have as it was."""
    written = terms.written
    now = _theorems("" if written is None else written.text)
    command = f"workbench check {shlex.quote(str(session.path))} --accept --anyway"
    for name, (sentence, text) in _theorems(accepted.texts.get("policy.py", "")).items():
        if name in now and now[name][1] == text:
            continue
        gone = "it says something else" if name in now else "it is gone"
        yield Owed(
            OwedKind.THEOREM,
            name,
            sentence,
            f"{gone} since the version was accepted, so that it is not proved of this one",
            f"write it as it was, or accept that: {command} {name}",
        )


def _theorems(source: str) -> Mapping[str, tuple[str, str]]:
    """The sentence and the condition of each theorem of a policy, by its name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return {
        node.name: ((ast.get_docstring(node) or "").split("\n")[0], ast.unparse(node.body[-1]))
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("theorem_")
    }

"""Several policies as one Python file: an exported file for each, and one copy of what reads calls.

Each policy runs in a module of its own, so that their names cannot collide. A call runs if all of them allow
it, as with a guard of several sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.clean_text import one_line
from workbench.guard.call_reading import CallReading
from workbench.guard.carried_modules import carried_text, literal
from workbench.guard.export import HASH, export_policy, file_hash, text_of
from workbench.guard.exported_reading import expressions_of, kinds_of, methods_of
from workbench.policy.terms import PolicyTerms

TITLE_OF_SEVERAL = "# Policies exported by the policy workbench. Change the sessions and export again."
POLICIES = "_POLICIES"


@dataclass(frozen=True, slots=True)
class ExportedPart:
    """One of several policies: its terms, the facts of its own header, and its way to read calls."""

    terms: PolicyTerms
    header: Mapping[str, str]
    reading: CallReading


def header_of_several(parts: Mapping[str, ExportedPart]) -> Mapping[str, str]:
    """The header of several policies: sessions, proofs, needed packages, context and messages of a run."""
    needs = dict.fromkeys(part.header.get("needs", "") for part in parts.values())
    messages = dict.fromkeys(part.header.get("messages", "nothing") for part in parts.values())
    context = dict.fromkeys(part.header.get("context", "") for part in parts.values())
    return {
        "sessions": ", ".join(parts),
        **{f"accepted {name}": part.header.get("accepted", "") for name, part in parts.items()},
        **{f"proof of {name}": part.header.get("proof", "") for name, part in parts.items()},
        **{f"owed of {name}": part.header.get("owed", "") for name, part in parts.items()},
        "needs": "; ".join(needs),
        "context": "; ".join(context),
        "messages": "; ".join(text for text in messages if text != "nothing") or "nothing",
    }


def export_several(parts: Mapping[str, ExportedPart], tried: str) -> str:
    """The text of the exported file of policies by their names; ``tried`` describes the inputs of the trial.

    Its header comes from ``header_of_several``.
    """
    header = {**header_of_several(parts), "tried": tried}
    facts = "".join(f"# {one_line(name)}: {one_line(value)}\n" for name, value in header.items())
    policies = "".join(
        f"    {name!r}: {literal(export_policy(part.terms, part.header, part.reading, alone=False))},\n"
        for name, part in parts.items()
    )
    methods = frozenset[str]().union(*(methods_of(part.reading) for part in parts.values()))
    kinds = frozenset[str]().union(
        *(kinds_of(part.reading, expressions_of(part.reading)) for part in parts.values())
    )
    hashed_text = (
        f"{facts}\n{POLICIES} = {{\n{policies}}}\n{carried_text(methods, kinds)}\n\n\n"
        f"{text_of('exported_several.py')}\n"
    )
    return f"{TITLE_OF_SEVERAL}\n{HASH}{file_hash(hashed_text, TITLE_OF_SEVERAL)}\n{hashed_text}"

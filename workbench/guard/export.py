"""Policies as one Python file without dependencies, for enforcement without the workbench.

The file has each policy's text as comments, its checked terms, how it reads calls, and the modules of the
workbench that read calls and decide by terms: what they mean has one definition, and the file carries its
text. A header names the session and what was proved; a hash covers every other line of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from workbench.clean_text import clean, one_line
from workbench.dialect.run_values import CheckedExpressions
from workbench.guard.call_reading import CallReading
from workbench.guard.carried_modules import carried_text
from workbench.guard.exported_reading import expressions_of, kinds_of, methods_of
from workbench.guard.nouns_text import deciding_part, nouns_text
from workbench.model import Proof, ProofStatus
from workbench.policy.terms import PolicyTerms
from workbench.policy.written import ArgumentWords

TITLE = "# A policy exported by the policy workbench. Change the session and export again."
HASH = "# sha256: "


OLDEST_PYTHON = (3, 12)
_PYTHON = ".".join(map(str, OLDEST_PYTHON))
_CHECK_OF_PYTHON = f"""\
import sys

if sys.version_info < {OLDEST_PYTHON}:
    raise ImportError("This guard needs Python {_PYTHON} or newer; here it is %d.%d." % sys.version_info[:2])
"""
"""The first statement of a file: an older Python would only say of what follows that its syntax is bad."""
TITLE_OF_SEVERAL = "# Policies exported by the policy workbench. Change the sessions and export again."


@dataclass(frozen=True, slots=True)
class ExportedPart:
    """One of the policies of a file: its terms, the facts of its own header, and its way to read calls."""

    terms: PolicyTerms
    header: Mapping[str, str]
    reading: CallReading


def header_of(parts: Mapping[str, ExportedPart]) -> Mapping[str, str]:
    """The header of a file: that of its policy, or of several what each is and what all need."""
    if len(parts) == 1:
        return next(iter(parts.values())).header
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


def export_policies(parts: Mapping[str, ExportedPart], tried: str) -> str:
    """The text of the exported file of policies by their names; ``tried`` describes the inputs of the trial.

    A call runs if all of them allow it, as with a guard of several sessions.
    """
    title = TITLE if len(parts) == 1 else TITLE_OF_SEVERAL
    facts = {**header_of(parts), "python": f"{_PYTHON} or newer", "tried": tried}
    head = "".join(f"# {one_line(name)}: {one_line(fact)}\n" for name, fact in facts.items())
    methods, kinds = frozenset[str](), frozenset[str]()
    texts: list[str] = []
    table: list[str] = []
    for number, (name, part) in enumerate(parts.items(), 1):
        expressions = expressions_of(part.reading)
        methods |= methods_of(part.reading)
        kinds |= kinds_of(part.reading, expressions)
        texts.append(_part_text(number, part, expressions))
        of_part = ", ".join(
            f"_{function}_{number}" for function in ("policy", "said", "reading", "expressions")
        )
        table.append(f"    {name!r}: ({of_part}),\n")
    hashed_text = (
        f"{head}\n{_CHECK_OF_PYTHON}\n\n{''.join(texts)}_PARTS = {{\n{''.join(table)}}}\n\n\n"
        f"{carried_text(methods, kinds)}\n\n\n"
        f"{resources.files('workbench.guard').joinpath('exported_guard.py').read_text('utf-8')}"
    )
    file_hash = hashlib.sha256(f"{title}\n{hashed_text}".encode()).hexdigest()
    return f"{title}\n{HASH}{file_hash}\n{hashed_text}"


def _part_text(number: int, part: ExportedPart, expressions: CheckedExpressions | None) -> str:
    """The text of a policy as a comment, and what the file reads of it."""
    terms = part.terms
    words = ArgumentWords(part.reading.arguments)
    said = {item.name: words.of(item.name) for item in terms.arguments if words.of(item.name) != item.name}
    return (
        "".join(f"#| {line}".rstrip() + "\n" for line in clean(terms.file.text).split("\n"))
        + f"\n\ndef _policy_{number}(noun):\n{nouns_text(deciding_part(terms, words), words=True)}\n\n"
        f"_said_{number} = {said!r}\n\n\n"
        f"def _reading_{number}(noun):\n{nouns_text(part.reading, words=True)}\n\n"
        f"def _expressions_{number}(noun):\n{nouns_text(expressions, words=False)}\n\n"
    )


def proof_summary(proof: Proof) -> str:
    """One line for the header: a contract counts as proved only if every clause is proved.

    The line names every clause that is not proved, with its verdict.
    """
    clauses = len(proof.clauses)
    engines = ", ".join(sorted({clause.engine.value for clause in proof.clauses}))
    if proof.status is ProofStatus.PROVED:
        return f"proved: all {clauses} clauses, by {engines}"
    if not clauses:
        return "not proved: the policy has no contract"
    unproved_parts = [_named(proof, status) for status in ProofStatus if status is not ProofStatus.PROVED]
    proved = sum(clause.status is ProofStatus.PROVED for clause in proof.clauses)
    lead = "REFUTED" if proof.status is ProofStatus.REFUTED else "not proved"
    return "; ".join(
        [f"{lead}: {proved} of {clauses} clauses proved", *(part for part in unproved_parts if part)]
    )


def _named(proof: Proof, status: ProofStatus) -> str:
    clauses = [clause for clause in proof.clauses if clause.status is status]
    names = ", ".join(clause.clause for clause in clauses)
    whys = {clause.why for clause in clauses} - {""}
    why = f" ({whys.pop()})" if status is ProofStatus.UNKNOWN and len(whys) == 1 else ""
    return f"{status.value}: {names}{why}" if names else ""

"""The refinement loop (VeriGuard, section 3.2): findings go back to the model, the best version is kept.

A finding goes to the rules that decided. If they are repeated unchanged, it goes to the clause or case that
contradicts them. A contract that then has no decision for the input is rejected; otherwise a contradiction
would end unnoticed. Every round is a version that can be viewed and restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.author.model.draft_findings import Accuser, Finding, JudgedVersion, Score, speaks_of
from workbench.author.model.generators import Generators
from workbench.author.model.recording import Message
from workbench.author.model.requirement_parts import Unit
from workbench.author.model.rounds import Rounds

_MOST_FINDINGS = 5
_STALE = 2


class Stopped(StrEnum):
    """The reason why the loop ended."""

    CLEAN = "nothing was found against this version"
    ROUNDS = "the rounds were used up"
    OSCILLATES = "the model came back to a version that was there before"
    STALE = "two rounds in a row were no better"
    DIALECT = "the file as a whole is not in the dialect"


@dataclass(frozen=True, slots=True)
class Round:
    """A version of the draft: its text, its score, and the findings against it."""

    number: int
    policy: str
    score: Score
    critique: tuple[str, ...]
    units: tuple[Unit, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Refined(Rounds[Round]):
    """The rounds of the refinement, and why the loop ended."""

    stopped: Stopped


def refine(
    units: Sequence[Unit],
    generators: Generators,
    judged: Callable[[Sequence[Unit]], JudgedVersion],
    *,
    most_rounds: int,
) -> Refined:
    """Improve the units until there are no findings, nothing improves, or the rounds are used up.

    The first of equally good versions is kept. ``most_rounds`` counts the rounds after the first.
    """
    current = tuple(units)
    judged_version = judged(current)
    rounds = [_round(0, current, judged_version)]
    best, stale = 0, 0
    while True:
        stop = _why_stop(judged_version, stale, len(rounds) > most_rounds)
        if stop is not None:
            return Refined(tuple(rounds), best, stop)
        current = _improved(current, judged_version.findings, generators)
        judged_version = judged(current)
        if any(_same(current, earlier.units) for earlier in rounds):
            return Refined(tuple(rounds), best, Stopped.OSCILLATES)
        rounds.append(_round(len(rounds), current, judged_version))
        stale += 1
        if judged_version.score > rounds[best].score:
            best, stale = len(rounds) - 1, 0


def _why_stop(judged_version: JudgedVersion, stale: int, used_up: bool) -> Stopped | None:
    if judged_version.problems:
        return Stopped.DIALECT
    if not judged_version.findings:
        return Stopped.CLEAN
    if stale >= _STALE:
        return Stopped.STALE
    return Stopped.ROUNDS if used_up else None


def _round(number: int, units: tuple[Unit, ...], judged_version: JudgedVersion) -> Round:
    critique = (*judged_version.problems, *(finding.to_rules for finding in judged_version.findings))
    return Round(
        number, judged_version.policy, judged_version.score, critique, units, judged_version.findings
    )


def _same(units: Sequence[Unit], other_units: Sequence[Unit]) -> bool:
    return all(a == b for a, b in zip(units, other_units, strict=True))


# --- one round --------------------------------------------------------------------


def _improved(
    units: tuple[Unit, ...], findings: Sequence[Finding], generators: Generators
) -> tuple[Unit, ...]:
    """The units after every blamed part was asked for again, once."""
    # A requirement with an open question has one unit for each reading; none of them is known to be right.
    by_id = {unit.target.requirement.id: unit for unit in units if not unit.target.choice}
    against = _by_requirement(
        (id_, finding) for finding in findings for id_ in finding.blamed if id_ in by_id
    )
    changed: set[str] = set()
    for id_, texts in against.items():
        unit = by_id[id_]
        rules = generators.rules(unit.target, _back(unit.rules.reply, [text.to_rules for text in texts]))
        if not rules.wrong and rules != unit.rules:
            by_id[id_] = replace(unit, rules=rules)
            changed.add(id_)
    standing = [finding for finding in findings if not changed.intersection(finding.blamed)]
    for id_, texts in _by_requirement((finding.requirement, finding) for finding in standing).items():
        if id_ in by_id:
            by_id[id_] = _corrected(by_id[id_], texts, generators)
    return tuple(by_id[unit.target.requirement.id] if not unit.target.choice else unit for unit in units)


def _corrected(unit: Unit, findings: Sequence[Finding], generators: Generators) -> Unit:
    """The unit with new clauses and cases in place of those that contradict rules repeated unchanged."""
    refuted = [finding for finding in findings if finding.accuser is Accuser.CLAUSE]
    cases = [finding.to_accuser for finding in findings if finding.accuser is Accuser.CASE]
    if refuted:
        part = generators.clauses(
            unit.target, _back(unit.clauses.reply, [finding.to_accuser for finding in refuted])
        )
        evades = not all(
            speaks_of(part, finding.arguments, finding.allowed, generators.arguments) for finding in refuted
        )
        unit = unit if part.wrong or evades else replace(unit, clauses=part)
    if cases:
        tested = generators.cases(unit.target, _back(unit.cases.reply, cases))
        unit = unit if tested.wrong else replace(unit, cases=tested)
    return unit


def _by_requirement(pairs: Iterable[tuple[str, Finding]]) -> Mapping[str, list[Finding]]:
    by_requirement: dict[str, list[Finding]] = {}
    for id_, finding in pairs:
        by_requirement.setdefault(id_, []).append(finding)
    return by_requirement


def _back(reply: str, findings: Sequence[str]) -> tuple[Message, ...]:
    """The model's reply followed by the findings against it."""
    listed = "\n".join(f"- {text}" for text in dict.fromkeys(findings[:_MOST_FINDINGS]))
    complaint = f"It was checked, and this was found:\n{listed}\nReply again with the whole JSON."
    return (
        (Message("assistant", reply), Message("user", complaint)) if reply else (Message("user", complaint),)
    )

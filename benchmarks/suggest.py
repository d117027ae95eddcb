"""How often the rule that a foreign sentence means is among the suggestions for it.

    python benchmarks/suggest.py [--set NAME]... [--session NAME]... [--misses] [--without-solver]

The sentences and their meanings are those of ``benchmarks/suggestions``. Of ten sessions a hash of each
sentence puts it in one of two sets. All sets but the newest have been looked at. A suggestion is right if
it is the meaning, or one of the others that count, with what functions mean in their place and after normal
form, or if the solver shows that both decide alike on all inputs. Beside it stand how often something is
offered that is contrary to the meaning and that nothing else follows to which the sentence may come; how
often something about other tools than they are; and the nearest sentence that the policy has already.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import re
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from rapidfuzz import fuzz

from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import lowered_policy
from workbench.dialect.same_expressions import named_alike
from workbench.engines.smt.diff import semantic_diff
from workbench.language.contrary import contrary, follows
from workbench.language.language import Language
from workbench.language.normal_form import normal
from workbench.language.python_text import HEADS
from workbench.language.suggestion import Suggestions
from workbench.language.trees import NotInLanguage, Tree, canonical, is_tree
from workbench.model import AgentSpec, WorkbenchError
from workbench.session.agent_file import read_agent

ROOT = Path(__file__).parents[1]
ONCE_HELD_OUT = "agents once held out"
FURTHER_HELD_OUT = "further agents once held out"
THIRD_HELD_OUT = "third agents once held out"
FOURTH_HELD_OUT = "fourth agents once held out"
FIFTH_HELD_OUT = "fifth agents once held out"
SIXTH_HELD_OUT = "sixth agents once held out"
SEVENTH_HELD_OUT = "seventh agents once held out"
EIGHTH_HELD_OUT = "eighth agents once held out"
NINTH_HELD_OUT = "ninth agents held out"
POLARITY_HELD_OUT = "small words held out"
LABELS = ROOT / "benchmarks" / "suggestions"
FILES = {
    "agents in sight": "agents_in_sight.toml",
    "further agents in sight": "further_agents_in_sight.toml",
    ONCE_HELD_OUT: "agents_held_out.toml",
    FURTHER_HELD_OUT: "further_agents_held_out.toml",
    THIRD_HELD_OUT: "third_agents_held_out.toml",
    FOURTH_HELD_OUT: "fourth_agents_held_out.toml",
    FIFTH_HELD_OUT: "fifth_agents_held_out.toml",
    SIXTH_HELD_OUT: "sixth_agents_held_out.toml",
    SEVENTH_HELD_OUT: "seventh_agents_held_out.toml",
    EIGHTH_HELD_OUT: "eighth_agents_held_out.toml",
    NINTH_HELD_OUT: "ninth_agents_held_out.toml",
    "easily turned round": "contrary.toml",
    "small words": "polarity.toml",
    POLARITY_HELD_OUT: "polarity_held_out.toml",
}
"""The files of the sets that have one of their own."""
SETS = ("ten sessions, first half", "ten sessions, second half", *FILES)
MOST = 5
_DEFAULT = re.compile(r"^DEFAULT = .*$", re.MULTILINE)


class Sense(StrEnum):
    """What a suggestion says beside what is meant."""

    RIGHT = "right"
    CONTRARY = "contrary"
    OF_OTHERS = "about other tools"
    OTHER = "other"


@dataclass
class Score:
    """What was found of the sentences of one group."""

    sentences: int = 0
    first: int = 0
    among: int = 0
    nearest: int = 0
    contrary: int = 0
    of_others: int = 0

    def count(self, place: int, offered: Sequence[Sense], *, nearest: bool) -> None:
        """Count a sentence by the place of its meaning, -1 if it is not among them."""
        self.sentences += 1
        self.first += place == 0
        self.among += place >= 0
        self.nearest += nearest
        self.contrary += Sense.CONTRARY in offered
        self.of_others += Sense.OF_OTHERS in offered


@dataclass
class Report:
    """The scores by group, the seconds of the sentences, and the misses."""

    scores: dict[str, Score] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    offered_for_context: Counter[int] = field(default_factory=Counter)
    nothing_offered: Counter[str] = field(default_factory=Counter)


@lru_cache
def language_of(session: str) -> tuple[Language, Suggestions, AgentSpec]:
    """The language of a session, the suggestions in it, and its agent."""
    folder = ROOT / session
    spec = read_agent((folder / "agent.toml").read_text())
    language = Language(agent_types(spec), (folder / "policy.py").read_text())
    return language, Suggestions(language), spec


def labels_of(name: str) -> list[dict[str, Any]]:
    """The sentences of a set."""
    every = tomllib.loads((LABELS / FILES.get(name, "labels.toml")).read_text())["sentences"]
    every = [{"origin": "new", **one} for one in every if "meaning" in one]  # others are labelled by runs
    return every if name in FILES else [one for one in every if half_of(one) == name]


def half_of(label: dict[str, Any]) -> str:
    """The half of the ten sessions that a sentence belongs to, by a hash of it."""
    digest = hashlib.sha256(f"{label['session']}\n{label['sentence']}".encode()).digest()
    return SETS[digest[0] % 2]


def meanings(language: Language, label: dict[str, Any]) -> Sequence[Tree]:
    """The trees of the sentences that count as the meaning."""
    return [language.read(text)[0] for text in (label["meaning"], *label.get("also", ()))]


def names_fact(language: Language, tree: object) -> bool:
    """Whether a meaning names a function of the policy."""
    if not is_tree(tree) or not tree:
        return False
    own: bool = tree[0] == "call" and tree[1] in language.lexicon.facts
    return own or any(names_fact(language, part) for part in tree)


def is_right(session: str, tree: Tree, wanted: Sequence[Tree], *, solver: bool) -> bool:
    """Whether a suggestion is one of the meanings."""
    form = normal(expanded(session, tree))
    if any(form == normal(expanded(session, one)) for one in wanted):
        return True
    return solver and any(_alike(tree, one) and decides_alike(session, tree, one) for one in wanted)


def sense_of(
    session: str, tree: Tree, wanted: Sequence[Tree], rest: Sequence[Tree], *, solver: bool
) -> Sense:
    """What a suggestion says beside the meanings, of which one is meant, and all the rest."""
    if is_right(session, tree, wanted, solver=solver):
        return Sense.RIGHT
    form = normal(expanded(session, tree))
    meant = [normal(expanded(session, one)) for one in (*wanted, *rest) if one[1] in HEADS]
    if any(contrary(form, one) for one in meant[:1]) and not any(follows(form, one) for one in meant[1:]):
        return Sense.CONTRARY
    if all(set(form[3:]).isdisjoint(one[3:]) for one in meant):
        return Sense.OF_OTHERS
    return Sense.OTHER


@lru_cache
def _bodies(session: str) -> dict[str, tuple[Tree, tuple[str, ...]]]:
    """What each function of a policy says, with the names of what it takes besides call and run."""
    language, _, _ = language_of(session)
    found: dict[str, tuple[Tree, tuple[str, ...]]] = {}
    for node in ast.parse(language.source).body:
        if isinstance(node, ast.FunctionDef) and node.name in language.lexicon.facts:
            try:
                ((tree, _),) = language.trees(node)
            except NotInLanguage:
                continue
            parameters = language.lexicon.facts[node.name].parameters
            found[node.name] = canonical(tree[3]), tuple(one.name for one in parameters)
    return found


def expanded(session: str, tree: Tree) -> Tree:
    """A rule with what the functions say in their place, so that two ways to say one thing are one."""
    if tree[0] == "lit":
        return tree
    if tree[0] == "call" and tree[1] in _bodies(session):
        body, names = _bodies(session)[tree[1]]
        given = dict(zip(names, tree[2:], strict=True))
        return expanded(session, _filled(body, given))
    return tuple(expanded(session, part) if is_tree(part) and part else part for part in tree)


def _filled(tree: Tree, given: dict[str, Tree]) -> Tree:
    if tree[0] == "lit":
        return tree
    if tree[0] == "name":
        return given.get(tree[1], tree)
    return tuple(_filled(part, given) if is_tree(part) and part else part for part in tree)


def _alike(one: Tree, other: Tree) -> bool:
    """Whether two rules are of one form, about the same tools, and read the same fields."""
    return (one[1], sorted(one[3:])) == (other[1], sorted(other[3:])) and _leaves(one) == _leaves(other)


def _leaves(tree: Tree) -> frozenset[object]:
    if tree[0] == "attr":
        return _leaves(tree[1]) | {tree[2]}
    if tree[0] == "method":
        return frozenset({tree[2]}).union(*(_leaves(part) for part in tree[1:] if is_tree(part)))
    return frozenset[object]().union(*(_leaves(part) for part in tree[1:] if is_tree(part)))


def decides_alike(session: str, one: Tree, other: Tree) -> bool:
    """Whether the solver shows that policies with one and with the other decide alike on all inputs."""
    _, suggestions, spec = language_of(session)
    try:
        terms = [lowered_policy(_turned_by(suggestions, tree), spec).terms for tree in (one, other)]
        found = semantic_diff(terms[0], named_alike(terms[1], terms[0]))
    except WorkbenchError:
        return False
    return found.equivalent is True and not found.unknown


def _turned_by(suggestions: Suggestions, tree: Tree) -> str:
    """A policy of one rule alone, in which what the rule says is not so without it."""
    default = "deny" if tree[1] == "permit" else "allow"
    return _DEFAULT.sub(f'DEFAULT = "{default}"', suggestions.alone(tree))


def measure(labels: Iterable[tuple[str, dict[str, Any]]], *, solver: bool = True) -> Report:
    """Suggest for every sentence of its set, and see where its meaning stands."""
    report = Report()
    for name, label in labels:
        language, suggestions, _ = language_of(label["session"])
        began = time.process_time()
        found = suggestions.of(label["sentence"], around(label), MOST)
        report.seconds.append(time.process_time() - began)
        if label["meaning"] == "context":
            report.offered_for_context[len(found)] += 1
            continue
        report.nothing_offered[name] += not found
        wanted = meanings(language, label)
        rest = [language.read(text)[0] for text in label.get("rest", ())]
        offered = [sense_of(label["session"], one.tree, wanted, rest, solver=solver) for one in found]
        place = offered.index(Sense.RIGHT) if Sense.RIGHT in offered else -1
        near = _nearest(label)
        nearest = any(is_right(label["session"], tree, wanted, solver=False) for tree in near)
        facts = "with a fact" if all(names_fact(language, tree) for tree in wanted) else "without facts"
        for group in (
            name,
            f"{name}, {label['origin']}",
            *((f"{name}, {facts}",) if name not in FILES else ()),
        ):
            report.scores.setdefault(group, Score()).count(place, offered, nearest=nearest)
        if place < 0:
            report.misses.append("\n".join(_miss(label, found)))
        against = [one for one, sense in zip(found, offered, strict=True) if sense is Sense.CONTRARY]
        if against:
            report.against.append("\n".join(_miss(label, against)))
    return report


def around(label: dict[str, Any]) -> str:
    """What stands above and before a sentence."""
    return "\n".join((label.get("heading", ""), *_listed(label.get("neighbours", ()))))


def _listed(given: object) -> Sequence[str]:
    return [given] if isinstance(given, str) else cast("list[str]", given or [])


@lru_cache
def _aloud(session: str) -> Sequence[tuple[str, Tree]]:
    return [(one.text, one.tree) for one in language_of(session)[0].aloud() if one.text]


def _nearest(label: dict[str, Any]) -> Sequence[Tree]:
    """The sentences of the policy that are nearest by their words: what a plain search would find."""
    ones = sorted(_aloud(label["session"]), key=lambda one: -fuzz.token_set_ratio(label["sentence"], one[0]))
    return [tree for _, tree in ones[:MOST]]


def _miss(label: dict[str, Any], found: Sequence[Any]) -> Iterator[str]:
    yield f"## {label['session'].split('/')[-1]} [{label['origin']}] {label['sentence']}"
    yield f"   heading: {label.get('heading', '')} {label.get('neighbours', '')}"
    yield from (f"   = {text}" for text in (label["meaning"], *label.get("also", ())))
    yield from (f"   {one.worth:.2f} {one.text}" for one in found)


def lines_of(report: Report) -> Iterator[str]:
    """The table, and the time that a sentence takes."""
    columns = (
        *("among five", "first", "something contrary offered"),
        *("something about other tools", "among the nearest five of the policy"),
    )
    yield f"| sentences | number | {' | '.join(f'{one}, %' for one in columns)} |"
    yield "|---|---|---|---|---|---|---|"
    for group, score in sorted(report.scores.items()):
        count = score.sentences
        parts = (score.among, score.first, score.contrary, score.of_others, score.nearest)
        shares = (_share(part, count) for part in parts)
        yield f"| {group} | {count} | {' | '.join(shares)} |"
    seconds = sorted(report.seconds)
    yield f"CPU seconds a sentence: median {seconds[len(seconds) // 2]:.2f}, most {seconds[-1]:.2f}"
    for name, count in sorted(report.nothing_offered.items()):
        yield f"{name}: nothing suggested for {count} sentences"
    nothing = report.offered_for_context[0]
    yield f"context: {report.offered_for_context.total()} sentences, nothing suggested for {nothing}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "-"


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", action="append", choices=SETS)
    parser.add_argument("--session", action="append", help="this session only, by the end of its name")
    parser.add_argument("--misses", action="store_true", help="show the misses")
    parser.add_argument("--contrary", action="store_true", help="show what is contrary")
    parser.add_argument("--without-solver", action="store_true")
    given = parser.parse_args(arguments)
    ends = tuple(given.session or ("",))
    labels = [
        (name, one) for name in given.set or SETS for one in labels_of(name) if one["session"].endswith(ends)
    ]
    report = measure(labels, solver=not given.without_solver)
    if given.misses:
        print("\n".join(report.misses))
    if given.contrary:
        print("\n".join(report.against))
    print("\n".join(lines_of(report)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

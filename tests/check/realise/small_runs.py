"""A search for small runs that break clauses: values around the constants of a policy, every outcome.

The search knows nothing of engines, axioms and lowering. A policy's text decides, as Python runs it; where
something is not determined, the rules are evaluated as they are written, from scratch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice, product
from random import Random

from tests.check.realise.test_wrong_versions import live_verdict
from tests.dialect.call_policies import CONTEXTS, TOOLS
from tests.dialect.naive_decision import Translated
from tests.dialect.python_twin import PythonTwin
from tests.runs.expressions.small_agent import SPEC, TYPES, reader
from workbench.check.realise.realised_proof import realised_proof
from workbench.dialect.call_fields import CallField
from workbench.dialect.run_terms import all_parts
from workbench.dialect.run_values import RunExpression
from workbench.engines.smt.preview import preview
from workbench.engines.smt.rule_by_rule import with_result
from workbench.model import UNANSWERED, Json, Kind, ProofStatus, RecordedCall, Verdict
from workbench.policy.connectives import FALSE, TRUE
from workbench.policy.terms import Constant, ConstantSet, Term
from workbench.runs.expressions.moment import Moment, Trace
from workbench.runs.expressions.scope import ReadExpression, naive_value
from workbench.runs.world.earlier_calls import Earlier

_NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
_OUTCOMES = ("done", "done", "done", "failed", "refused", "running", "nothing")
_MOST_CALLS = 24
"""The most calls of one tool in one small world."""
_MOST_EARLIER = 3
_RUNS_OF_WORLD = 60

type SmallRun = tuple[RecordedCall, ...]


class Domain:
    """The values that the runs of one policy have: its constants, and their neighbours."""

    def __init__(self, policy: Translated) -> None:
        """Take the constants of rules and clauses."""
        terms = [one.term for part in (*policy.calls.rules, *policy.calls.clauses) for one in part.terms]
        parts = [part for term in terms for part in all_parts(term, policy.calls.values)]
        found = {one for part in parts for one in _constants(part)}
        texts = {one for one in found if isinstance(one, str)} - {"room", "desk"}
        numbers = {Decimal(one) for one in found if isinstance(one, int | Decimal) and one is not True}
        waits = {one for one in found if isinstance(one, timedelta)}
        near = (Decimal("-0.01"), Decimal(0), Decimal("0.01"))
        self.texts = sorted(texts | {"DE1", "U1", "B1"})
        self.numbers = sorted({one + step for one in numbers for step in near} | {Decimal(5)})
        self.counts = sorted({int(one) + step for one in numbers if one == int(one) for step in (-1, 0, 1)})
        self.waits = sorted({one + timedelta(seconds=step) for one in waits for step in (-1, 0, 1)})

    def worlds(self, random: Random) -> Iterator[World]:
        """Small worlds without end: two texts, a few neighbouring numbers and times."""
        while True:
            at = random.randrange(max(1, len(self.numbers) - 2))
            yield World(
                random,
                random.sample(self.texts, 2),
                [*self.numbers[at : at + 3], random.choice(self.numbers)],
                random.sample(self.counts, min(3, len(self.counts))) or [0, 1],
                [timedelta(), timedelta(seconds=30), *random.sample(self.waits, min(2, len(self.waits)))],
            )


def _constants(part: Term) -> Iterator[object]:
    if isinstance(part, Constant):
        yield part.value
    collection = getattr(part, "collection", None)
    if isinstance(collection, ConstantSet):
        yield from collection.values


@dataclass
class World:
    """A few values, the calls that are made of them, and the runs of these calls."""

    random: Random
    texts: Sequence[str]
    numbers: Sequence[Decimal]
    counts: Sequence[int]
    waits: Sequence[timedelta]
    calls: dict[str, list[dict[str, Json]]] = field(default_factory=dict[str, list[dict[str, Json]]])

    def __post_init__(self) -> None:
        """Make the calls of each tool: all that there are if they are few, else some of them."""
        for call in TYPES.calls.values():
            self.calls[call.tool] = self._some(call.fields)

    # --- calls ----------------------------------------------------------------------

    def _some(self, fields: Sequence[CallField]) -> list[dict[str, Json]]:
        choices = [self._values(one) for one in fields]
        few = list(islice(product(*choices), _MOST_CALLS + 1))
        if len(few) > _MOST_CALLS:
            few = [tuple(map(self.random.choice, choices)) for _ in range(_MOST_CALLS)]
        return [
            {one.key: value for one, value in zip(fields, values, strict=True) if value != "missing"}
            for values in few
        ]

    def _values(self, one: CallField) -> list[Json]:
        """The values of a field; ``missing`` leaves it out, and a value of another type is not determined."""
        if one.keyed_by:
            made: list[Json] = [{}, *({text: float(self.numbers[0])} for text in self.texts)]
        elif one.type.kind is Kind.LIST:
            made = self._lists(one)
        elif one.type.kind is Kind.RECORD:
            made = list(self._some(one.fields)[:3])
        else:
            made = self._scalars(one)
        odd: list[Json] = ["missing", None] if one.type.optional else []
        if self.random.random() < 0.1:
            odd.append({"odd": 1})
        return [*made, *odd]

    def _scalars(self, one: CallField) -> list[Json]:
        match one.type.kind:
            case Kind.DECIMAL:
                return [float(number) for number in self.numbers]
            case Kind.INT:
                return list(self.counts)
            case Kind.DATETIME:
                return [(_NOON + step * wait).isoformat() for wait in self.waits for step in (-1, 1)]
            case _:
                return list(self.texts)

    def _lists(self, one: CallField) -> list[Json]:
        members: list[Json] = list(self._some(one.fields)) if one.fields else list(self.texts)
        chosen = [self.random.choice(members) for _ in range(3)] if members else []
        return [[], *([member] for member in chosen), chosen[:2], [*chosen[:2], chosen[0]]]

    # --- runs -----------------------------------------------------------------------

    def runs(self) -> Iterator[SmallRun]:
        """Runs of no, one, two and three earlier calls, in turn."""
        while True:
            for count in (0, *range(1, _MOST_EARLIER + 1), 1, 2):
                yield self.run_of(count)

    def run_of(self, earlier: int) -> SmallRun:
        """A run with so many calls before the last one."""
        random = self.random
        waits = sorted((random.choice(self.waits) for _ in range(earlier)), reverse=True)
        context, words = random.choice(CONTEXTS), random.choice((*self.texts, "pay"))
        calls: list[RecordedCall] = []
        for index, wait in enumerate([*waits, timedelta()]):
            tool = random.choice(TOOLS)
            arguments = random.choice(self.calls[tool])
            outcome = "decided" if index == earlier else random.choice(_OUTCOMES)
            calls.append(
                RecordedCall(
                    "run",
                    index,
                    tool,
                    arguments,
                    texts={"arguments": json.dumps(arguments), "all_user": words},
                    context=context,
                    result=None
                    if outcome in ("refused", "decided")
                    else self._result(tool, arguments, outcome),
                    time=(_NOON - wait).isoformat(),
                    ran=outcome != "refused",
                    failed=outcome == "failed",
                    known_from=UNANSWERED if outcome == "running" else 0,
                    approved=random.random() < 0.3,
                )
            )
        return tuple(calls)

    def _result(self, tool: str, arguments: dict[str, Json], outcome: str) -> str:
        record = next((one for one in SPEC.records if one.look_up and one.look_up.tool == tool), None)
        if record is None or outcome == "failed":
            return self.random.choice(("ok", "done", '{"error": "no"}'))
        if outcome == "nothing":
            return "no such"
        assert record.look_up is not None
        values: dict[str, Json] = {}
        for name, word in record.look_up.arguments.items():
            path = record.key if word == "key" else str(word).removeprefix("key.")
            values[path] = arguments.get(name)
        for one in record.fields:
            if one.name in record.keys:
                continue
            plain = CallField(one.name, one.name, one.type)
            made: Sequence[Json] = one.type.values or self._values(plain)
            values[one.name] = self.random.choice([value for value in made if value != "missing"])
        return json.dumps(values)


# --- the search -----------------------------------------------------------------------


class Search:
    """The clauses of one policy that small runs break."""

    def __init__(self, policy: Translated, random: Random) -> None:
        """Take a policy, and what the runs are drawn with."""
        self.policy = policy
        self._twin = PythonTwin(policy.calls.source)
        self._domain = Domain(policy)
        self._random = random
        self._clauses = [one for clause in policy.calls.clauses for one in clause.terms]

    def runs(self, number: int) -> Iterator[SmallRun]:
        """So many small runs."""
        worlds = self._domain.worlds(self._random)
        made = (run for world in worlds for run in islice(world.runs(), _RUNS_OF_WORLD))
        return islice(made, number)

    def broken(self, number: int) -> dict[str, SmallRun]:
        """The clauses that one of so many small runs breaks, each with the first such run."""
        found: dict[str, SmallRun] = {}
        for run in self.runs(number):
            for clause in self.broken_by(run, found):
                found[clause] = run
        return found

    def broken_by(self, run: SmallRun, known: Sequence[str] | dict[str, SmallRun] = ()) -> list[str]:
        """The clauses, other than those that are known, that the decision on the last call breaks."""
        place = len(run) - 1
        verdict = self._twin.verdict(run, place) or self.policy.naive(run, place)
        if verdict is Verdict.CANNOT_EVALUATE:
            return []
        allowed = verdict is Verdict.ALLOW
        moment = Moment(reader(), run[-1], Earlier(run, place))
        said = list(self._twin.clauses(run, place, allowed=allowed))
        found: list[str] = []
        number = 0
        for whole, in_python in zip(self.policy.calls.clauses, said, strict=True):
            for one in whole.terms:
                number += 1
                if f"C{number}" in known or one.tool not in ("", run[-1].tool):
                    continue
                truth: object = in_python
                if truth is None:
                    decided = with_result(one.term, TRUE if allowed else FALSE)
                    read = ReadExpression(
                        RunExpression(one.tool, whole.source, decided, self.policy.calls.values)
                    )
                    truth = naive_value(read, moment, Trace(), {})
                if truth is False:
                    found.append(f"C{number}")
        return found


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a clause, with a small run that breaks it if one was found.

    ``replayed`` is whether the realised run breaks it when the live guard decides; None without such a run.
    """

    clause: str
    status: ProofStatus
    broken: SmallRun | None
    replayed: bool | None

    @property
    def is_defect(self) -> bool:
        """Whether the verdict is wrong."""
        holds = self.status in (ProofStatus.PROVED, ProofStatus.VACUOUS)
        refuted = self.status is ProofStatus.REFUTED
        return (holds and self.broken is not None) or refuted is not (self.replayed is True)


def judged(policy: Translated, random: Random, runs: int) -> Iterator[Judged]:
    """The verdict of the preview on each clause of a policy, against so many small runs."""
    terms = policy.lowered.terms
    search = Search(policy, random)
    broken = search.broken(runs)
    for verdict in realised_proof(terms, SPEC, preview(terms)).clauses:
        example = verdict.counterexample
        replayed = None
        if example is not None and example.realised is not None:
            run = example.realised
            decided = live_verdict(policy.lowered, run, SPEC)
            replayed = decided is example.decision and verdict.clause in search.broken_by(run.calls)
        yield Judged(verdict.clause, verdict.status, broken.get(verdict.clause), replayed)

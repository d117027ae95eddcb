"""Random theorems against small runs: what is proved holds of each run that is let through.

The search knows nothing of engines, steps and unrolled runs. Runs of up to five calls are decided call by
call, with results that come late or never; a call that is not allowed does not run. The text of the theorem
then says whether it holds, as Python runs it, with the outcomes that the calls had in the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random

from tests.check.realise.small_runs import Domain, SmallRun, World
from tests.dialect.call_policies import ABOUT, Expressions, policy_text
from tests.dialect.naive_decision import Translated
from tests.dialect.python_twin import NotKnown, PythonTwin, Seen, shown
from tests.runs.expressions.small_agent import SPEC, reader
from workbench.check.theorems.verdicts import TheoremVerdicts
from workbench.model import UNANSWERED, ProofStatus, RecordedCall, TheoremVerdict, Verdict
from workbench.runs.expressions.moment import Moment
from workbench.runs.world.earlier_calls import Earlier

_MOST_EARLIER = 4
_RUNS_OF_WORLD = 40

# --- theorems -------------------------------------------------------------------------


def text_with_theorems(random: Random) -> str:
    """A random policy with rules about sums and counts, and theorems of which some hold."""
    parts = [policy_text(random, 2)]
    limit, most = random.choice(("7.5", "30", "100")), random.randrange(1, 4)
    counted = random.choice(("", " if not c.failed", " if c.succeeded", ' if c.iban == "DE1"'))
    if random.random() < 0.7:
        kept = f"call.total + sum(c.total for c in run.earlier(PayInvoice){counted})"
        parts.append(_rule("sum", f'{kept} > Decimal("{limit}")'))
    if random.random() < 0.5:
        parts.append(_rule("count", f"1 + sum(1 for c in run.earlier(PayInvoice){counted}) > {most}"))
    if random.random() < 0.5:
        parts.append(_rule("again", "any(c.iban == call.iban for c in run.earlier(PayInvoice))"))
    if random.random() < 0.5:
        parts.append(_rule("negative", "call.total < 0"))
    if random.random() < 0.4:
        condition = random.choice((f'call.total > Decimal("{limit}")', 'call.iban == "DE1"'))
        parts.append(_rule("large", condition).replace("forbid_", "ask_", 1))
    said = list(_theorems(random, limit, most, counted))
    random.shuffle(said)
    parts += [
        f'def theorem_{number}(run: Run) -> bool:\n    """It holds."""\n    return {text}\n'
        for number, text in enumerate(said[:3])
    ]
    return "\n\n".join(parts)


def _rule(name: str, condition: str) -> str:
    head = f'def forbid_{name}_of_run(call: PayInvoice, run: Run) -> bool:\n    """R1: No."""\n'
    return f"{head}    return {condition}\n"


def _theorems(random: Random, limit: str, most: int, counted: str) -> Iterator[str]:
    others = ("", " if c.succeeded", " if not c.failed", " if c.failed", ' if c.iban == "DE1"')
    own = random.choice((counted, *others))
    bound = random.choice((limit, limit, "30", "0"))
    yield f'sum(c.total for c in run.calls(PayInvoice){own}) <= Decimal("{bound}")'
    yield f"sum(1 for c in run.calls(PayInvoice){own}) <= {random.choice((most, most, 1))}"
    yield f'max((c.total for c in run.calls(PayInvoice){own}), default=Decimal("0")) <= Decimal("{bound}")'
    yield f'all(c.approved or c.total <= Decimal("{bound}") for c in run.calls(PayInvoice))'
    yield f"sum(1 for c in run.calls(PayInvoice) if not c.approved) <= {most}"
    again = "any(e.iban == c.iban for e in run.before(c).earlier(PayInvoice))"
    yield f"all(not {again} for c in run.calls(PayInvoice))"
    yield f"all(c.total >= 0 for c in run.calls(PayInvoice){random.choice(others)})"
    yield (
        f"not any(c.failed for c in run.calls(PayInvoice)) or "
        f'sum(c.total for c in run.calls(PayInvoice)) <= Decimal("{bound}")'
    )
    about = random.choice([one for one in ABOUT if one != "Call"])
    truth = Expressions(random, about, 2).truth()
    classes = about.replace(" | ", ", ")
    form = random.choice(("all({}", "not any({}"))
    yield f"{form.format(_of_element(truth))} for one in run.calls({classes}))"


def _of_element(condition: str) -> str:
    """A condition of a rule as one of a call of the whole run."""
    return re.sub(r"\brun\b(?!\.calls)", "run.before(one)", re.sub(r"\bcall\b", "one", condition))


# --- the twin -------------------------------------------------------------------------


class TheoremTwin:
    """The theorems of a policy's text, as Python runs them."""

    def __init__(self, source: str) -> None:
        """Take the text of the policy, which a test wrote."""
        self._twin = PythonTwin(source)

    def holds(self, theorem: str, run: SmallRun) -> bool | None:
        """Whether a theorem holds of a run; None if something that is not determined was met."""
        try:
            return bool(self._twin.function(theorem)(_Whole(run)))
        except NotKnown:
            return None


@dataclass(slots=True)
class _Whole:
    """What a theorem calls ``run``."""

    run: SmallRun

    def calls(self, *classes: type) -> list[_One]:
        tools = [str(vars(one)["tool"]) for one in classes]
        return [_One(self.run, at) for at, call in enumerate(self.run) if call.ran and call.tool in tools]

    def before(self, call: _One) -> _Before:
        return _Before(self.run, call.at)


@dataclass(slots=True)
class _One:
    """A call of the whole run: as the decided one, with the outcome that it had in the end."""

    run: SmallRun
    at: int

    def __getattr__(self, name: str) -> object:
        if name in ("succeeded", "failed", "approved", "result"):
            ended = reader().earlier(self.run[self.at], (name, "failed"), Earlier(self.run, self.at))
            return getattr(shown(ended), name)
        return getattr(Seen(self.run, self.at).call, name)


@dataclass(slots=True)
class _Before(Seen):
    """The run before a call, in which every call has ended."""

    ended: Moment = field(init=False)

    def __post_init__(self) -> None:
        Seen.__post_init__(self)
        ended = tuple(replace(call, known_from=0) for call in self.calls)
        self.ended = Moment(reader(), ended[self.index], Earlier(ended, self.index))

    @property
    def moment_of_calls(self) -> Moment:
        return self.ended


# --- runs -----------------------------------------------------------------------------


class LetThrough:
    """Small runs as one policy lets them through."""

    def __init__(self, policy: Translated, random: Random) -> None:
        """Take a policy, and what the runs are drawn with."""
        self.policy = policy
        self._random = random
        self._domain = Domain(policy)

    def runs(self, number: int) -> Iterator[SmallRun]:
        """So many small runs."""
        worlds = self._domain.worlds(self._random)
        made = (run for world in worlds for run in islice(self._of(world), _RUNS_OF_WORLD))
        return islice(made, number)

    def _of(self, world: World) -> Iterator[SmallRun]:
        while True:
            for count in range(_MOST_EARLIER + 1):
                yield self.decided(world.run_of(count))

    def decided(self, run: SmallRun) -> SmallRun:
        """The run in which no call runs that the policy does not allow; a person approves some."""
        calls: list[RecordedCall] = []
        for index, call in enumerate(run):
            late = call.known_from == UNANSWERED and self._random.random() < 0.5
            known_from = index + self._random.randrange(2, 4) if late else call.known_from
            calls.append(replace(call, ran=True, known_from=known_from))
            verdict = self.policy.core((*calls, *run[index + 1 :]), index)
            runs = verdict is Verdict.ALLOW or (verdict is Verdict.ASK and self._random.random() < 0.7)
            calls[-1] = replace(calls[-1], ran=runs, approved=runs and verdict is Verdict.ASK)
        return tuple(calls)


# --- verdicts -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a theorem, with a small run that breaks it if one was found.

    ``replayed`` is whether the run that refutes it is let through and breaks it; None without such a run.
    """

    theorem: str
    status: ProofStatus
    broken: SmallRun | None
    replayed: bool | None

    @property
    def is_defect(self) -> bool:
        """Whether the verdict is wrong."""
        holds = self.status in (ProofStatus.PROVED, ProofStatus.VACUOUS)
        refuted = self.status is ProofStatus.REFUTED
        return (holds and self.broken is not None) or (refuted and self.replayed is not True)


def judged(text: str, random: Random, number: int, seconds: float = 1.0) -> Iterator[Judged]:
    """The preview's verdict on each theorem of a policy, against so many small runs."""
    policy, twin = Translated(text), TheoremTwin(text)
    verdicts = TheoremVerdicts(policy.lowered.terms, SPEC).all(most=3, seconds=seconds)
    through = LetThrough(policy, random)
    broken: dict[str, SmallRun] = {}
    for run in through.runs(number):
        for one in verdicts:
            if one.name not in broken and twin.holds(one.name, run) is False:
                broken[one.name] = run
    for one in verdicts:
        yield Judged(one.name, one.status, broken.get(one.name), _replays(one, policy, twin))


def _replays(one: TheoremVerdict, policy: Translated, twin: TheoremTwin) -> bool | None:
    if one.breaking is None:
        return None
    calls = one.breaking.calls
    allowed = all(
        call.ran is (policy.core(calls, index) in (Verdict.ALLOW, Verdict.ASK))
        for index, call in enumerate(calls)
    )
    # Python stops at the first call of which something is not determined, and says nothing then.
    return allowed and twin.holds(one.name, calls) is not True

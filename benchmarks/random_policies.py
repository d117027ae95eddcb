"""Random policies of calls with random runs: how often each translation of a policy decides as it is written.

Run: python benchmarks/random_policies.py [NUMBER] [--from SEED] [--engines POLICIES]

Each policy is checked, lowered to plain arguments, and decides four short runs, with every outcome of a call,
and with missing and undetermined values: the compiled core on extracted arguments (kept from call to call),
the same for each call from a new extractor as after a restart, and the rules as they are written, from
scratch. It exits with 1 if two of them differ, and names the seeds. A list of which one element is not
determined is undetermined as a whole once it is extracted; the calls that are decided as written for all that
are counted.

The conditions of the first policies, ``--engines`` of them, are also compared as the solver and Nagini see
them. With what is known of the values of a decided call, whatever is not determined, the formula has an input
that is decided so and none that is decided otherwise (but a call that goes to a person may be allowed then).
The Nagini program decides that input so, and says of each clause on it what the compiled core says. What the
solver does not know in two seconds is counted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.dialect.call_policies import policy_text, random_run
from tests.dialect.naive_decision import Translated
from tests.engines.nagini.lowering.lowered_run import checker, encode
from tests.engines.smt.test_formula import pinned
from workbench.engines.nagini.lowering.lower import LoweringLimit, lower
from workbench.engines.smt.formula import Formula, SolverAnswer
from workbench.model import Arguments, Extracted, RecordedCall, RecordValue, Verdict
from workbench.policy.terms import (
    And,
    Attribute,
    Compare,
    Comparison,
    Constant,
    IsMissing,
    Not,
    ResultTerm,
    Term,
    Variable,
)
from workbench.runs.replay.decide import decision_on

RUNS = 4
CALLS = 6
"""The calls of a policy that engines decide."""
SECONDS = 2


class Engines:
    """A policy as the solver and as Nagini see it, beside the compiled core."""

    def __init__(self, policy: Translated, counts: Counter[str]) -> None:
        """Translate the policy."""
        self.policy, self.counts, self.terms = policy, counts, policy.lowered.terms
        self.formula = Formula(self.terms)
        self.left = CALLS
        counts["expressions"] += len(self.terms.rules) + len(self.terms.clauses)
        try:
            self.program = lower(self.terms)
        except LoweringLimit:
            self.program = None
            counts["without a program"] += 1

    def differ(self, run: tuple[RecordedCall, ...], index: int) -> bool:
        """Whether an engine decides the call otherwise."""
        extracted = self.policy.extracted(run, index)
        verdict = decision_on(self.policy.policy, extracted).verdict
        if verdict is Verdict.CANNOT_EVALUATE or self.left == 0:
            return False
        self.left -= 1
        known = [
            part
            for one in self.terms.arguments
            if one.name in extracted
            for part in _known(Variable(one.name, one.type), extracted[one.name])
        ]
        allowed = verdict is Verdict.ALLOW
        so, otherwise = (
            self.formula.solve(And((*known, self._result(is_so))), time_limit_ms=SECONDS * 1000)
            for is_so in (allowed, not allowed)
        )
        self.counts["calls for engines"] += 1
        self.counts["unknown"] += SolverAnswer.UNKNOWN in (so.status, otherwise.status)
        # A person is asked where it is not determined whether one is to be asked.
        is_settled = verdict is not Verdict.ASK
        if so.status is SolverAnswer.UNSAT or (is_settled and otherwise.status is SolverAnswer.SAT):
            return True
        return so.arguments is not None and self._program_differs(so.arguments, allowed=allowed)

    def _program_differs(self, arguments: Arguments, *, allowed: bool) -> bool:
        core = self.policy.policy
        if core.allows(arguments) is not allowed:
            return True
        if self.program is None:
            return False
        python, encoded = checker(self.program), encode(self.program, arguments)
        self.counts["inputs for the program"] += 1
        if python.call("allow", encoded) is not allowed:
            return True
        for clause in self.terms.clauses:
            requires, ensures = python.contract(self.program.methods[clause.id], encoded)
            if (ensures or not requires) is not core.clause_holds(clause.id, arguments):
                return True
        return False

    @staticmethod
    def _result(allowed: bool) -> Term:
        return ResultTerm() if allowed else Not(ResultTerm())


def _known(argument: Variable, found: Extracted) -> Iterator[Term]:
    """What is known of an argument: its value, the bounds of its number, or some fields of its record."""
    if found.missing is None:
        yield from pinned(argument, found.value)
    elif isinstance(found.between, tuple):
        for comparison, bound in zip((Comparison.GE, Comparison.LE), found.between, strict=True):
            if bound is not None:
                yield Compare(comparison, argument, Constant(bound))
    elif isinstance(found.between, RecordValue):
        assert argument.type.record is not None
        if argument.type.optional:
            yield Not(IsMissing(argument))
        types = dict(argument.type.record.fields)
        for name, value in found.between.fields:
            yield from pinned(Attribute(argument, name, types[name]), value)


def main() -> None:
    """Compare the decisions on random runs, and print how many there are of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=500)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--engines", type=int, default=0)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    differing: list[int] = []
    for seed in range(options.first, options.first + options.number):
        random = Random(seed)
        policy = Translated(policy_text(random))
        engines = Engines(policy, counts) if seed < options.first + options.engines else None
        for _ in range(RUNS):
            run = random_run(random)
            for index in range(len(run)):
                decided, written = policy.core(run, index), policy.naive(run, index)
                counts[decided.value] += 1
                if decided is Verdict.CANNOT_EVALUATE and policy.lacks_element(run, index):
                    counts["known only as written"] += written is not decided
                elif decided is not written:
                    differing.append(seed)
                if policy.restarted(run, index) is not decided:
                    differing.append(seed)
                if engines is not None and engines.differ(run, index):
                    differing.append(seed)
    shown = ("known only as written", *(verdict.value for verdict in Verdict))
    figures = ", ".join(f"{counts[name]} {name}" for name in sorted(shown))
    decisions = sum(counts[verdict.value] for verdict in Verdict)
    print(f"{options.number} policies, {decisions} decisions: {figures}")
    if options.engines:
        print(
            f"by engines: {counts['expressions']} expressions of {options.engines} policies on "
            f"{counts['calls for engines']} calls, of which the solver leaves {counts['unknown']} unknown; "
            f"{counts['inputs for the program']} inputs by the program, "
            f"{counts['without a program']} policies are too large for one"
        )
    print(f"differing: {len(differing)}" + (f" (seeds {sorted(set(differing))})" if differing else ""))
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()

"""Decisions per second of a compiled policy, of cedarpy and of regopy, on the same inputs.

Run: python benchmarks/decisions_peers.py [INPUTS]

The six rules of sessions/web-shopping are also written here in Cedar and Rego. Each peer runs at its best:
Cedar's policies are parsed once, Rego's are compiled to a bundle once, and requests are made before the clock
starts. All must agree on every input, or nothing is reported. Install the peers with ``pip install --group
bench`` (pip 25.1, or uv); a missing peer is left out. Times are CPU time; each figure is the median of five
rounds.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.plain_policies import check
from workbench.engines.compiled.compile import compile_policy
from workbench.model import Arguments, Verdict

# The peers have no types.
# pyright: reportAny=false, reportExplicitAny=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportMissingImports=false
# pyright: reportMissingTypeStubs=false

ROUNDS = 5

SOURCE = '''"""The six shopping rules."""

from typing import Literal

Action = Literal[
    "buy_or_rent_car", "search_media", "book_hotel", "apply_for_job", "purchase",
    "book_flight", "other",
]


def forbid_car(action: Action, dr_license: bool) -> bool:
    """R1: Users without a driver's licence may not buy or rent a car."""
    return action == "buy_or_rent_car" and not dr_license


def forbid_media(action: Action, domestic: bool) -> bool:
    """R2: Users who live abroad may not search for media."""
    return action == "search_media" and not domestic


def forbid_hotel(action: Action, age: int) -> bool:
    """R3: Users under 18 may not book a hotel."""
    return action == "book_hotel" and age < 18


def forbid_job(action: Action, age: int) -> bool:
    """R4: Users under 15 may not apply for a job."""
    return action == "apply_for_job" and age < 15


def forbid_purchase(action: Action, membership: bool) -> bool:
    """R5: Users who are not members may not purchase anything."""
    return action == "purchase" and not membership


def forbid_flight(action: Action, vaccine: bool) -> bool:
    """R6: Unvaccinated users may not book a flight."""
    return action == "book_flight" and not vaccine


def allow(
    action: Action, age: int, domestic: bool, dr_license: bool, vaccine: bool, membership: bool
) -> bool:
    return not (
        forbid_car(action, dr_license)
        or forbid_media(action, domestic)
        or forbid_hotel(action, age)
        or forbid_job(action, age)
        or forbid_purchase(action, membership)
        or forbid_flight(action, vaccine)
    )
'''

CEDAR = """
permit(principal, action, resource);
forbid(principal, action == Action::"buy_or_rent_car", resource) when { !context.dr_license };
forbid(principal, action == Action::"search_media", resource) when { !context.domestic };
forbid(principal, action == Action::"book_hotel", resource) when { context.age < 18 };
forbid(principal, action == Action::"apply_for_job", resource) when { context.age < 15 };
forbid(principal, action == Action::"purchase", resource) when { !context.membership };
forbid(principal, action == Action::"book_flight", resource) when { !context.vaccine };
"""

REGO = """
package shop

default allow := false

denied if { input.action == "buy_or_rent_car"; not input.dr_license }
denied if { input.action == "search_media"; not input.domestic }
denied if { input.action == "book_hotel"; input.age < 18 }
denied if { input.action == "apply_for_job"; input.age < 15 }
denied if { input.action == "purchase"; not input.membership }
denied if { input.action == "book_flight"; not input.vaccine }

allow if { not denied }
"""

ACTIONS = (
    "buy_or_rent_car", "search_media", "book_hotel", "apply_for_job", "purchase", "book_flight", "other",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """One way to decide: microseconds per decision, and its decisions."""

    name: str
    microseconds: float
    allowed: tuple[bool, ...]


def make_inputs(count: int) -> list[Arguments]:
    """Random users and actions, the same in every run."""
    chance = random.Random(7)
    return [
        {
            "action": chance.choice(ACTIONS),
            "age": chance.randint(8, 80),
            "domestic": chance.random() < 0.7,
            "dr_license": chance.random() < 0.5,
            "vaccine": chance.random() < 0.7,
            "membership": chance.random() < 0.5,
        }
        for _ in range(count)
    ]


def measure[T](name: str, decide: Callable[[T], bool], requests: Sequence[T]) -> Measured:
    """The median CPU time of one decision over some rounds."""
    allowed = tuple(decide(request) for request in requests)
    rounds: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for request in requests:
            decide(request)
        rounds.append((time.process_time() - start) / len(requests) * 1e6)
    return Measured(name, median(rounds), allowed)


def workbench(inputs: Sequence[Arguments]) -> list[Measured]:
    """The compiled policy: the full decision with its reasons."""
    policy = compile_policy(check(SOURCE))

    def decided(arguments: Arguments) -> bool:
        return policy.decide(arguments).verdict is Verdict.ALLOW

    return [measure("workbench (types checked, rules named)", decided, inputs)]


def cedar(inputs: Sequence[Arguments]) -> list[Measured]:
    """Cedar with the policy set parsed once."""
    import cedarpy

    policies: Any = cedarpy.PolicySet.from_str(CEDAR)
    entities: Any = cedarpy.Entities.from_json_str("[]") if hasattr(cedarpy.Entities, "from_json_str") else []
    requests = [
        {
            "principal": 'User::"u"',
            "action": f'Action::"{arguments["action"]}"',
            "resource": 'Site::"s"',
            "context": {name: value for name, value in arguments.items() if name != "action"},
        }
        for arguments in inputs
    ]

    def decided(request: dict[str, Any]) -> bool:
        return bool(cedarpy.is_authorized(request, policies, entities).allowed)

    return [measure("cedarpy, policies parsed once", decided, requests)]


def rego(inputs: Sequence[Arguments]) -> list[Measured]:
    """Rego with the policy compiled to a bundle once."""
    import regopy

    interpreter: Any = regopy.Interpreter()
    interpreter.add_module("shop", REGO)
    bundle = interpreter.build(None, ["shop/allow"])

    def decided(arguments: Arguments) -> bool:
        interpreter.set_input(dict(arguments))
        output = interpreter.query_bundle_entrypoint(bundle, "shop/allow")
        return bool(output.expressions()[0].value)

    return [measure("regopy, bundle built once", decided, inputs)]


def main() -> int:
    """Print the table; 1 if two ways disagree on an input."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    inputs = make_inputs(count)
    measurements = workbench(inputs)
    for package, run in (("cedarpy", cedar), ("regopy", rego)):
        if importlib.util.find_spec(package) is None:
            print(f"{package} is not installed and is left out.", file=sys.stderr)
            continue
        measurements += run(inputs)
    ours = measurements[0]
    for measured in measurements[1:]:
        if measured.allowed != ours.allowed:
            pairs = zip(inputs, measured.allowed, ours.allowed, strict=True)
            differs = next(arguments for arguments, theirs, own in pairs if theirs != own)
            print(f"{measured.name} disagrees on {differs}", file=sys.stderr)
            return 1
    print(f"{count} inputs, {sum(ours.allowed)} allowed; all agree on every input.\n")
    print("| way to decide | µs a decision | decisions/s | times slower than the workbench |")
    print("|---|---:|---:|---:|")
    for measured in measurements:
        rate, ratio = 1e6 / measured.microseconds, measured.microseconds / ours.microseconds
        print(f"| {measured.name} | {measured.microseconds:.2f} | {rate:,.0f} | {ratio:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

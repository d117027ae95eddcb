"""The command ``grant``: what a person granted to the agent, and granting and revoking it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import counted, one_line
from workbench.cli.open_session import guarding_all
from workbench.cli.output import note, paint, write, write_json, write_lines
from workbench.cli.parameters import AsJson, LogFiles, SessionPath
from workbench.cli.person import need_person
from workbench.model import GrantScope, WorkbenchError
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.grants import Grants, ListedGrant, OfferedRegion, WaitingCall
    from workbench.app.workbench import Workbench

_MOST_WAITING = 20
_HOUR = timedelta(hours=1)

RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run of a logged call.", show_default=False)]
CallNumber = Annotated[
    int, typer.Argument(metavar="CALL", help="The number of the call in its run.", show_default=False)
]
Region = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|TEXT",
        help="Grant this one of the regions that are shown, or an expression over call and run.",
    ),
]
Scope = Annotated[
    GrantScope,
    typer.Option(help="For one call of the run, every call of the run, or every run until it expires."),
]
Hours = Annotated[float, typer.Option(help="The time after which it ends.")]
Reason = Annotated[str, typer.Option(metavar="WORDS", help="Why it is granted.")]
Prune = Annotated[
    bool,
    typer.Option(
        "--prune", help="Take the grants that open nothing any more, and by which no logged call ran, out."
    ),
]
Revoked = Annotated[str, typer.Option(metavar="ID", help="End this grant at once.")]


def grant(
    session: SessionPath,
    run: RunName = "",
    call: CallNumber = -1,
    region: Region = "",
    scope: Scope = GrantScope.ONCE,
    hours: Hours = 8.0,
    reason: Reason = "",
    revoke: Revoked = "",
    prune: Prune = False,
    log: LogFiles = None,
    as_json: AsJson = False,
) -> int:
    """Grant the agent a call that waits for a person.

    Without a call it lists the grants of a session, and the calls that nobody approved. With RUN and CALL it
    shows the regions that a grant could open, narrowest first, with the logged calls in each; --region grants
    one. No grant opens what a rule forbids. Where the session guards a coding agent on this machine, the
    person at the terminal has to agree.
    """
    from workbench.app.grants import user_name
    from workbench.app.hook_guard import recorded_logs

    with guarding_all([session]) as (bench,):
        logs = log or recorded_logs(bench.session)
        if revoke or prune:
            return _take_back(bench.grants, revoke, logs)
        if not run:
            return _list(bench, logs, as_json=as_json)
        if call < 0:
            raise WorkbenchError("Give the run and the number of a call in it.")
        if not region:
            return _show(bench.grants, logs, run, call)
        chosen = _chosen(bench.grants, logs, run, call, region)
        write_lines(region_lines(chosen))
        lasting = lasting_for(hours)
        if not reason.strip():
            raise WorkbenchError("Say why it is granted: --reason WORDS.")
        agreed(session, chosen, scope, hours)
        added = bench.grants.add(
            chosen,
            scope=scope,
            lasting=lasting,
            by=user_name(),
            reason=reason,
        )
    note(f"Granted as {added.id}, {_scope_words(scope)}, until {added.expires}.")
    return 0


def _take_back(grants: Grants, revoked: str, logs: Sequence[Path]) -> int:
    """End the named grant, or take out those that open nothing any more."""
    from workbench.app.grants import user_name

    if revoked:
        ended = grants.revoke(revoked, user_name())
        note(f"{ended.id} is revoked; it opens nothing from now on.")
    else:
        pruned = grants.prune(logs)
        note(f"{', '.join(one.id for one in pruned) or 'No grant'} was taken out of grants.toml.")
    return 0


def lasting_for(hours: float) -> timedelta:
    """The time of so many hours. Raises WorkbenchError if no grant may last so long."""
    from workbench.app.grants import LONGEST

    if not (math.isfinite(hours) and 0 < hours <= LONGEST / _HOUR):
        raise WorkbenchError("A grant lasts for more than no time and at most a year: --hours HOURS.")
    return hours * _HOUR


def agreed(session: Path, chosen: OfferedRegion, scope: GrantScope, hours: float) -> None:
    """Have the person agree to all that the grant says: what was printed may not be at the terminal."""
    run, call = chosen.call.run, chosen.call.index
    of_run = "" if scope is GrantScope.ALWAYS else f" {run}"
    only = f" Only with exactly the arguments of call {call} of {run}." if chosen.region.exact else ""
    what = f"Grant {_scope_words(scope)}{of_run}, for {hours:g} hours: {chosen.sentence}{only}"
    need_person(session, f"{what} It overrides {', '.join(chosen.overrides)}.")


def _list(bench: Workbench, logs: Sequence[Path], *, as_json: bool) -> int:
    listed = bench.grants.listed()
    waiting = bench.grants.waiting(logs) if logs else ()
    problem = bench.grants.problem
    if as_json:
        from workbench.app.grants import GRANTS

        write_json(GRANTS.write((listed, waiting, problem)))
    else:
        write_lines((*_grant_lines(listed), *_waiting_lines(waiting)))
    if problem:
        note(problem)
    return 1 if problem else 0


def _grant_lines(listed: Sequence[ListedGrant]) -> Iterator[str]:
    for item in listed:
        one = item.grant
        tone = Tone.GOOD if item.in_force else Tone.MUTED
        yield f"{paint(one.id, Tone.TITLE)}  {paint(one_line(item.state), tone)}"
        yield f"  {one_line(item.sentence)}"
        if one.arguments:
            yield f"  Only with exactly these arguments: {one_line(one.arguments)}"
        of_run = f" ({one_line(one.run)})" if one.run else ""
        made = f"{one_line(one.by)}, {one.made}: {one_line(one.reason)}"
        yield f"  {_scope_words(one.scope)}{of_run}; by {made}"
        yield f"  It overrides {', '.join(map(one_line, one.overrides))}; every other rule stays in force."
    if not listed:
        yield "Nothing was granted."


def _waiting_lines(waiting: Sequence[WaitingCall]) -> Iterator[str]:
    if not waiting:
        return
    yield ""
    yield paint(f"{counted(len(waiting), 'call')} that nobody approved", Tone.TITLE)
    for item in waiting[-_MOST_WAITING:]:
        yield f"  {one_line(item.run)} {item.index}  {one_line(item.tool)} {one_line(item.arguments, 300)}"
        yield f"    asked by {', '.join(map(one_line, item.rules))}"
    yield "  'workbench grant SESSION RUN CALL' shows what a grant could open."


def _show(grants: Grants, logs: Sequence[Path], run: str, call: int) -> int:
    number = 0
    for number, offer in enumerate(grants.offered(logs, run, call), 1):
        write(f"{paint(str(number), Tone.TITLE)}  {offer.region.words}")
        write_lines(region_lines(offer))
    if not number:
        raise WorkbenchError("No region around this call is proved to open nothing else.")
    note("Grant one by --region NUMBER --reason WORDS, or write --region EXPRESSION.")
    return 0


def region_lines(offer: OfferedRegion) -> Iterator[str]:
    """What a grant of a region would open, for a person who decides about it."""
    yield f"  {one_line(offer.sentence)}"
    yield f"  region: {one_line(offer.region.text)}"
    if offer.region.exact:
        yield "  Only with exactly the arguments of this call."
    yield f"  It overrides {', '.join(offer.overrides)}. Proved: it opens nothing that another rule closes."
    if offer.closed:
        yield f"  Calls of it may still be closed by {', '.join(offer.closed)}."
    first = ", ".join(f"{one_line(run)} {index}" for run, index in offer.inside[:3])
    more = f" and {len(offer.inside) - 3} more" if len(offer.inside) > 3 else ""
    inside = counted(len(offer.inside), "logged call")
    yield f"  {inside} in it, of which it lets {offer.opened} run: {first}{more}"


def _chosen(grants: Grants, logs: Sequence[Path], run: str, call: int, region: str) -> OfferedRegion:
    if not region.strip().isdecimal():
        return grants.offer(logs, run, call, region)
    offers = list(grants.offered(logs, run, call))
    number = int(region)
    if not 1 <= number <= len(offers):
        raise WorkbenchError(f"There are the regions 1 to {len(offers)}; {number} is none of them.")
    return offers[number - 1]


def _scope_words(scope: GrantScope) -> str:
    match scope:
        case GrantScope.ONCE:
            return "for one call of the run"
        case GrantScope.RUN:
            return "for every call of the run"
        case GrantScope.ALWAYS:
            return "for every run"

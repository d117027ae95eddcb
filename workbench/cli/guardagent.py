"""The command about GuardAgent on one recorded call: guardagent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import clean, counted, one_line
from workbench.cli.demonstrations import Least, Most
from workbench.cli.model_calls import tell_call
from workbench.cli.open_session import reading, writing
from workbench.cli.output import note, paint, progress, write, write_json
from workbench.cli.parameters import AsJson, ReplayCalls, SessionPath
from workbench.model import Verdict
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.workbench import Workbench

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run in the logs.")]
CallPlace = Annotated[int, typer.Argument(metavar="CALL", min=0, help="The call of the run, from 0.")]
PlanFile = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", help="Follow this plan: four steps, one a line."),
]
CodeFile = Annotated[
    Path | None,
    typer.Option("--code", metavar="FILE", help="Run this guardrail code; no model is asked."),
]
ShowLast = Annotated[
    bool, typer.Option("--kept", help="Show what GuardAgent made of the call last; no model is asked.")
]
Keep = Annotated[bool, typer.Option("--keep", help="Keep its plan and code as a demonstration.")]
CaseDecision = Annotated[
    Verdict | None,
    typer.Option("--case", metavar="allow|deny", help="Keep the call as a case with this decision."),
]
WholeLogs = Annotated[
    bool, typer.Option("--all", help="Decide every call of the logs that it has not decided yet.")
]
MostCalls = Annotated[
    int | None, typer.Option("--most", metavar="N", min=1, help="With --all: at most so many calls.")
]
ListFunctions = Annotated[
    bool, typer.Option("--functions", help="List the functions that guardrail code may call.")
]


def guardagent(
    session: SessionPath,
    run: RunId = "",
    call: CallPlace = 0,
    plan: PlanFile = None,
    code: CodeFile = None,
    show_last: ShowLast = False,
    keep: Keep = False,
    case: CaseDecision = None,
    k: Most = None,
    least_similar: Least = False,
    functions: ListFunctions = False,
    whole_logs: WholeLogs = False,
    most: MostCalls = None,
    replay_calls: ReplayCalls = False,
    as_json: AsJson = False,
) -> int:
    """Let GuardAgent decide a recorded call, next to the policy.

    Demonstrations are retrieved, a model plans and writes guardrail code, the code runs in a sandbox and is
    corrected. Everything is kept in guardagent.jsonl. Exits with 1 where policy and GuardAgent disagree.
    """
    from workbench.model import WorkbenchError

    if functions:
        return _list_functions(session)
    if whole_logs and not (run or plan or code or show_last or keep or case):
        return _guard_all(session, k, most, least_similar, replay_calls=replay_calls, as_json=as_json)
    if whole_logs or not run:
        raise WorkbenchError("Name a run ('workbench replay' lists what there is), or --all and no call.")
    if sum((plan is not None, code is not None, show_last)) > 1:
        raise WorkbenchError("Give one of --plan, --code and --kept.")
    with writing(session, replay_calls=replay_calls) as bench:
        terms = bench.policy.terms()
        progress("Reading the logs")
        logs = bench.runs.load(terms=terms)
        if show_last or code is not None:
            guarded_call = _without_model(bench, terms, logs, run, call, code)
        else:
            progress("Asking the model")
            steps = () if plan is None else _lines(plan)
            guarded_call = bench.guardagent.guard(
                terms, logs, run, call, k=k, least_similar=least_similar, plan=steps
            )
        _show(guarded_call, as_json)
        if case is not None:
            note(f"The case {bench.guardagent.keep_case(terms, guarded_call, case).case.id} is kept.")
        if keep:
            note(f"{bench.guardagent.demonstrate(guarded_call, logs).label}.")
    return 0 if guarded_call.agrees else 1


def _guard_all(
    session: Path, k: int | None, most: int | None, least_similar: bool, *, replay_calls: bool, as_json: bool
) -> int:
    """Decide the calls of the logs, and write both decisions of each; a last line has the figures."""
    from itertools import islice

    from workbench.app.json_output.memory import GUARDED

    count = differing = 0
    with writing(session, replay_calls=replay_calls) as bench:
        bench.authorship.watch(tell_call)
        terms = bench.policy.terms()
        logs = bench.runs.load(terms=terms)
        guarded_calls = bench.guardagent.guard_all(terms, logs, most, k=k, least_similar=least_similar)
        for guarded_call in islice(guarded_calls, most):
            count, differing = count + 1, differing + (not guarded_call.agrees)
            if as_json:
                write_json(GUARDED.write(guarded_call))
                continue
            decided, verdict = guarded_call.decided, guarded_call.guarded.decision.verdict
            mark = "" if guarded_call.agrees else "  they disagree"
            place = f"{one_line(decided.run)} call {decided.index}"
            write(f"{place}  GuardAgent {verdict}, policy {decided.decision.verdict}{mark}")
        left = len(logs.calls) - len(bench.guardagent.all_kept(terms, logs))
    note(
        f"GuardAgent decided {counted(count, 'call')}, {differing} otherwise than the policy; "
        f"{counted(left, 'call')} of the logs it has not decided."
    )
    return 1 if differing else 0


def _without_model(
    bench: Workbench, terms: PolicyTerms, logs: Logs, run: str, call: int, code: Path | None
) -> GuardAgentCall:
    from workbench.app.named_files import read_named
    from workbench.model import WorkbenchError

    if code is not None:
        return bench.guardagent.run_code(terms, logs, run, call, read_named(code, "guardrail code"))
    guarded_call = bench.guardagent.kept_call(terms, logs, run, call)
    if guarded_call is None:
        raise WorkbenchError(f"GuardAgent has not decided call {call} of {run}; leave --kept out.")
    return guarded_call


def _lines(path: Path) -> tuple[str, ...]:
    from workbench.app.named_files import read_named

    return tuple(line for line in read_named(path, "a plan").splitlines() if line.strip())


def _list_functions(session: Path) -> int:
    with reading(session) as bench:
        listed = bench.guardagent.toolbox().listed()
    for name, signature, says in listed:
        write(one_line(f"{name}{signature}"))
        for line in clean(says).splitlines():
            write(f"  {line}")
    return 0


def _show(guarded_call: GuardAgentCall, as_json: bool) -> None:
    if as_json:
        from workbench.app.json_output.memory import GUARDED

        write_json(GUARDED.write(guarded_call))
        return
    guarded, decided = guarded_call.guarded, guarded_call.decided
    write(paint(f"{one_line(decided.run)} call {decided.index}", Tone.TITLE))
    write(f"demonstrations  {', '.join(map(one_line, guarded_call.demonstrations)) or 'none'}")
    for number, text in enumerate(guarded.plan, start=1):
        write(f"plan {number}  {one_line(text)}")
    for number, attempt in enumerate(guarded.attempts, start=1):
        write(f"code {number}" + ("" if len(guarded.attempts) == 1 else f" of {len(guarded.attempts)}"))
        for line in clean(attempt.code).splitlines():
            write(f"  {line}")
        if attempt.printed:
            write(f"  printed: {one_line(attempt.printed)}")
        if attempt.error:
            write(f"  failed: {one_line(attempt.error)}")
    details = f" ({', '.join(map(one_line, guarded.details))})" if guarded.details else ""
    reasons = f" ({one_line('; '.join(guarded.decision.reasons))})" if guarded.decision.reasons else ""
    write(f"GuardAgent  {guarded.decision.verdict.value}{details}{reasons}")
    rules = ", ".join(violation.rule for violation in decided.decision.violations)
    write(f"policy      {decided.decision.verdict.value}{f' ({rules})' if rules else ''}")
    if not guarded_call.agrees:
        write("They disagree: --case allow or --case deny keeps the call with the decision that is right.")

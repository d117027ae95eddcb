"""Commands about GuardAgent: on one recorded call, and its demonstrations."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import clean, counted, one_line
from workbench.cli.model_calls import tell_call
from workbench.cli.open_session import reading, writing
from workbench.cli.output import note, note_problems, paint, progress, tell, write, write_lines, write_result
from workbench.cli.parameters import AsJson, ReplayCalls, SessionPath, policy_text
from workbench.model import Verdict
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall
    from workbench.app.memory import MemoryChange
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
    count = differing = 0
    with writing(session, replay_calls=replay_calls) as bench:
        bench.authorship.watch(tell_call)
        terms = bench.policy.terms()
        logs = bench.runs.load(terms=terms)
        guarded_calls = bench.guardagent.guard_all(terms, logs, most, k=k, least_similar=least_similar)
        for guarded_call in guarded_calls:
            count, differing = count + 1, differing + (not guarded_call.agrees)
            if as_json:
                write_result(guarded_call)
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
        write_lines(f"  {line}" for line in clean(says).splitlines())
    return 0


def _show(guarded_call: GuardAgentCall, as_json: bool) -> None:
    if as_json:
        write_result(guarded_call)
        return
    guarded, decided = guarded_call.guarded, guarded_call.decided
    write(paint(f"{one_line(decided.run)} call {decided.index}", Tone.TITLE))
    write(f"demonstrations  {', '.join(map(one_line, guarded_call.demonstrations)) or 'none'}")
    for number, text in enumerate(guarded.plan, start=1):
        write(f"plan {number}  {one_line(text)}")
    for number, attempt in enumerate(guarded.attempts, start=1):
        write(f"code {number}" + ("" if len(guarded.attempts) == 1 else f" of {len(guarded.attempts)}"))
        write_lines(f"  {line}" for line in clean(attempt.code).splitlines())
        if attempt.printed:
            write(f"  printed: {one_line(attempt.printed)}")
        if attempt.error:
            write(f"  failed: {one_line(attempt.error)}")
    details = f" ({', '.join(map(one_line, guarded.details))})" if guarded.details else ""
    reasons = f" ({one_line('; '.join(guarded.decision.reasons))})" if guarded.decision.reasons else ""
    risk = f", risk {one_line(guarded.risk)}" if guarded.risk else ""
    write(f"GuardAgent  {guarded.decision.verdict.value}{risk}{details}{reasons}")
    rules = ", ".join(violation.rule for violation in decided.decision.violations)
    write(f"policy      {decided.decision.verdict.value}{f' ({rules})' if rules else ''}")
    if not guarded_call.agrees:
        write("They disagree: --case allow or --case deny keeps the call with the decision that is right.")


# --- memory: list and change GuardAgent's demonstrations, and show the effect of a change


memory = typer.Typer(
    help="Keep the demonstrations that GuardAgent is shown.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_MOST_SHOWN = 12

Id = Annotated[str, typer.Argument(metavar="ID", help="The demonstration's id.", show_default=False)]
Run = Annotated[str, typer.Argument(metavar="RUN", help="The id of a run in the logs.", show_default=False)]
CallNumber = Annotated[int, typer.Option("--call", metavar="N", min=0, help="The call of the run, from 0.")]
Most = Annotated[
    int | None,
    typer.Option("--k", min=1, help="How many demonstrations a call retrieves, else the session's k."),
]
Least = Annotated[
    bool, typer.Option("--least-similar", help="Rank the least similar first, as GuardAgent's ablation does.")
]


@memory.command("list")
def list_(session: SessionPath, as_json: AsJson = False) -> int:
    """List the demonstrations of a session."""
    with reading(session) as bench:
        demonstrations = bench.session.demonstrations
    if as_json:
        write_result(demonstrations)
        return 0
    for demonstration in demonstrations:
        write(one_line(f"{demonstration.id}{'' if demonstration.enabled else '  (disabled)'}"))
        write(f"  {one_line(demonstration.agent_input)[:100]}")
        write(f"  {one_line(demonstration.plan[3])[:100]}")
    if not demonstrations:
        write("The session has no demonstrations; 'workbench memory add' makes one of a recorded call.")
    return 0


@memory.command()
def rank(
    session: SessionPath,
    run: Run,
    call: CallNumber = 0,
    k: Most = None,
    least_similar: Least = False,
    as_json: AsJson = False,
) -> int:
    """Show the demonstrations that a recorded call retrieves, best first, with their distances."""
    with reading(session) as bench:
        retrieved_demonstrations = bench.memory.rank_recorded(
            _logs(bench), run, call, k, least_similar=least_similar
        )
    if as_json:
        write_result(retrieved_demonstrations)
        return 0
    for retrieved in retrieved_demonstrations:
        parts = f"{retrieved.input_distance} input, {retrieved.output_distance} output"
        apart = f"{retrieved.distance} edits apart ({parts})"
        write(one_line(f"{retrieved.rank}. {retrieved.demonstration.id}  {apart}"))
    if not retrieved_demonstrations:
        write("No demonstration is enabled.")
    return 0


@memory.command()
def add(session: SessionPath, run: Run, call: CallNumber = 0, as_json: AsJson = False) -> int:
    """Add a recorded call to the memory, as the policy decides it.

    Its plan and its guardrail code are made from the policy's rules; the code is run first, and
    kept only if it comes to the policy's decision.
    """
    with _changing(session) as (bench, logs):
        memory_change = bench.memory.add_from_call(bench.policy.terms(), logs, run, call)
    return _tell(memory_change, as_json)


@memory.command()
def edit(
    session: SessionPath,
    identity: Id,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="FILE", help="Take the text of this file instead of starting an editor."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Edit a demonstration in $VISUAL or $EDITOR, as TOML."""
    with _changing(session) as (bench, logs):
        bench.memory.demonstration(identity)
        text = policy_text(source)
        if text is None:
            from workbench.tui.external_editor import edit_outside

            text = edit_outside(bench.memory.text(identity), ".toml")
        memory_change = bench.memory.put_text(identity, text, logs)
    return _tell(memory_change, as_json)


@memory.command()
def enable(session: SessionPath, identity: Id, as_json: AsJson = False) -> int:
    """Let a demonstration be retrieved."""
    with _changing(session) as (bench, logs):
        memory_change = bench.memory.enable(identity, True, logs)
    return _tell(memory_change, as_json)


@memory.command()
def disable(session: SessionPath, identity: Id, as_json: AsJson = False) -> int:
    """Keep a demonstration, but let no call retrieve it."""
    with _changing(session) as (bench, logs):
        memory_change = bench.memory.enable(identity, False, logs)
    return _tell(memory_change, as_json)


@memory.command()
def delete(session: SessionPath, identity: Id, as_json: AsJson = False) -> int:
    """Delete a demonstration; 'workbench undo' brings it back."""
    with _changing(session) as (bench, logs):
        memory_change = bench.memory.remove(identity, logs)
    return _tell(memory_change, as_json)


@memory.command("import")
def import_(
    session: SessionPath,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Demonstrations, one JSON object a line.")],
    as_json: AsJson = False,
) -> int:
    """Add the demonstrations of a file; those with a known id take its place."""
    text = policy_text(file) or ""
    with _changing(session) as (bench, logs):
        memory_change = bench.memory.import_text(text, logs)
    return _tell(memory_change, as_json)


@memory.command()
def export(
    session: SessionPath,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Only these.")] = None,
) -> int:
    """Write demonstrations to standard output, one JSON object a line."""
    with reading(session) as bench:
        text = bench.memory.export(ids or ())
    write_lines(text.splitlines())
    return 0


@memory.command()
def effect(
    session: SessionPath,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="ID", help="If this demonstration were not there; may be repeated."
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--with", metavar="FILE", help="If the demonstrations of this file were added."),
    ] = None,
    k: Most = None,
    as_json: AsJson = False,
) -> int:
    """Show which recorded calls would retrieve differently, and be decided otherwise, after an edit."""
    from workbench.model import WorkbenchError

    if not without and source is None:
        raise WorkbenchError("Say what to change: --without ID, --with FILE, or both.")
    with reading(session) as bench:
        added = policy_text(source) or ""
        memory_change = bench.memory.effect_of(_logs(bench), without=without or (), added=added, k=k)
    tell(memory_change, _changed_lines(memory_change), as_json=as_json)
    return 0


# --- shared by the commands --------------------------------------------------------


@contextlib.contextmanager
def _changing(session: Path) -> Generator[tuple[Workbench, Logs]]:
    with writing(session) as bench:
        yield bench, _logs(bench)


def _logs(bench: Workbench) -> Logs:
    progress("Reading the logs")
    logs = bench.runs.load()
    note_problems(logs.problems)
    return logs


def _tell(change: MemoryChange, as_json: bool) -> int:
    tell(change, (one_line(f"{change.label}."), *_changed_lines(change)), as_json=as_json)
    return 0


def _changed_lines(change: MemoryChange) -> Iterator[str]:
    """Lines on the calls that retrieve differently and are decided otherwise, the first of each."""
    from workbench.clean_text import counted

    changes = change.changes
    verb = "retrieves" if len(changes) == 1 else "retrieve"
    yield (
        f"{counted(len(changes), 'call')} {verb} differently."
        if changes
        else "No call retrieves differently."
    )
    for retrieval in changes[:_MOST_SHOWN]:
        before, after = (", ".join(ids) or "nothing" for ids in (retrieval.before, retrieval.after))
        yield one_line(f"{retrieval.run} call {retrieval.index}: {before} -> {after}")
    if len(changes) > _MOST_SHOWN:
        yield f"And {len(changes) - _MOST_SHOWN} more; --json lists all."
    turned, size = change.turned, change.prompt
    as_before = "The policy decides every call as before."
    yield f"{counted(len(turned), 'call')} decided otherwise." if turned else as_before
    for turn in turned[:_MOST_SHOWN]:
        yield one_line(f"{turn.run} call {turn.index}: {turn.before.value} -> {turn.after.value}")
    if len(turned) > _MOST_SHOWN:
        yield f"And {len(turned) - _MOST_SHOWN} more; --json lists all."
    if size.before != size.after:
        tokens = f"about {size.tokens_before} -> {size.tokens_after} tokens"
        yield f"Demonstrations in GuardAgent's prompts for a call: {tokens}."

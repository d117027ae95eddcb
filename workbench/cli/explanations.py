"""Commands about single decisions and their causes: explain, denials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.app.value_texts import OWN_NAMES, ArgumentWords, argument_words, few_of
from workbench.clean_text import counted, in_a_row, one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import (
    note,
    note_problems,
    paint,
    progress,
    tell,
    write,
    write_lines,
    write_result,
)
from workbench.cli.parameters import AsJson, LogFiles, OtherPolicy, SessionPath, terms_of
from workbench.cli.report_text import VERDICT_TONE
from workbench.model import Judgement, WorkbenchError
from workbench.tones import Tone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.app.grants import ListedGrant
    from workbench.app.judging import DenialGroup
    from workbench.app.policy import PolicyTerms
    from workbench.app.results import Logs
    from workbench.app.runs import CallExplanation, FactAtCall, Origin
    from workbench.app.workbench import Workbench
    from workbench.model import CallDecision, PathRule


RunName = Annotated[str, typer.Argument(metavar="[RUN]", help="The id of a run in the logs.")]
CallNumber = Annotated[
    int | None,
    typer.Option(
        "--call",
        metavar="N",
        help="Explain this call of the run, from 0; without it, every one that is not allowed.",
    ),
]
TriedLine = Annotated[
    str,
    typer.Option(
        "--try",
        metavar="LINE",
        help="Explain this call instead: alone, at the end of RUN, or in the place of --call.",
    ),
]


def explain(
    session: SessionPath,
    run: RunName = "",
    call: CallNumber = None,
    tried: TriedLine = "",
    log: LogFiles = None,
    policy: OtherPolicy = None,
    as_json: AsJson = False,
) -> int:
    """Explain the decision on a recorded or a tried call.

    Shows which rules fired on which values, and the characters of the log that these came from; the
    smallest change that would turn the decision, where the agent could make it first; and the nearest
    recorded call with the other decision. With --json one object a call, one a line.
    The line of --try is written as those of replay --try.
    """
    with reading(session) as bench:
        terms = terms_of(bench, policy)
        progress("Reading the logs")
        logs = bench.runs.load(log, terms=terms)
        progress("Explaining")
        if tried:
            call_explanations = _of_line(bench, terms, logs, run, call, tried)
        elif run:
            call_explanations = bench.runs.explain(terms, logs, run, call)
        else:
            raise WorkbenchError("Name a run of the logs, or give a call with --try.")
        ran_by_grant = any(explained.call.granted for explained in call_explanations)
        given = {one.grant.id: one for one in bench.grants.listed()} if ran_by_grant else {}
        doubts = bench.grants.doubts(logs)
        aloud = bench.sentences.of_rules(terms.file.text)
        words = bench.sentences.words(terms)
    for place, call_explanation in enumerate(call_explanations):
        if as_json:
            write_result(call_explanation, terms.file.words)
            continue
        if place:
            write()
        write_lines(explanation_lines(call_explanation, aloud, words))
        write_lines(_granted_lines(call_explanation.call.granted, given))
        if why := doubts.get((call_explanation.call.run, call_explanation.call.index)):
            write(f"  {paint(f'As {why}, this call did not run by it', Tone.BAD)}.")
    note_problems(logs.problems)
    return 0


def _of_line(
    bench: Workbench, terms: PolicyTerms, logs: Logs, run: str, index: int | None, text: str
) -> tuple[CallExplanation, ...]:
    """Explain a call that is written in a line, alone or in a run."""
    from workbench.app.tried_calls import placed

    places = [at for at, one in enumerate(logs.calls) if one.run == run]
    if (run and not places) or (index is not None and not 0 <= index <= len(places)):
        raise WorkbenchError(f"The logs have no run {run} with a call {index or 0}.")
    count = index if index is not None else len(places)
    at = places[min(count, len(places) - 1)] if places else None
    decider = bench.line_decider(terms, logs, placed(logs, at, count))
    tried = decider.decide(text)
    if len(tried) != 1 or tried[0].problem:
        raise WorkbenchError(tried[0].problem if tried else "There is no call in the line.")
    return (decider.explain(tried[0]),)


def _granted_lines(ids: Sequence[str], given: Mapping[str, ListedGrant]) -> Iterator[str]:
    """The grants by which a call ran, each with what it opens, and by whom and why."""
    for name in ids:
        listed = given.get(name)
        yield f"Grant {one_line(name)} {paint('let it run', Tone.GOOD)}"
        if listed is None:
            yield "  grants.toml does not have it."
            continue
        yield f"  {one_line(listed.sentence)}"
        yield f"  It overrides {', '.join(map(one_line, listed.grant.overrides))}."
        why = f"{one_line(listed.grant.by)}: {one_line(listed.grant.reason)}"
        yield f"  By {why}. {one_line(listed.state).capitalize()}."


def denials(
    session: SessionPath,
    log: LogFiles = None,
    policy: OtherPolicy = None,
    judge: Annotated[
        tuple[str, Judgement] | None,
        typer.Option(
            "--judge",
            metavar="KEY right|false-alarm",
            help="Judge a whole group: its arguments become cases with the decision that is right.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Group the calls that are not allowed by their cause.

    A group can be judged as a whole; the judgement is stored as cases of the session.
    """
    with reading(session) if judge is None else writing(session) as bench:
        terms = terms_of(bench, policy)
        progress("Reading the logs")
        logs = bench.runs.load(log, terms=terms)
        if judge is not None:
            return _judged(bench, terms, logs, *judge, as_json=as_json)
        decided = bench.runs.decide(terms, logs)
        groups = bench.judging.denials(terms, decided)
        words = bench.sentences.words(terms)
    if as_json:
        from workbench.app.judging import DeniedCalls

        for group in groups:
            calls = tuple(decided[place] for place in group.calls)
            write_result(DeniedCalls(group, calls), terms.file.words)
    else:
        write_lines(_denial_lines(groups, decided, words))
    note_problems(logs.problems)
    return 0


def _judged(
    bench: Workbench, terms: PolicyTerms, logs: Logs, key: str, judgement: Judgement, *, as_json: bool
) -> int:
    """Judge one group and write the result; 1 if another case says otherwise."""
    from workbench.app.judging import Judged
    from workbench.clean_text import counted

    group = bench.judging.denial_named(terms, logs, key)
    judged = bench.judging.judge((group,), judgement)
    line = f"{group.key} is judged {judgement.value}: {counted(len(judged.cases), 'case')} stored."
    tell(Judged(group.key, judgement, judged), [line], as_json=as_json)
    for case_id in judged.contradicted:
        note(f"The case {case_id} expects another decision on the same arguments; change or remove it.")
    return 1 if judged.contradicted else 0


# --- the text about one decision: rules, values with their places, the change that would turn it


def _denial_lines(
    groups: Sequence[DenialGroup], decided: Sequence[CallDecision], words: ArgumentWords
) -> Iterator[str]:
    """Lines on the calls that are not allowed, by cause, with the first call of each cause."""
    for group in groups:
        first = decided[group.calls[0]]
        size = f"{counted(len(group.calls), 'call')} in {counted(len(group.runs), 'run')}"
        yield f"{paint(group.key, Tone.TITLE)}  {size}, first {one_line(first.run)} call {first.index}"
        yield f"  {group.said(words)}"
    if not groups:
        yield f"None of {counted(len(decided), 'call')} is denied."


def explanation_lines(
    call_explanation: CallExplanation,
    aloud: Mapping[str, str] | None = None,
    words: ArgumentWords = OWN_NAMES,
) -> Iterator[str]:
    """The explanation of one call as plain lines; ``aloud`` are the rules as sentences, by their names.

    ``words`` are those for the arguments of the policy; what a log says keeps its own.
    """
    call, decision = call_explanation.call, call_explanation.decision
    verdict = paint(decision.verdict, VERDICT_TONE[decision.verdict])
    title = paint(f"{one_line(call.run)}  call {call.index}", Tone.TITLE)
    yield f"{title}  {one_line(call.tool or 'unknown tool')}  {verdict}"
    if call_explanation.place:
        yield f"  {one_line(call_explanation.place)}"
    yield f"  {one_line(call_explanation.reason)}"
    yield from _argument_lines(call_explanation, words)
    if idle := call_explanation.idle:
        yield f"  No part is played by {words.told(few_of(idle))}."
    if ignored_names := [
        origin.name
        for origin in call_explanation.origins
        if origin.name not in call_explanation.parameter_names
    ]:
        yield f"  The policy does not take {few_of(ignored_names)}."
    yield from _fact_lines(call_explanation.facts, words)
    yield from _part_lines(call_explanation)
    yield from _path_lines(call_explanation, aloud or {})
    if call_explanation.nearest_permits:
        is_turned = call_explanation.turning.counterfactual is not None
        yield f"Rules that would permit it {'after the smallest change' if is_turned else 'if they fired'}"
        yield from (
            f"  {violation.rule}: {one_line(violation.message)}"
            + (f" It lacks {few_of(list(map(one_line, violation.items)))}." if violation.items else "")
            for violation in call_explanation.nearest_permits
        )
    yield from _turning_lines(call_explanation, words)
    if call_explanation.nearest is not None:
        near = call_explanation.nearest
        verdict_of = near.decided.decision.verdict
        yield f"Nearest call of the logs with {verdict_of}"
        yield f"  {one_line(near.decided.run)}  call {near.decided.index}"
        yield from (f"    {words.told(one_line(change.text))}" for change in near.changes)
    yield "For the agent"
    yield f"  {one_line(call_explanation.message)}"


def _argument_lines(call_explanation: CallExplanation, words: ArgumentWords) -> Iterator[str]:
    """Lines on the arguments that the decision depends on, each with the characters that it came from."""
    yield "Values that the policy reads" if words else "Arguments"
    blamed = frozenset(item for violation in call_explanation.decision.violations for item in violation.items)
    for origin in call_explanation.origins:
        if not call_explanation.plays(origin.name):
            continue
        is_known = origin.state == "known"
        fields = (
            list(argument_words({origin.name: call_explanation.decisive_arguments.get(origin.name)}))
            if is_known
            else []
        )
        value = "known" if is_known else one_line(origin.text)
        value = value if origin.missing is None else paint(words.told(value), Tone.WARN)
        # How an expression of the policy is read, its words say.
        method = "" if words or not origin.method else f"{origin.method}; "
        sure = f"confidence {origin.confidence:.2f}; " if origin.confidence < 1 else ""
        method = f" ({method}{sure}{origin.reach.changed})" if origin.method else ""
        yield f"  {words.of(origin.name)}{':' if is_known else ' ='} {value}{method}"
        if is_known:
            yield from _field_lines(origin, fields, words)
            continue
        named = [item for item in origin.items if item.startswith(f"{origin.name}[")]
        items = [*sorted(blamed & origin.items.keys()), *named]
        yield from (
            f"    {words.told(one_line(item))}: {one_line(quote.place)}"
            for item in items
            for quote in origin.items[item]
        )
        if len(items) == len(named):
            yield from (f"    {one_line(quote.place)}" for quote in origin.quotes)


def _fact_lines(facts: Sequence[FactAtCall], words: ArgumentWords) -> Iterator[str]:
    """Lines on the facts that rules about the call read, with the characters that they came from."""
    if facts:
        yield "Facts"
    for fact in facts:
        origin = fact.origin
        value = (
            origin.text
            if origin.missing is None
            else paint(f"not determined: {words.told(origin.missing)}", Tone.WARN)
        )
        yield f"  {one_line(fact.noun or fact.name)} ({fact.name}) = {one_line(value)}"
        if fact.remedy:
            yield f"    {words.told(one_line(fact.remedy))}"
        yield from (f"    {one_line(quote.place)}" for quote in origin.quotes)
        if fact.calls:
            yield f"    of the run: {', '.join(fact.calls)}"


def _part_lines(call_explanation: CallExplanation) -> Iterator[str]:
    """Lines on the typed parts of the call, as a policy may read them; one for each reason that some lack."""
    if call_explanation.parts:
        yield "Typed parts"
    lacking: dict[str, list[str]] = {}
    for part in call_explanation.parts:
        if part.missing is None:
            yield f"  {part.name}: {one_line(part.value)}"
        else:
            own_name = f"{' of '.join(reversed(part.name.split('.')))} of the call: "
            lacking.setdefault(part.missing.removeprefix(own_name), []).append(part.name)
    for why, names in lacking.items():
        yield f"  {', '.join(names)}: {paint(f'not determined: {one_line(why)}', Tone.WARN)}"


def _field_lines(origin: Origin, fields: Sequence[tuple[str, str]], words: ArgumentWords) -> Iterator[str]:
    """Lines on each field of a record that the policy reads, with the characters that it came from."""
    for name, value in fields:
        places = ", ".join(quote.place for quote in origin.items.get(name, ()))
        yield f"    {words.told(name)} = {one_line(value)}"
        if places:
            yield f"      {one_line(places)}"


def _path_lines(call_explanation: CallExplanation, aloud: Mapping[str, str]) -> Iterator[str]:
    """Lines on the rules that fired, with their conditions; if none fired, on all rules of the tool."""
    fired = [rule for rule in call_explanation.path if rule.fired]
    others = (
        [] if fired else [rule for rule in call_explanation.path if _is_of_others(call_explanation, rule)]
    )
    for rule in fired or [rule for rule in call_explanation.path if rule not in others]:
        tone = Tone.GOOD if rule.rule.startswith("permit_") else Tone.BAD
        because = f" because of {one_line(in_a_row(rule.elements))}" if rule.elements else ""
        yield f"Rule {rule.rule} {paint('fired', tone) if rule.fired else 'did not fire'}{because}"
        if sentence := aloud.get(rule.rule):
            yield f"  {one_line(sentence)}"
        yield from (f"  {'yes' if truth else 'no '}  {one_line(text)}" for text, truth in rule.conditions)
    if others:
        yield f"{counted(len(others), 'rule')} of other tools"
    quiet = [rule.rule for rule in call_explanation.path if not rule.fired]
    if fired and quiet:
        yield f"Not fired: {', '.join(quiet)}"


def _is_of_others(call_explanation: CallExplanation, rule: PathRule) -> bool:
    return rule.rule in call_explanation.of_other_tools


def _turning_lines(call_explanation: CallExplanation, words: ArgumentWords) -> Iterator[str]:
    turning = call_explanation.turning
    if turning.counterfactual is None:
        if turning.impossible:
            yield "No other values of this call would be decided otherwise, whoever gave them (proved)."
        else:
            yield "No smaller change was found that would be decided otherwise."
        return
    yield f"Smallest change to {turning.counterfactual.verdict}"
    for text, who in turning.counterfactual.texts:
        yield f"  {words.told(one_line(text))}  ({who})"
    if not turning.counterfactual.fewest:
        yield "  Whether fewer changes would do is not known."

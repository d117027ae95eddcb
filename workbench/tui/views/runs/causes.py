"""Causes of denials as a tree: rules, then the values on which they fired, with counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.app.value_texts import ArgumentWords, undetermined_words
from workbench.clean_text import in_a_row, one_line
from workbench.model import TOOL_ARGUMENT, CallDecision, Judgement, Verdict
from workbench.tones import Tone
from workbench.tui.text_runs import TextRun, accent, good, muted, strong, warn
from workbench.tui.verdict_signs import VERDICT_TONE, VERDICT_WORD
from workbench.tui.widgets.lines import BLANK, MOST_WORDS, Row, heading, paragraph, plural

if TYPE_CHECKING:
    from workbench.app.judging import Cause, DenialGroup
    from workbench.app.runs import Regime, StrategyComparison

ALL = "all"
STRATEGIES = "strategies"
FILES = "files"
DISAGREES = "disagrees"
"""The calls that GuardAgent and the policy decide differently."""
COUNT = 6
NO_BREAK = "\N{NO-BREAK SPACE}"
JUDGED = {Judgement.RIGHT: good(" ✓ right"), Judgement.FALSE_ALARM: warn(" ✗ false alarm")}


def cause_rows(
    state: SessionState, groups: Sequence[DenialGroup] | None, folded: Collection[str], disagreeing: int
) -> Iterator[Row]:
    """All calls, the logs, the strategies; then each rule with its causes, the most frequent first.

    ``disagreeing`` is the number of calls that GuardAgent decides differently.
    """
    yield from verdict_rows(state)
    if disagreeing:
        count = _count(disagreeing, Tone.WARN)
        yield paragraph(count, "GuardAgent disagrees", key=DISAGREES, hang=COUNT)
    yield from _further(state)
    if groups is None and state.decisions:
        yield paragraph(muted("Finding the causes."))
    for rules, inside in by_rules(groups or ()).items():
        yield BLANK
        yield from _rule(state, rules, inside, folded)


def verdict_rows(state: SessionState) -> Iterator[Row]:
    """All calls, and those of each decision."""
    yield paragraph(_count(len(state.decisions), Tone.PLAIN), strong("all calls"), key=ALL)
    for verdict in Verdict:
        if count := state.counts[verdict]:
            words = _count(count, VERDICT_TONE[verdict]), VERDICT_WORD[verdict]
            yield paragraph(*words, key=f"verdict:{verdict}")


def by_rules(groups: Sequence[DenialGroup]) -> dict[tuple[str, ...], list[DenialGroup]]:
    """The causes by the rules that fired, the rules with the most calls first."""
    groups_by_rules: dict[tuple[str, ...], list[DenialGroup]] = {}
    for group in groups:
        groups_by_rules.setdefault(tuple(group.cause.rules), []).append(group)
    return dict(sorted(groups_by_rules.items(), key=lambda pair: -sum(len(group.calls) for group in pair[1])))


def groups_at(key: str, groups: Sequence[DenialGroup]) -> list[DenialGroup]:
    """The causes of a row of the tree."""
    kind, _, name = key.partition(":")
    return [
        group
        for group in groups
        if (kind == "cause" and group.key == name)
        or (kind == "rules" and ",".join(group.cause.rules) == name)
        or (kind == "verdict" and group.cause.verdict == name)
    ]


def _count(count: int, tone: Tone) -> TextRun:
    return TextRun(f"{count:,} ".rjust(COUNT), tone)


def _rule(
    state: SessionState, rules: Sequence[str], inside: Sequence[DenialGroup], folded: Collection[str]
) -> Iterator[Row]:
    """A rule above its causes; a folded rule has the number of its causes."""
    count, key = sum(len(group.calls) for group in inside), f"rules:{','.join(rules)}"
    folds = f"  {plural(len(inside), 'cause').replace(' ', NO_BREAK)}" if key in folded else ""
    head = _count(count, VERDICT_TONE[inside[0].cause.verdict]), strong(_title(state, rules, inside[0]))
    yield paragraph(*head, muted(folds), key=key, hang=COUNT)
    values = {group.key: _where(group, state.words) for group in inside}
    for group in inside if key not in folded else ():
        if len(inside) > 1 or _says_more(group.cause) or group.key in state.judged:
            yield _group(state, group, _words(group, inside, values))


def _says_more(cause: Cause) -> bool:
    """Whether a cause that is the only one of its rule says more than the rule: its tool is none."""
    return bool(cause.items or cause.reasons) or any(name != TOOL_ARGUMENT for name, _ in cause.where)


def _title(state: SessionState, rules: Sequence[str], group: DenialGroup) -> str:
    """The sentences of rules with their requirements; where no rule permits a call, its decision says so."""
    if not rules:
        return "cannot be evaluated"
    rule_by_name = {} if state.terms is None else {rule.name: rule for rule in state.terms.rules}
    named = [name for rule in rules if rule in rule_by_name for name in rule_by_name[rule].requirements]
    said = {one.rule: one.message for one in state.decisions[group.calls[0]].decision.violations}
    said |= {name: rule.message for name, rule in rule_by_name.items()}
    messages = [said.get(rule, rule) for rule in rules]
    return one_line(f"{', '.join(dict.fromkeys(named))} {in_a_row(dict.fromkeys(messages))}".strip())


def _words(group: DenialGroup, inside: Sequence[DenialGroup], values: Mapping[str, Sequence[str]]) -> str:
    """The values of a cause; if other causes of the rule have the same, also the conditions only it meets."""
    where = values[group.key]
    alike = [one.cause for one in inside if one is not group and values[one.key] == where]
    shared = {condition for cause in alike for condition in cause.conditions}
    own_conditions = [text for text, true in group.cause.conditions if true and (text, true) not in shared]
    return one_line(in_a_row((*where, *(own_conditions if alike else ())))) or "always"


def _where(group: DenialGroup, words: ArgumentWords) -> list[str]:
    """The values on which the rules of a cause fired, or the reasons why the calls could not be decided."""
    cause = group.cause
    items = [", ".join(cause.items)] if cause.items else []
    reasons = map(words.told, undetermined_words(cause.reasons, words.noun))
    where = zip(cause.where, group.where(words), strict=True)
    said = [(name, one_line(text, MOST_WORDS)) for (name, _), text in where]
    own = [text for name, text in said if name != TOOL_ARGUMENT]
    return [*(own or [text for _, text in said]), *items, *reasons]


def _group(state: SessionState, group: DenialGroup, words: str) -> Row:
    """A cause under its rule: the number of its calls, its words, and its judgement."""
    judgement = state.judged.get(group.key)
    head = _count(len(group.calls), VERDICT_TONE[group.cause.verdict])
    judged = "" if judgement is None else JUDGED[judgement]
    return paragraph(head, state.words.told(words), judged, key=f"cause:{group.key}", hang=COUNT)


def _further(state: SessionState) -> Iterator[Row]:
    """Rows of the logs, the records that were not understood, and the strategies."""
    if state.logs is None:
        return
    indent = " " * COUNT
    files, runs = len({run.path for run in state.logs.runs}), len(state.logs.runs)
    read = muted(f"{plural(files, 'file')}, {plural(runs, 'run')}")
    yield paragraph(f"{indent}logs ", read, key=FILES, hang=COUNT)
    if problems := sum(problem.count for problem in state.logs.problems):
        lost = warn(f"{indent}{plural(problems, 'record')} not understood")
        yield paragraph(lost, key=FILES, hang=COUNT)
    if state.decisions:
        yield paragraph(f"{indent}strategies", key=STRATEGIES)


MEANING = (
    ("stopped", "denied by the policy and refused"),
    ("lost", "allowed by the policy, yet refused because of a denial before it"),
    ("passed", "denied by the policy, yet carried out"),
    ("unknown", "carried out in the log after a refusal: no replay knows whether the agent would come to it"),
)
MOST_RUNS = 200


def strategy_rows(decisions: Sequence[CallDecision], comparison: StrategyComparison) -> Iterator[Row]:
    """The strategies with their sums, those with equal outcomes together; then the runs that differ."""
    strategies = [way for way in comparison.outcomes if comparison.short(way)]
    for ways in comparison.alike(strategies):
        yield from _sums(comparison, ways)
    yield from (BLANK, paragraph(muted("Controls, which look at no call:")))
    for ways in comparison.alike([way for way in comparison.outcomes if way not in strategies]):
        yield from _sums(comparison, ways)
    yield from (BLANK, *_differing(decisions, comparison, strategies), BLANK)
    for word, meaning in MEANING:
        yield paragraph(strong(f"{word} "), muted(meaning), hang=2)


def _name(comparison: StrategyComparison, way: Regime) -> str:
    """The name of a strategy, with its letters from the papers."""
    short = comparison.short(way)
    return f"{way.value.replace('-', ' ')}{f' ({short})' if short else ''}"


def _sums(comparison: StrategyComparison, ways: Sequence[Regime]) -> Iterator[Row]:
    tally = comparison.tally(ways[0])
    yield paragraph(strong(", ".join(_name(comparison, way) for way in ways)), hang=2)
    counts = (
        ("stopped", tally.stopped, Tone.GOOD),
        ("lost", tally.lost, Tone.WARN),
        ("passed", tally.let_through, Tone.BAD),
    )
    numbers = (TextRun(f"{name} {count:,}  ", tone if count else Tone.MUTED) for name, count, tone in counts)
    of = muted(f"unknown {tally.unknown:,}  in {tally.touched:,} of {plural(tally.runs, 'run')}")
    yield paragraph(*numbers, of, indent=2, hang=2)


def _differing(
    decisions: Sequence[CallDecision], comparison: StrategyComparison, strategies: Sequence[Regime]
) -> Iterator[Row]:
    """The runs in which the strategies do not all have the same outcome, each with the outcomes."""
    begins: dict[str, int] = {}
    for position, decided in enumerate(decisions):
        begins.setdefault(decided.run, position)
    runs = comparison.differing(strategies)
    if not runs:
        yield paragraph(muted("They do the same in every run: no run has a call after a denial."))
        return
    yield heading(f"Runs in which they differ  {len(runs):,} of {len(comparison.outcomes[strategies[0]]):,}")
    for by_outcome in runs[:MOST_RUNS]:
        first = next(iter(by_outcome))
        key = f"call:{begins[first.run]}" if first.run in begins else ""
        name = accent(one_line(first.run))
        yield paragraph(name, muted(f"  {plural(first.calls, 'call')}"), key=key)
        for outcome, ways in by_outcome.items():
            names = ", ".join(map(comparison.short, ways))
            words = f"stopped {_calls(outcome.stopped)}" if outcome.stopped else "stopped none"
            words += f", lost {_calls(outcome.lost)}" if outcome.lost else ""
            yield paragraph(f"{names}  ", muted(words), indent=2, hang=2)
    if len(runs) > MOST_RUNS:
        yield paragraph(muted(f"and {len(runs) - MOST_RUNS:,} more"))


def _calls(indices: Sequence[int]) -> str:
    call_numbers = ", ".join(map(str, indices[:6]))
    return f"{len(indices)} (call {call_numbers}{', …' if len(indices) > 6 else ''})"

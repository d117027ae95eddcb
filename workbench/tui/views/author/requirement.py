"""A requirement with everything about it: sentence, question, rule, cases, counterexample, proof.

The difference between two versions of a rule, in as few words as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from workbench.app.clause_findings import NO_CLAUSE
from workbench.app.requested_sentence import RequestedSentence, SentenceState, is_made_up
from workbench.app.results import RuleChange, TurnedCalls
from workbench.app.session_state import ClauseState, RequirementState, Rule, SessionState
from workbench.clean_text import code_line, counted, one_line
from workbench.model import Case, Problem, ProofStatus, Question
from workbench.tones import Tone
from workbench.tui.code_rows import code_rows
from workbench.tui.numbered_options import PICK, Picks
from workbench.tui.text_runs import Line, TextRun, line, muted
from workbench.tui.value_text import BLANK, argument_rows, paragraph, realised_rows
from workbench.tui.verdict_signs import clause_sign, clause_words, verdict_run
from workbench.tui.widgets.lines import Row

MOST_CASES = 6
MOST_ASSUMED = 4
MOST_RULES = 3
SENTENCE = "sentence"
CASES = "cases:"
"""The key of the heading of the cases."""


def requirement_rows(
    state: SessionState,
    row: RequirementState,
    question_part: Sequence[Row],
    width: int,
    *,
    whole: bool,
    code: bool = True,
    sentence: bool = True,
    aloud: Mapping[str, str] | None = None,
) -> Sequence[Row]:
    """Everything about a requirement in a width; ``whole`` shows all cases, ``code`` its rules.

    ``question_part`` has the rows of the question about it. Without ``sentence`` neither the sentence nor the
    problems of the whole policy are shown. ``aloud`` has the rules as sentences, by their names.
    """
    rows: list[Row] = []
    if sentence:
        rows += [part for problem in state.problems for part in problem_rows(problem, width)]
        rows += sentence_rows(state, row, width)
        rows += said_rows(state.requested_of(row.requirement.id), width)
    rows += question_part
    for rule in row.rules if code else ():
        rows += [BLANK, *rule_code_rows(state, rule, width)]
        rows += aloud_rows((aloud or {}).get(rule.name, ""), width, f"rule:{rule.name}")
    if code and state.terms is None:
        rows += [BLANK, *paragraph(muted("Its rule is not known until the policy is mended."), width)]
    elif not row.rules and not row.clauses and (state.requested or accepted_without_clause(state, row)):
        pass  # what the sentence is read as, or the answer beside it, says all of it
    elif code and not row.rules and not row.clauses:
        by_hand = TextRun(_BY_HAND, Tone.WARN)
        rows += [BLANK, *paragraph(by_hand if row.requirement.quote.strip() else _BY_DEFAULT, width)]
    elif code and not row.rules:
        rows += [BLANK, *paragraph(muted("No rule of its own; see its clauses."), width)]
    if row.cases or row.rules or row.clauses:
        rows += [BLANK, *_cases(state, row, width, whole=whole)]
    rows += list(_clauses(state, row, width))
    return rows


def said_rows(requested: RequestedSentence | None, width: int) -> list[Row]:
    """What a sentence of a policy of calls is read as: its state, and the sentences beside it."""
    if requested is None:
        return []
    under = line(muted("below " + " › ".join(f"“{one_line(part)}”" for part in requested.under[-2:])))
    above = paragraph(under, width, "said:") if requested.under else []
    return [*above, *_read_as_rows(requested, width)]


def _read_as_rows(requested: RequestedSentence, width: int) -> list[Row]:
    from workbench.language.language import lines_of

    if requested.state is SentenceState.OPEN:
        exact = (
            "It is in the language: Enter keeps it as it stands."
            if requested.exact
            else ("Open. Enter says in the language what it means, or why it states no rule.")
        )
        return [BLANK, *paragraph(TextRun(exact, Tone.WARN), width, "said:")]
    words = requested.state.value
    if requested.state is SentenceState.CONTEXT:
        return [
            BLANK,
            *paragraph(line(muted("states no rule: "), one_line(requested.reason)), width, "said:"),
        ]
    if requested.by_hand:
        words += f", {', '.join(requested.by_hand)}"
    rows = [BLANK, *paragraph(muted(words), width, "said:")]
    for text in requested.texts:
        for part in lines_of(text):
            rows += paragraph(TextRun(part), width, "said:", indent=1, hang=2)
    return rows


_BY_DEFAULT = muted("No sentence says it, and no rule: it is what allow decides where no rule fires.")


_BY_HAND = (
    "No rule and no clause names it yet. In policy.py (view Policy, e) write a rule whose docstring, or a "
    "clause whose comment, is an id such as “R1: ” and then this sentence."
)
"""Instructions to write the rule of a requirement that has none."""


def rule_code_rows(state: SessionState, rule: Rule, width: int) -> Sequence[Row]:
    """Rows of a rule as the file has it."""
    part = None if state.terms is None else state.terms.file.part(rule)
    if state.terms is None or part is None or not part.line:
        return ()
    return code_rows(state.terms.file.text, part.line, part.end_line, width, f"rule:{rule.name}")


def aloud_rows(sentence: str, width: int, key: str) -> list[Row]:
    """Rows of a rule as a sentence; none for an empty sentence."""
    if not sentence:
        return []
    return paragraph(line(muted("read aloud: "), one_line(sentence)), width, key, indent=2)


def problem_rows(problem: Problem, width: int) -> list[Row]:
    """Rows of a problem that keeps the policy from being in the dialect: line, message, remedy."""
    place = replace(problem, path="").place
    words = line(TextRun(f"✗ {place}{problem.message} ", Tone.BAD), muted(problem.instead))
    return paragraph(words, width, f"problem:{problem.line}:{problem.column}", hang=2)


def sentence_line(row: RequirementState) -> Line:
    """The sentence of the request for a requirement, with its place."""
    requirement = row.requirement
    if not requirement.quote.strip():  # a requirement that no sentence of the request states
        return line(muted(f"{requirement.id}: "), one_line(requirement.text))
    label = "" if is_made_up(requirement.id) else f"{requirement.id}, "
    place = muted(f"{label}line {requirement.span.line}: ")
    return line(place, TextRun(f"“{one_line(requirement.quote)}”", Tone.TITLE))


def sentence_rows(state: SessionState, row: RequirementState, width: int) -> list[Row]:
    """The sentence of the request, its understanding if that differs, and the assumptions about it."""
    requirement = row.requirement
    quote, text = one_line(requirement.quote), one_line(requirement.text)
    rows = paragraph(sentence_line(row), width, SENTENCE, hang=1)
    requested = state.requested_of(requirement.id)
    is_context = requested is not None and requested.state is SentenceState.CONTEXT
    about = [one for one in state.questions if requirement.id in one.requirements]
    asked = {one.id for one in about}
    repeated = {one.id for one in about if is_context and one.kind == NO_CLAUSE}  # as "states no rule"
    assumptions = [
        one
        for one in state.assumptions
        if one.question not in repeated and (one.question in asked or requirement.id in one.requirements)
    ]
    said = text.rstrip(".") in (
        quote.rstrip("."),
        *(one_line(one.statement).rstrip(".") for one in assumptions),
    )
    if quote and not said:
        rows += paragraph(line(muted("understood as: "), TextRun(text)), width, hang=1)
    for assumption in assumptions[:MOST_ASSUMED]:
        words = line(muted(f"assumed{assumption.by_default}: "), one_line(assumption.statement))
        rows += paragraph(words, width, f"assumed:{assumption.question}", hang=1)
    if (more := len(assumptions) - MOST_ASSUMED) > 0:
        rows += paragraph(muted(f"and {counted(more, 'more answer')}, under “answers assumed”"), width)
    return rows


def quoted(question: Question) -> Line:
    """The sentence that a question is about, with its place."""
    place = muted(f"line {question.span.line}: ")
    return line(place, TextRun(f"“{one_line(question.quote)}”", Tone.TITLE))


def accepted_without_clause(state: SessionState, row: RequirementState) -> bool:
    """Whether a requirement needs no clause by an answer."""
    asked = {
        question.id
        for question in state.questions
        if question.kind == NO_CLAUSE and row.requirement.id in question.requirements
    }
    return any(assumption.question in asked for assumption in state.assumptions)


def question_rows(
    question: Question,
    turned: Mapping[str, TurnedCalls],
    width: int,
    picks: Picks,
    answered: str = "",
) -> list[Row]:
    """Rows of a question: its text, the input on which the answers differ, the options and their effects.

    ``answered`` is the option that the person chose before.
    """
    rows = paragraph(line(TextRun("? ", Tone.WARN), TextRun(question.text, Tone.WARN)), width, hang=2)
    if question.shown and question.kind != "witness":  # whose words have the whole call
        rows += argument_rows(question.shown, width, indent=4)
    for key, option in zip(option_keys(question), question.options, strict=False):
        label = line(TextRun(one_line(option.label), Tone.TITLE))
        if option.value == answered:
            label = (*label, TextRun("  assumed at present", Tone.ACCENT))
        elif option.value == (question.default or "meant"):
            label = (*label, muted("  as the policy is"))
        rows += picks.rows(key, label, width)
        if option.effect:
            rows += paragraph(muted(one_line(option.effect)), width, PICK + key, indent=4)
        if (turned_calls := turned.get(option.value)) is not None and option.value != answered:
            for change in turned_calls.rules[:MOST_RULES]:
                rows += paragraph(_rule_change_line(change), width, PICK + key, indent=4, hang=2)
            if counts := turned_line(turned_calls):
                rows += paragraph(counts, width, PICK + key, indent=4)
    if question.free_text:
        rows += picks.rows(option_keys(question)[-1], "in a sentence of your own …", width)
    return rows


def option_keys(question: Question) -> list[str]:
    """The keys of the options of a question, in the order of their numbers."""
    answers = [f"answer:{question.id}:{number}" for number in range(len(question.options))]
    return [*answers, *([f"own:{question.id}"] if question.free_text else [])]


def turned_line(turned_calls: TurnedCalls) -> Line:
    """The number of logged calls that an answer turns, by their new verdict; empty if it turns none."""
    parts = (
        (turned_calls.allowed, "allow"),
        (turned_calls.asked, "ask"),
        (turned_calls.denied, "deny"),
        (turned_calls.undecidable, "cannot"),
    )
    counts = [f"{count:,} → {verdict}" for count, verdict in parts if count]
    return line(TextRun(f"turns {', '.join(counts)}", Tone.ACCENT)) if counts else ()


def _cases(state: SessionState, row: RequirementState, width: int, *, whole: bool) -> list[Row]:
    failed = {result.case for result in row.failed}
    ordered = sorted(row.cases, key=lambda case: case.id not in failed)
    shown_cases = ordered if whole else ordered[: max(MOST_CASES, len(failed))]
    follows = any(case.id in failed and case.origin == "generated" for case in row.cases)
    anew = muted("  of earlier rules? :cases makes them anew") if follows else ""
    rows = [Row(line(TextRun(f"Cases {len(row.cases)}", Tone.TITLE), anew), CASES)]
    for case in shown_cases:
        rows += paragraph(_case(state, case), width, f"case:{case.id}", indent=1, hang=9)
    if len(shown_cases) < len(ordered):
        rows.append(
            Row(line(muted(f"   and {len(ordered) - len(shown_cases)} more that pass")), "more:cases")
        )
    return rows


def _case(state: SessionState, case: Case) -> Line:
    result = state.results.get(case.id)
    sign = TextRun("· ", Tone.MUTED)
    if result is not None:
        wrong = Tone.WARN if result in state.waiting else Tone.BAD
        sign = TextRun("✓ ", Tone.GOOD) if result.passed else TextRun("✗ ", wrong)
    verdicts = line(verdict_run(case.expected))
    if result is not None and not result.passed and result.actual is not None:
        verdicts = line("should be ", *verdicts, ", is ", verdict_run(result.actual))
    return (sign, *verdicts, TextRun("  "), muted(one_line(case.reason)))


_BROKEN = (ProofStatus.REFUTED, ProofStatus.POSSIBLE)


def _clauses(state: SessionState, row: RequirementState, width: int) -> Iterator[Row]:
    if not row.clauses:
        return
    yield BLANK
    yield Row(line(TextRun("Contract", Tone.TITLE)))
    for clause in sorted(row.clauses, key=lambda one: one.status not in _BROKEN):
        yield from clause_rows(state, clause, width)


def clause_rows(state: SessionState, clause: ClauseState, width: int) -> Iterator[Row]:
    """Rows of a clause with its verdict, and of the input that breaks it."""
    key = f"clause:{clause.clause.id}"
    head = line(clause_sign(clause), f" {clause.name}  ", muted(clause_words(clause)))
    yield from paragraph(head, width, key, indent=1, hang=6)
    counterexample = clause.counterexample
    if counterexample is not None and clause.status in _BROKEN:
        yield from paragraph(TextRun(code_line(clause.source), Tone.CODE), width, key, indent=6)
        decided = (
            (TextRun("; the decision is "), verdict_run(counterexample.decision))
            if counterexample.decision is not None
            else ()
        )
        is_possible = clause.status is ProofStatus.POSSIBLE
        breaks = "this would break it, if a run gave it" if is_possible else "this breaks it"
        yield from paragraph(line(TextRun(breaks, clause_sign(clause).tone), *decided), width, key, indent=6)
        yield from argument_rows(state.words.shown(counterexample.shown), width, key, indent=8)
        yield from realised_rows(counterexample, width, key, indent=8)
        rules = ", ".join(state.deciding(clause) or ()) or "no rule"
        words = " · f makes it an exception" if counterexample.realised is not None else ""
        yield from paragraph(muted(f"decided by {rules}{words}"), width, key, indent=6)


_AROUND = 2
"""The number of words that are shown before and after different ones."""
_MOST_WORDS = 14


def _rule_change_line(change: RuleChange) -> Line:
    """A change of a rule as one line: old words, then new words; a new or removed rule by its name."""
    if not change.before:
        return line(TextRun("adds ", Tone.ACCENT), TextRun(change.name, Tone.CODE))
    if not change.after:
        return line(TextRun("takes away ", Tone.ACCENT), TextRun(change.name, Tone.CODE))
    before, after = differing_words(change.before, change.after)
    return line(
        muted("rule "),
        TextRun(before, Tone.BAD),
        muted(" → "),
        TextRun(after, Tone.GOOD),
    )


def differing_words(before: str, after: str) -> tuple[str, str]:
    """The words that differ between two texts, each with a few of the words around it."""
    old, new = one_line(before).split(), one_line(after).split()
    blocks = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    if not changed:
        return "", ""
    first, last = changed[0], changed[-1]
    return _cut(old, first[1], last[2]), _cut(new, first[3], last[4])


def _cut(words: list[str], start: int, end: int) -> str:
    first, last = max(start - _AROUND, 0), min(end + _AROUND, len(words))
    shown_words = words[first:last]
    if len(shown_words) > _MOST_WORDS:
        half = _MOST_WORDS // 2
        shown_words = [*shown_words[:half], "…", *shown_words[-half:]]
    return _untorn(" ".join(shown_words))


def _untorn(text: str) -> str:
    """A part of a condition without a joining word at its start and without unmatched brackets."""
    for joint in ("and ", "or "):
        text = text.removeprefix(joint)
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]
    while text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:]
    return text

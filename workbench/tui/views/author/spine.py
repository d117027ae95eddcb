"""The spine of the screen: the requirements, each with its sign, cases, clauses and denials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from workbench.app.as_proposed import is_unconfirmed
from workbench.app.owed import Owed, not_asked
from workbench.app.requested_sentence import RequestedSentence, SentenceState, is_made_up
from workbench.app.session_state import RequirementState, SessionState
from workbench.clean_text import one_line
from workbench.model import Assumption, ProofStatus, Question, Verdict
from workbench.tones import Tone
from workbench.tui.owed_rows import owed_rows
from workbench.tui.screen_places import Place, PlaceKind
from workbench.tui.text_runs import Line, TextRun, fit, line, muted, width_of, wrap
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.value_text import BLANK, paragraph, plural
from workbench.tui.verdict_signs import UNKNOWN_YET, clause_sign, theorem_sign, worst
from workbench.tui.views.author.requirement import aloud_rows, rule_code_rows
from workbench.tui.widgets.lines import Row

OWED = "owed"
CONTEXT = "context"
OTHERWISE = "otherwise"
READING = "Reading the request."
UNCLAIMED = "unclaimed"
RUNS = "runs"
ASSUMED = "assumed"
MOST_LINES = 2
"""The most lines of a sentence in the spine; the middle pane has the whole sentence."""
FIRST_WORDS = 3
"""The number of words that are kept of a beginning that sentences share."""
_INDENT = 5
LAST = 10**9
"""A place after every sentence of a request."""


def spine_rows(state: SessionState, width: int) -> Sequence[Row]:
    """Two or three lines for each requirement, then the other parts of the request and the policy."""
    if not state.understood:
        return paragraph(muted(READING), width)
    questions = unplaced(state)
    texts = {row.requirement.id: one_line(row.requirement.text) for row in state.rows}
    text_by_id = distinct_texts(
        texts | {question.id: one_line(question.quote or question.text) for question in questions}, width
    )
    placed = [
        (
            row.requirement.span.start,
            _requirement(
                row,
                text_by_id[row.requirement.id],
                state.verdicts,
                width,
                state.requested_of(row.requirement.id),
            ),
        )
        for row in _shown(state)
    ]
    placed += [
        (_start(question), _unread(question, text_by_id[question.id], width)) for question in questions
    ]
    rows = [row for _, part in sorted(placed, key=lambda item: item[0]) for row in part]
    if not rows:
        words = "No requirement yet. e writes the request."
        rows += [Row(part) for part in wrap(line(muted(words)), width)]
    if owed := owed_here(state):
        words = f"✗ {plural(len(owed), 'thing')} not in force"
        rows = [Row(line(TextRun(words, Tone.BAD)), OWED), *rows]
    return [*rows, *(Row(content, key) for key, content in _lists(state))]


def _lists(state: SessionState) -> Iterator[tuple[str, Line]]:
    """The keys and lines of the lists after the requirements, as far as there is something in them."""
    about_runs = _about_runs(state)
    for key, things, noun, words in (
        (CONTEXT, state.context, "sentence", "of context"),
        (ASSUMED, state.assumptions, "answer", "assumed"),
        (UNCLAIMED, state.unclaimed, "rule", "without a sentence"),
        (RUNS, about_runs, "sentence", "about runs"),
    ):
        if things:
            sign = _runs_sign(state) if things is about_runs else TextRun("")
            yield key, line(sign, muted(f"  {plural(len(things), noun)} {words}"))
    if state.terms is not None:
        default = "allow" if state.terms.file.default_allow else "deny"
        yield OTHERWISE, line(muted(f"  otherwise: {default}"))


def _shown(state: SessionState) -> Sequence[RequirementState]:
    """The requirements of the spine; a sentence that only heads others is none."""
    if not state.requested:
        return state.rows
    return [
        row
        for row in state.rows
        if not row.requirement.quote or state.requested_of(row.requirement.id) is not None
    ]


def spine_keys(state: SessionState) -> list[str]:
    """The keys of the spine, from its top to its end; none before the request is read."""
    if not state.understood:
        return []
    places = _places(state)
    return [
        *([OWED] if owed_here(state) else ()),
        *sorted(places, key=lambda key: places[key][0]),
        *(key for key, _ in _lists(state)),
    ]


def same_place(before: SessionState, key: str, after: SessionState) -> str:
    """The key of the sentence that a key of an earlier state named; empty if it named none.

    It is the sentence with the same words, else the sentence nearest to the old position.
    """
    old, new = _places(before), _places(after)
    if key not in old or not new:
        return ""
    start, quote = old[key]
    alike = next((name for name, place in new.items() if place[1] == quote), "")
    return alike or min(new, key=lambda name: abs(new[name][0] - start))


def owner_of(state: SessionState, place: Place) -> tuple[str, str]:
    """The key of a place in the middle pane, and the requirement or question that the place belongs to."""
    name = place.name
    for row in state.rows:
        match place.kind:
            case PlaceKind.REQUIREMENT if row.requirement.id == name:
                return "", name
            case PlaceKind.RULE if any(rule.name == name for rule in row.rules):
                return f"rule:{name}", row.requirement.id
            case PlaceKind.CLAUSE if any(clause.clause.id == name for clause in row.clauses):
                return f"clause:{name}", row.requirement.id
            case PlaceKind.CASE if any(case.id == name for case in row.cases):
                return f"case:{name}", row.requirement.id
            case PlaceKind.QUESTION if any(question.id == name for question in row.questions):
                return "", row.requirement.id
            case _:
                continue
    if place.kind is PlaceKind.OWED:
        return f"{OWED}:{name}", OWED
    if place.kind is PlaceKind.ANSWER:
        return f"assumed:{name}", ASSUMED
    if place.kind is PlaceKind.RULE and any(rule.name == name for rule in state.unclaimed):
        return f"rule:{name}", UNCLAIMED
    opened = place.kind is PlaceKind.QUESTION and any(question.id == name for question in state.open)
    return "", name if opened else ""


def _places(state: SessionState) -> dict[str, tuple[int, str]]:
    """The start and the words of each sentence of the spine."""
    places: dict[str, tuple[int, str]] = {
        row.requirement.id: (row.requirement.span.start, one_line(row.requirement.quote))
        for row in _shown(state)
    }
    return places | {
        question.id: (_start(question), one_line(question.quote)) for question in unplaced(state)
    }


def unplaced(state: SessionState) -> list[Question]:
    """The open questions that belong to no requirement, one for each sentence."""
    requirement_ids = {requirement.id for requirement in state.requirements}
    question_by_text: dict[str, Question] = {}
    for question in state.open:
        if not requirement_ids & set(question.requirements):
            question_by_text.setdefault(one_line(question.quote or question.text), question)
    return list(question_by_text.values())


def distinct_texts(texts: Mapping[str, str], width: int) -> Mapping[str, str]:
    """The texts by their keys, shortened so that the visible lines differ if the texts do.

    Texts with the same first line are shown by the words that they do not share.
    """
    alike: dict[str, list[str]] = {}
    for key, text in texts.items():
        alike.setdefault(text[: max(width - _INDENT, 1)], []).append(key)
    shown_by_key = dict(texts)
    for keys in alike.values():
        in_sight: dict[str, set[str]] = {}
        for key in keys if len(keys) > 1 else ():
            in_sight.setdefault(_in_sight(texts[key], width), set()).add(texts[key])
        distinct = {text: words for group in in_sight.values() for text, words in _without_shared(group)}
        shown_by_key |= {key: distinct.get(texts[key], texts[key]) for key in keys}
    return shown_by_key


def _in_sight(text: str, width: int) -> str:
    lines = _sentence_lines(line(" " * _INDENT, TextRun(text)), width)
    return "".join(run.text for part in lines for run in part)


def _without_shared(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each of several texts without most of the words with which it and the most similar other begin."""
    every = sorted(text.split(" ") for text in texts)  # the most similar one stands next to a text
    for at, words in enumerate(every):
        neighbours = (*every[max(at - 1, 0) : at], *every[at + 1 : at + 2])
        shared = max((_shared(words, other) for other in neighbours), default=0)
        text = " ".join(words)
        cut = (*words[:FIRST_WORDS], "…", *words[min(shared, len(words) - 1) :])
        yield text, text if shared <= FIRST_WORDS else " ".join(cut)


def _shared(words: Sequence[str], other_words: Sequence[str]) -> int:
    """The number of words with which both texts begin."""
    pairs = enumerate(zip(words, other_words, strict=False))
    return next(
        (at for at, (word, other_word) in pairs if word != other_word), min(len(words), len(other_words))
    )


def _unread(question: Question, text: str, width: int) -> list[Row]:
    """A sentence that is no requirement yet because a question about it is open."""
    words = TextRun(text, Tone.TITLE)
    shown_lines = _sentence_lines(line(TextRun("?    ", Tone.WARN), words), width)
    status = line(TextRun(f"     {unread_words(question).lower()}", Tone.WARN))
    return [Row(part, question.id) for part in (*shown_lines, status)]


def unread_words(question: Question) -> str:
    """What a question without a requirement is about: a sentence, or calls that no clause demands."""
    return "Not read yet" if question.quote.strip() else "Not demanded"


def _start(question: Question) -> int:
    """The start of the sentence that a question is about; the end of the request if it is about none."""
    return question.span.start if question.quote.strip() else LAST


@lru_cache(maxsize=8192)
def _sentence_lines(content: Line, width: int) -> Sequence[Line]:
    """The first lines of a sentence after its mark, with an ellipsis if more lines follow."""
    *head, words = content
    in_sight = TextRun(
        words.text[: max(width, 1) * 2 * MOST_LINES], words.tone
    )  # more is cut off in any case
    lines = wrap((*head, in_sight), width, indent=_INDENT)
    shown_lines = [*lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        *before, last = shown_lines[-1]
        room = width - width_of(before)
        shown_lines[-1] = line(*before, TextRun(fit(f"{last.text.rstrip()} …", room).rstrip(), last.tone))
    return shown_lines


def _requirement(
    row: RequirementState,
    text: str,
    verdicts: Sequence[Verdict],
    width: int,
    requested: RequestedSentence | None,
) -> list[Row]:
    """Rows of a requirement: the first lines of its sentence, then its cases, clauses and calls.

    Of a sentence of a policy of calls that has none, the last row says what it is.
    """
    requirement = row.requirement
    state = None if requested is None else requested.state
    mark = TextRun("?", Tone.WARN) if row.questions else TextRun(" ")
    label = "" if is_made_up(requirement.id) else requirement.id
    head = line(mark, TextRun(f"{label} ".rjust(4), Tone.ACCENT))
    tone = Tone.MUTED if state is SentenceState.CONTEXT else Tone.TITLE
    words = _sentence_lines((*head, TextRun(text, tone)), width)
    if state is SentenceState.CONTEXT:
        facts = line(muted("     context"))
    elif state is SentenceState.OPEN:
        exact = ", in the language" if requested is not None and requested.exact else ""
        facts = line(TextRun(f"     open{exact}", Tone.WARN))
    else:
        facts = _facts(row, verdicts, width)
    return [Row(part, requirement.id) for part in (*words, facts)]


def _facts(row: RequirementState, verdicts: Sequence[Verdict], width: int) -> Line:
    """Cases, clauses and decided calls of a requirement in a line; the calls only if there is room."""
    runs: list[TextRun] = [TextRun("     ")]
    if row.failed:
        tone = Tone.WARN if row.questions else Tone.BAD
        runs.append(TextRun(f"✗{len(row.failed)}/{len(row.cases)} ", tone))
    elif row.cases:
        runs += [TextRun("✓", Tone.GOOD), muted(f"{len(row.cases)} ")]
    sign = worst([clause_sign(clause) for clause in row.clauses]) if row.clauses else UNKNOWN_YET
    runs += [sign, muted(f" {_status_word(row)}")]
    decided = TextRun(f"  {_decided(row, verdicts)}" if row.decided else "")
    return (*runs, decided) if width_of((*runs, decided)) <= width else tuple(runs)


def _decided(row: RequirementState, verdicts: Sequence[Verdict]) -> str:
    """The number of calls that its rules decide; with the verdict if all are denied."""
    own_verdicts = {verdicts[position] for position in row.decided}
    count = f"{len(row.decided):,}"
    return f"{count} denied" if own_verdicts == {Verdict.DENY} else plural(len(row.decided), "call")


def _status_word(row: RequirementState) -> str:
    if not row.clauses:
        return "no clause"
    if row.status is None:
        return "not judged"
    if row.status is ProofStatus.PROVED:
        if any(clause.provisional for clause in row.clauses):
            return "provisional"
        return "holds" if any(clause.only_previewed for clause in row.clauses) else "proved"
    refuted = [clause for clause in row.clauses if clause.status is ProofStatus.REFUTED]
    if refuted and all(clause.provisional for clause in refuted):
        return "provisional"
    return row.status.value


# --- the lists of the spine besides the requirements: context, answers, rules without sentence, runs, default


def owed_here(state: SessionState) -> Sequence[Owed]:
    """What is not in force although no question asks about it."""
    return not_asked(state.not_in_force, state.open)


def owed_list_rows(state: SessionState, width: int) -> Sequence[Row]:
    """What is not in force, each with what mends it."""
    words = "A person said this, and the policy does not do it. Enter mends it."
    return [*paragraph(muted(words), width), BLANK, *owed_rows(owed_here(state), width)]


def context_rows(state: SessionState, width: int) -> Sequence[Row]:
    """The sentences that require nothing, each with the reason for that reading."""
    rows = paragraph(
        muted("Taken for context: no rule comes of them. Enter says that a sentence states a rule."), width
    )
    for number, sentence in enumerate(state.context):
        key = f"context:{number}"
        words = line(muted(f"line {sentence.span.line}: "), f"“{one_line(sentence.text)}”")
        rows += [BLANK, *paragraph(words, width, key, hang=2)]
        rows += paragraph(muted(one_line(sentence.why) or "context"), width, key, indent=2)
    return rows


def assumption_rows(state: SessionState, width: int) -> Sequence[Row]:
    """Every answer as an assumption: its statement, its sentence, and when it was given."""
    rows = paragraph(muted("Enter chooses another answer, a writes a note to it, d takes it back."), width)
    question_by_id = {question.id: question for question in state.questions}
    for assumption in state.assumptions:
        key, question = f"assumed:{assumption.question}", question_by_id.get(assumption.question)
        rows += [BLANK, *paragraph(TextRun(one_line(assumption.statement), Tone.TITLE), width, key)]
        if question is not None and question.quote:
            rows += paragraph(muted(f"“{one_line(question.quote)}”"), width, key, indent=2)
        rows += paragraph(muted(_when_text(assumption)), width, key, indent=2)
    if not state.assumptions:
        rows += [BLANK, *paragraph(muted("Nothing is assumed: no question was answered."), width)]
    return rows


def _when_text(assumption: Assumption) -> str:
    why = f"; {one_line(assumption.why)}" if assumption.why else ""
    keys = ": y says yes, = yes to all, e edits agent.toml" if is_unconfirmed(assumption) else ""
    return f"{assumption.when.replace('T', ' ')[:16]}{assumption.by_default}{keys}{why}"


def unclaimed_rows(aloud: Mapping[str, str], state: SessionState, width: int) -> Sequence[Row]:
    """The rules that no sentence of the request asks for."""
    rows = paragraph(muted("Rules that no sentence of the request asks for."), width)
    for rule in state.unclaimed:
        rows += [BLANK, *rule_code_rows(state, rule, width)]
        rows += aloud_rows(aloud.get(rule.name, ""), width, f"rule:{rule.name}")
    return rows


def _about_runs(state: SessionState) -> Mapping[str, str]:
    """The sentences of the theorems about whole runs, by their names."""
    return {} if state.terms is None else state.terms.file.theorems


def _runs_sign(state: SessionState) -> TextRun:
    """The sign of the worst verdict on a theorem, as far as there are verdicts."""
    theorems = state.theorems
    return worst([theorem_sign(one) for one in theorems]) if theorems else UNKNOWN_YET


def runs_rows(state: SessionState, width: int) -> Sequence[Row]:
    """The sentences about whole runs, each with the preview's verdict once there is one."""
    found = {one.name: one for one in state.theorems}
    rows = paragraph(muted("What holds of every run that the guard lets through."), width)
    for name, sentence in _about_runs(state).items():
        rows.append(BLANK)
        if name in found:
            rows += theorem_rows(found[name], width)
        else:
            head = line(UNKNOWN_YET, TextRun(f" {one_line(sentence)}", Tone.TITLE))
            rows += paragraph(head, width, f"theorem:{name}", hang=2)
            rows += paragraph(muted("not judged yet"), width, f"theorem:{name}", indent=2)
    return rows


def otherwise_rows(state: SessionState, width: int) -> Sequence[Row]:
    """The decision if no rule applies."""
    words = "A call is denied unless a rule permits it and none forbids it."
    if state.terms is not None and state.terms.file.default_allow:
        words = "A call that no rule forbids is allowed."
        if not all(rule.forbids for rule in state.terms.rules):
            words += " Of a tool that a rule permits, only what a rule permits is."
    return paragraph(words, width)


LISTS: Mapping[str, tuple[str, Callable[[SessionState, int], Sequence[Row]]]] = {
    OWED: ("Not in force", owed_list_rows),
    CONTEXT: ("Context", context_rows),
    ASSUMED: ("Answers", assumption_rows),
    UNCLAIMED: ("Rules without a sentence", partial(unclaimed_rows, {})),
    RUNS: ("Sentences about runs", runs_rows),
    OTHERWISE: ("Otherwise", otherwise_rows),
}
"""The name and the rows of each list of the spine, by its key."""

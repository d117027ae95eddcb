"""The commands about sentences and rules: an unread sentence word by word, context, rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from workbench.app.assumed_rules import StatedRule
from workbench.app.rules import EFFECTS, RulePlan
from workbench.clean_text import one_line
from workbench.cli.plain_mode.item_text import status_line
from workbench.cli.plain_mode.plain_command import Command, parts_of
from workbench.cli.question_text import changed_lines
from workbench.cli.rule_text import aloud_lines, built_lines, fact_lines
from workbench.cli.sentence_text import context_lines, opened_lines, read_lines, tried_lines
from workbench.model import WorkbenchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.app.results import SessionChange
    from workbench.app.sentence_words import TriedRules
    from workbench.cli.plain_mode.conversation import Conversation


def _word(talk: Conversation, words: str) -> None:
    number, _, definition = words.strip().partition(" ")
    if not number:
        raise WorkbenchError("Say 'word N': the number that 'sentences' gives a sentence.")
    sentence_words = talk.bench.words
    if not definition.strip():
        opened = talk.find(lambda _: sentence_words.open(number, talk.logs))
        talk.lines.listing(opened_lines(opened) if opened is not None else ())
        talk.lines.say(
            f"'word {number} WORD = MEANING' says what a word is: a number, or its name, or nothing."
        )
        talk.lines.say(f"'states {number} N' takes a rule; 'facts WORDS' finds what can be meant.")
        return
    word, sign, meant = (part.strip() for part in definition.partition("="))
    if not sign or not word or not meant:
        raise WorkbenchError(f"Say 'word {number} WORD = MEANING', or 'word {number}' to see the words.")
    meaning = sentence_words.meaning(number, word, meant)
    _keep(
        talk,
        number,
        talk.find(lambda _: sentence_words.tried_word(number, word, meaning, talk.logs)),
        partial(sentence_words.choose, number, word, meaning, talk.logs),
    )


def _states(talk: Conversation, words: str) -> None:
    number, _, statement = words.strip().partition(" ")
    form, *parts = (part.strip() for part in statement.split(";"))
    if form.startswith(("when ", "tool ")):  # a form is assumed, if the recorded calls tell which
        form, parts = "", [form, *parts]
    if not number or not (form or parts):
        forms = ", ".join(f"'{known_form}'" for known_form in talk.bench.words.forms())
        raise WorkbenchError(
            f"Say 'states N M' for rule M of sentence N, or 'states N FORM; tool NAME; when CONDITION' with "
            f"a form of {forms}."
        )
    sentence_words = talk.bench.words
    person_rule = sentence_words.person_rule(number, _said_rule(form, ";".join(parts)))
    _keep(
        talk,
        number,
        talk.find(lambda _: sentence_words.tried(number, [person_rule], talk.logs)),
        partial(sentence_words.rules, number, [person_rule], talk.logs),
    )


def _said_rule(form: str, text: str) -> StatedRule:
    """The rule of a form with the tools and conditions of “tool NAME; when CONDITION; either”."""
    tools, conditions, either = list[str](), list[str](), False
    for word, value in parts_of(text):
        match word:
            case "tool":
                tools.append(value)
            case "when":
                conditions.append(value)
            case "either":
                either = True
            case _:
                raise WorkbenchError(f"{word!r} begins no part; a part begins with tool, when or either.")
    return StatedRule(form, tuple(tools), tuple(conditions), either)


def _keep(
    talk: Conversation, number: str, tried: TriedRules | None, work: Callable[[], SessionChange]
) -> None:
    """Show the effect of a meaning, and store the meaning if a person agrees."""
    if tried is None:
        return
    talk.tell(tried_lines(tried))
    if not talk.sure("Keep it?"):
        talk.lines.say("Nothing is stored.")
        return
    _, changes = talk.change(work)
    talk.tell((*read_lines(talk.bench.words, number), *changed_lines(changes)))
    talk.lines.say(status_line(talk.state))


def _facts(talk: Conversation, words: str) -> None:
    facts = talk.bench.words.facts(words)
    lines = [f"{one_line(fact.phrase)}  ({fact.type.kind}, {fact.source})" for fact in facts]
    talk.lines.listing(lines or ["No fact has these words."])


def _context(talk: Conversation, words: str) -> None:
    if not words.strip():
        talk.lines.listing(context_lines(talk.bench.questions.context()))
        talk.lines.say("'context N' says that one of them states a rule; it is asked about then.")
        return
    sentence = talk.bench.questions.context_sentence(words.strip())
    _, changes = talk.change(partial(talk.bench.questions.claim_rule, sentence))
    talk.lines.say(f'It is asked about: "{one_line(sentence.text)}".')
    talk.tell(changed_lines(changes))


def _rules(talk: Conversation, words: str) -> None:
    del words
    talk.lines.listing(aloud_lines(talk.bench.rules.aloud(talk.text)))


def _rule(talk: Conversation, words: str) -> None:
    if words.strip().casefold() == "facts":
        talk.lines.listing(fact_lines(talk.bench.rules))
        return
    plan = _plan(words) if words.strip() else _asked_plan(talk)
    rule_preview = talk.find(lambda _: talk.bench.rules.preview(plan, talk.logs))
    if rule_preview is None:
        return
    talk.tell(built_lines(rule_preview))
    if not talk.sure("Add it?"):
        talk.lines.say("Nothing is stored.")
        return
    talk.act(partial(talk.bench.rules.add, plan, talk.logs), f"Added {rule_preview.name} to the policy.")


def _plan(text: str) -> RulePlan:
    """A plan of a rule from its parts: ``forbid; tool NAME; when CONDITION; message TEXT; name NAME``."""
    texts_by_part: dict[str, list[str]] = {
        "tool": [],
        "when": [],
        "message": [],
        "name": [],
        "requirement": [],
    }
    effect = ""
    for word, value in parts_of(text):
        if word in EFFECTS and not value:
            effect = word
        elif word in texts_by_part and value:
            texts_by_part[word].append(value)
        else:
            raise WorkbenchError(
                f"“{word} {value}” is no part of a rule; say forbid or permit, then tool NAME, when "
                "CONDITION, message TEXT, name NAME or requirement ID, with ';' between them."
            )
    return RulePlan(
        tuple(texts_by_part["tool"]),
        tuple(texts_by_part["when"]),
        effect or EFFECTS[0],
        " ".join(texts_by_part["message"]),
        "".join(texts_by_part["name"][-1:]),
        tuple(texts_by_part["requirement"]),
    )


def _asked_plan(talk: Conversation) -> RulePlan:
    """A plan of a rule from questions about each part; an empty line goes on to the next part."""

    def answer_to(prompt: str) -> str:
        return (talk.lines.ask(prompt) or "").strip()

    def several(prompt: str) -> tuple[str, ...]:
        answers: list[str] = []
        while answer := answer_to(prompt):
            answers.append(answer)
        return tuple(answers)

    effect = answer_to("Forbid or permit (forbid): ").casefold() or EFFECTS[0]
    tools = ", ".join(one_line(tool.name) for tool in talk.bench.session.spec.tools)
    talk.lines.say(f"Tools: {tools}. 'rule facts' lists what conditions may speak of.")
    return RulePlan(
        several("Tool (empty goes on): "),
        several("Condition (empty goes on): "),
        effect,
        answer_to("Message for a denied agent (may be empty): "),
    )


COMMANDS = (
    Command("word", "N [WORD = MEANING]", "open a sentence word by word, or say what a word of it is", _word),
    Command("states", "N FORM; tool NAME; when CONDITION", "say which rule a sentence states", _states),
    Command("facts", "WORDS", "the facts that a sentence may speak of, by words of their names", _facts),
    Command("context", "[N]", "the sentences that state no rule; with a number, that one does", _context),
    Command("rules", "", "each rule of the policy read aloud", _rules, menu=True),
    Command(
        "rule",
        "[forbid; tool NAME; when CONDITION; message TEXT]",
        "build a rule without a sentence; alone it asks for the parts; 'rule facts' lists what to speak of",
        _rule,
    ),
)

"""The questions that only the author can ask, with what each answer changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import time

from workbench.author.rules.conditions import CLOSED_OPERATOR, Comparison, Condition, render
from workbench.author.rules.interview import UNDECIDED, short_hash, slug
from workbench.model import Argument, Option, Question, Scalar, Span

CONTEXT = "context"
DIFFERENT = "different"
ALLOW = "allow"
DENY = "deny"
KEEP = "keep"
RUN = "run"
TRUE = "true"
FALSE = "false"


_TROUBLE = {
    "unreadable": "I cannot read this sentence: {reason}. Is it a rule? If so, please say it in other words.",
    "undefined": "This sentence uses a word that the agent spec does not define: {reason}. "
    "Please say it with the agent's own words, or add a synonym to the agent spec.",
    "unit": "The units do not fit: {reason}. Please state the rule in the argument's unit.",
    "stateful": "This sentence limits several actions together, which needs a window and a count that the "
    "agent spec does not have as an argument: {reason}. Please say it of one action, or add "
    "such an argument.",
}


def window_id(quote: str) -> str:
    """The id of the question about the window of a limit."""
    return f"window:{short_hash(quote)}"


def no_window(words: str) -> str:
    """What is wrong with the window that a limit names, or with its naming none."""
    return f"the agent spec has no argument that counts “{words}”" if words else "it names no window"


def window(quote: str, span: Span, said: str) -> Question:
    """Ask over what a limit counts where no argument of the agent spec counts it so."""
    return Question(
        id=window_id(quote),
        kind="stateful",
        text=f"This sentence limits several actions together, but {said}. A guard sees the calls of one "
        "run of the agent. Should it count those? If not, please declare an argument that counts.",
        quote=quote,
        span=span,
        options=(
            Option(
                RUN,
                "Count the calls of one run",
                "Denied where the calls of one run exceed the limit.",
                f"The limit of “{' '.join(quote.split())}” is for each run of the agent.",
            ),
            Option(
                CONTEXT,
                "It is context, not a rule",
                "The sentence changes no decision.",
                f"“{' '.join(quote.split())}” is context and states no rule.",
            ),
        ),
        default=UNDECIDED,
        blocking=True,
        free_text=True,
    )


def unreadable(quote: str, span: Span, reason: str, kind: str = "unreadable") -> Question:
    """Ask of a sentence that cannot be read whether it is context, or how else to say it."""
    return Question(
        id=f"unreadable:{short_hash(quote)}",
        kind=kind if kind in _TROUBLE else "unreadable",
        text=_TROUBLE.get(kind, _TROUBLE["unreadable"]).format(reason=reason),
        quote=quote,
        span=span,
        options=(
            Option(
                CONTEXT,
                "It is context, not a rule",
                "The sentence changes no decision.",
                f"“{' '.join(quote.split())}” is context and states no rule.",
            ),
        ),
        default=UNDECIDED,
        blocking=True,
        free_text=True,
    )


def rewrite_id(quote: str) -> str:
    """The id of the request to say a sentence in other words."""
    return f"rewrite:{short_hash(quote)}"


def rewrite(quote: str, span: Span) -> Question:
    """Ask for other words for a sentence of which no reading is meant."""
    question = unreadable(quote, span, "")
    return replace(
        question,
        id=rewrite_id(quote),
        kind="rewrite",
        text="None of the readings of this sentence is meant. Please say it in other words.",
    )


def presupposition(words: str, argument: Argument, quote: str, span: Span) -> Question:
    """Ask what words mean of which the agent only knows whether something is so or not."""
    known = f"{argument.name} ({argument.description})"

    def option(value: str, label: str, held: str) -> Option:
        return Option(
            value,
            label,
            f"The sentence holds where {held}.",
            f"“{words}” in “{quote}” means {held}.",
        )

    return Question(
        id=f"presupposition:{slug(words)}",
        kind="presupposition",
        text=f"The sentence speaks of “{words}”; all that the agent spec knows of it is {known}.",
        quote=quote,
        span=span,
        options=(
            option(TRUE, f"It means: {argument.name} is true", f"{argument.name} is true"),
            option(FALSE, f"It means: {argument.name} is false", f"{argument.name} is false"),
        ),
        default=UNDECIDED,
        blocking=True,
    )


def vocabulary(
    word: str, near: tuple[str, ...], of: str, quote: str, span: Span, *, denying: bool
) -> Question:
    """A word that is close to one of the agent's words without being one.

    ``denying`` says that more is denied if the words mean the same.
    """
    same = tuple(
        Option(
            candidate,
            f"It means “{candidate}”",
            f"What the request says of “{word}” holds for {of} “{candidate}”.",
            f"“{word}” is the {of} “{candidate}”.",
        )
        for candidate in near
    )
    other = Option(
        DIFFERENT,
        f"It is a different {of}",
        f"What the request says of “{word}” holds for no {of} of the agent.",
        f"“{word}” is a different {of} from {', '.join(f'“{candidate}”' for candidate in near)}.",
    )
    return Question(
        id=f"vocabulary:{slug(word)}",
        kind="vocabulary",
        text=f"The request says “{word}”; the agent knows “{near[0]}”. Is it the same {of}?",
        quote=quote,
        span=span,
        options=(*same, other),
        default=near[0] if denying else DIFFERENT,
    )


def _readable(value: Scalar) -> str:
    """A value as people write it."""
    return f"{value:%H:%M}" if isinstance(value, time) else str(value)


def boundary(requirement: str, atom: Comparison, quote: str, span: Span, *, wide: bool) -> Question:
    """Whether "under 18" includes 18; ``wide`` says that including it is restrictive."""
    value = _readable(atom.value)
    included, excluded = ("allow", "deny") if not wide else ("deny", "allow")
    return Question(
        id=f"boundary:{requirement}:{atom.argument}{f':{value}' if atom.word == 'between' else ''}",
        kind="boundary",
        text=f"“{atom.word} {value}”: does it include {atom.argument} = {value} itself?",
        quote=quote,
        span=span,
        options=(
            Option(
                "included",
                f"Yes, {value} is included",
                f"At {atom.argument} = {value} the rule would {included}.",
                f"In {requirement}, “{atom.word} {value}” includes {value}.",
            ),
            Option(
                "excluded",
                f"No, {value} is not included",
                f"At {atom.argument} = {value} the rule would {excluded}.",
                f"In {requirement}, “{atom.word} {value}” does not include {value}.",
            ),
        ),
        default="included" if wide else "excluded",
        requirements=(requirement,),
    )


def with_bound(atom: Comparison, included: bool) -> Comparison:
    """The comparison with its bound decided."""
    has_bound = atom.operator in ("<=", ">=")
    operator = atom.operator if has_bound == included else CLOSED_OPERATOR[atom.operator]
    return Comparison(atom.argument, operator, atom.value)


def contradiction(
    requirement: str, condition: str, message: str, span: Span, sides: tuple[Condition, Condition]
) -> Question:
    """A card whose condition denies other users than its own message says."""
    by_condition, by_message = (render(side) for side in sides)
    return Question(
        id=f"contradiction:{requirement}",
        kind="contradiction",
        text=f"The condition “{condition}” contradicts the sentence “{message}”. Which one is meant?",
        quote=f"{condition} / {message}",
        span=span,
        options=(
            Option(
                "condition",
                f"The condition: {condition}",
                f"Denied if {by_condition}.",
                f"{requirement} means its condition “{condition}”, not its sentence.",
            ),
            Option(
                "message",
                f"The sentence: {message}",
                f"Denied if {by_message}.",
                f"{requirement} means its sentence “{message}”, not its condition.",
            ),
        ),
        default=UNDECIDED,
        requirements=(requirement,),
        blocking=True,
    )


def default_decision() -> Question:
    """What happens where no sentence of the request speaks."""
    return Question(
        id="default-decision",
        kind="default-decision",
        text="The request does not say what happens to actions that it does not mention.",
        quote="",
        span=Span(0, 0),
        options=(
            Option(
                DENY,
                "Deny them",
                "Only what the request permits is allowed.",
                "What the request does not permit is denied.",
            ),
            Option(
                ALLOW,
                "Allow them",
                "Everything that no rule forbids is allowed.",
                "What no rule forbids is allowed.",
            ),
        ),
        default=DENY,
        requirements=("R0",),
    )


def missing(argument: str, requirements: tuple[str, ...], quote: str, span: Span) -> Question:
    """What a rule decides where the argument it reads has no value."""
    return Question(
        id=f"missing:{argument}",
        kind="missing",
        text=f"What should happen where {argument} is missing?",
        quote=quote,
        span=span,
        options=(
            Option(
                DENY,
                "Deny",
                f"A rule that reads {argument} denies where there is none.",
                f"Where {argument} is missing, the rules that read it deny.",
            ),
            Option(
                "ignore",
                "Ignore the rule",
                f"A rule that reads {argument} does not apply where there is none.",
                f"Where {argument} is missing, the rules that read it do not apply.",
            ),
        ),
        default=DENY,
        requirements=requirements,
    )


def conflict(permit: str, forbid: str, texts: tuple[str, str], span: Span) -> Question:
    """Ask which of two sentences wins where one permits what the other forbids."""
    allowed, denied = texts
    return Question(
        id=f"conflict:{permit}:{forbid}",
        kind="conflict",
        text=f"Where both apply, which sentence wins: “{allowed}” or “{denied}”?",
        quote=f"{allowed} / {denied}",
        span=span,
        options=(
            Option(
                "forbid",
                f"The prohibition: {denied}",
                f"Denied where {forbid} forbids it, whatever {permit} permits.",
                f"{forbid} wins over {permit}.",
            ),
            Option(
                "permit",
                f"The permission: {allowed}",
                f"What {permit} permits is an exception to {forbid}.",
                f"{permit} is an exception to {forbid}.",
            ),
        ),
        default="forbid",
        requirements=(permit, forbid),
    )


def incompatible(first: str, second: str, texts: tuple[str, str], span: Span) -> Question:
    """Ask which of two rules is meant that together leave nothing allowed."""

    def only(kept: str, dropped: str, text: str) -> Option:
        effect = f"{dropped} is left out; what {kept} allows is allowed."
        return Option(kept, f"Only: {text}", effect, f"{kept} holds and {dropped} does not.")

    return Question(
        id=f"contradiction:{first}:{second}",
        kind="contradiction",
        text=f"Together these two rules leave nothing allowed: “{texts[0]}” and “{texts[1]}”.",
        quote=f"{texts[0]} / {texts[1]}",
        span=span,
        options=(
            Option(
                "both",
                "Both hold: nothing of it is allowed",
                "Everything that both rules speak of is denied.",
                f"{first} and {second} both hold.",
            ),
            only(first, second, texts[0]),
            only(second, first, texts[1]),
        ),
        default="both",
        requirements=(first, second),
    )


def without_effect_id(quote: str) -> str:
    """The id of the question about a rule that has no effect."""
    return f"without-effect:{short_hash(quote)}"


def without_effect(quote: str, span: Span, requirements: tuple[str, ...], why: str) -> Question:
    """Ask about a rule that never decides anything, because it cannot fire or others always do."""
    return Question(
        id=without_effect_id(quote),
        kind="without-effect",
        text=f"This rule changes no decision: {why} Is it meant so? If not, please say it in other words.",
        quote=quote,
        span=span,
        options=(
            Option(
                KEEP,
                "It is meant so",
                "Nothing changes.",
                f"“{' '.join(quote.split())}” is meant as it stands, though it changes no decision.",
            ),
        ),
        default=KEEP,
        requirements=requirements,
        free_text=True,
    )

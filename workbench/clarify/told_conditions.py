"""Rules in the words of a person as conditions of the dialect: facts by what they are called, bounds, values.

A condition is what a fact is called, how it is compared, and with what: “method is one of card, cash” or
“delivered at of the last get_order for the same order_id is at most 30 days ago”. Nothing is guessed: what
is not called so by exactly one fact is refused, with the facts that are meant perhaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from workbench.author.rules.norms import Effect
from workbench.author.rules.told_rules import rule_line
from workbench.author.rules.words import split_words, stem
from workbench.clarify.listed_things import ListedThings
from workbench.clarify.said_values import TESTS, WAY, SaidValues, bare, called, odd, parts, said_ways
from workbench.clarify.sayable_facts import FactSource, SayableFact, with_meaning
from workbench.clarify.told_events import ToldEvents
from workbench.clarify.told_shapes import JoinedConditions, ListedCondition, ToldCondition
from workbench.model import Argument, Assumption, Kind, WorkbenchError
from workbench.policy.literals import literal

_BOUNDS = {
    "is at most": "<=",
    "is at least": ">=",
    "is more than": ">",
    "is less than": "<",
    "is not before": ">=",
    "is not after": "<=",
    "is before": "<",
    "is after": ">",
    "is exactly": "==",
    "is not among": "not in",
    "is among": "in",
    "is the same as": "==",
    "is not the same as": "!=",
    "is not": "!=",
    "is": "==",
}
_LISTS = ("is none of", "is one of")
_PRESENT = {"is not known": True, "is known": False, "is not given": True, "is given": False}
_LENGTHS = {"has at least": ">=", "has at most": "<="}
_PHRASES = sorted([*_BOUNDS, *TESTS, *_LISTS, *_LENGTHS, *_PRESENT], key=len, reverse=True)
_COMPARISON = re.compile(rf"\s({'|'.join(_PHRASES)})(?=\s|$)", re.I)
_EACH = re.compile(r"(each|every|all|some|any|no)\s+(.+)", re.I | re.S)
_OF_A_LIST = re.compile(
    r"(each|every|all|some|any|no|(?:at most|at least|more than|exactly) \d+) ([^:]+): (.+)", re.I | re.S
)
_OF_THE_CALL = re.compile(r"(each|every|all|some|any) (.+?) of the call (.+)", re.I | re.S)
_CALLED = {
    "path": ("path.absolute", "command.paths"),
    "file name": ("path.name",),
    "ending": ("path.suffix",),
    "host": ("url.host", "command.hosts"),
    "mail address": ("mail_address.address",),
    "domain": ("mail_address.domain",),
}
"""What the parts of all texts of a call are together: “each path of the call”."""
_SINCE = re.compile(r"(.+) since the last (\w+)", re.I)
_LATER = re.compile(r"the later of (.+) and (.+)", re.I)
_APART = re.compile(r"(\d+) (day|hour|minute|week)s? (after|before) (.+)", re.I)
_TIMES = re.compile(
    r"(\d[\d,]*(?:\.\d+)?)\s*(?:[a-z€$£]+)? (?:times|for each|per) (.+?)(?: plus (.+))?", re.I
)
_LENIENT = re.compile(r"\s+or (?:is )?not (?:known|given)$", re.I)
_AGO = re.compile(r"(\d+) (day|hour|minute|week)s? ago", re.I)
_YES = {"yes": True, "true": True, "no": False, "false": False}
_NUMBERS = (Kind.INT, Kind.DECIMAL)
_MOMENTS = (Kind.DATE, Kind.DATETIME)
_LIKELY = 5
_AMONG = ("is among", "is not among")
_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?(?:%|percent|per cent) of (.+)", re.I)
_CHARACTERS = re.compile(r"(\d+) characters?", re.I)

_WAS_LOOKED_UP = re.compile(r"(?:the )?(\w[\w ]*?) (?:was|is|has been) (not )?looked up", re.I)
_SUCCEEDED = re.compile(r"(no )?(\w+ succeeded before in the run.*)", re.I)
_AS_IT_IS = frozenset({"path", "tools", "elsewhere"})
"""The options of an extraction that take a value as it stands in the call."""

FORMS: Mapping[str, Effect] = {
    "only if": Effect.REQUIRE,
    "never if": Effect.FORBID,
    "never": Effect.FORBID,
    "allowed if": Effect.PERMIT,
    "allowed": Effect.PERMIT,
}
"""What a rule does, as a person says it."""


@dataclass(frozen=True, slots=True)
class ToldRule:
    """A rule as a person tells it: what it does, which tools it is about, under which conditions.

    ``left_out`` are words of the sentence, for which it is offered, of which it says nothing; ``stricter`` is
    what would narrow it or free from it, and is left out too. ``assumed`` is what nobody said of it, with the
    reasons. ``taken`` are the facts that its conditions name by some of their words only. Of a rule that the
    sentence is read as without these, ``aloud`` says it, and ``answers`` make it be read so.
    """

    effect: Effect
    tools: tuple[str, ...]
    conditions: tuple[str, ...]
    either: bool = False
    left_out: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    aloud: str = ""
    answers: tuple[Assumption, ...] = ()
    stricter: str = ""
    taken: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The rule in plain words."""
        if self.aloud:
            return self.aloud
        what = " or ".join(self.tools) or "anything"
        when = (" or " if self.either else " and ").join(self.conditions)
        match self.effect:
            case Effect.REQUIRE:
                return f"{what} only if {when}"
            case Effect.FORBID:
                return f"never {what}" + (f" if {when}" if when else "")
            case Effect.PERMIT:
                return f"{what} is allowed" + (f" if {when}" if when else "")

    @property
    def offered(self) -> str:
        """The rule in plain words, with what it leaves out of its sentence and what is assumed of it."""
        taken = f"; it speaks of {', '.join(f'“{one}”' for one in self.taken)}" if self.taken else ""
        assumed = f"; assumed: {'; '.join(self.assumed)}" if self.assumed else ""
        return "".join((self.said, taken, *(f"; {one}" for one in self.omitted), assumed))

    @property
    def omitted(self) -> tuple[str, ...]:
        """What the rule leaves out of its sentence, as it is told."""
        left = f"left out: {', '.join(self.left_out)}" if self.left_out else ""
        stricter = f"denies more: also what “{self.stricter}” lets pass" if self.stricter else ""
        return tuple(filter(None, (left, stricter)))


@dataclass(slots=True)
class FactBook:
    """The facts by what they are called: those that the agent spec declares, and those that it may get."""

    facts: Sequence[SayableFact]
    tool: Argument | None
    events: ToldEvents | None = None
    lists: Sequence[ListedThings] = ()
    around: FactBook | None = None
    values: SaidValues = field(default_factory=SaidValues)
    _by_name: dict[str, SayableFact] = field(default_factory=dict[str, SayableFact])

    def __post_init__(self) -> None:
        """Of facts that are called alike the first counts; those of an element come before all ``around``."""
        for fact in self.facts:
            self._by_name.setdefault(called(fact.said), fact)
        for fact in self.facts:
            self._by_name.setdefault(called(fact.argument.name), fact)

    def fact(self, said: str) -> SayableFact | None:
        """The fact of that name, else the only one that all the words are of; None where none or several are.

        A name is what a fact is called in plain words, or its place in the policy (``book.adults_only``).
        """
        names = (called(said), called(said).removeprefix("the "))
        if (known := next(filter(None, map(self._by_name.get, names)), None)) is not None:
            return known
        if (told := self._composed(said)) is not None:
            return self._by_name.setdefault(called(said), told)
        words = frozenset(stem(word) for word in split_words(said))
        found = {fact.argument.name: fact for fact in self.facts if words and words <= fact.stems}
        if len(found) == 1 and (len(words) > 1 or self.around is not None):
            return next(iter(found.values()))
        return self.around.fact(said) if self.around is not None and not found else None

    def _composed(self, said: str) -> SayableFact | None:
        """A fact that is named with values, or by other facts: “… since the last get_order”."""
        if self.events is None:
            return None
        if (since := _SINCE.fullmatch(said)) is not None and (base := self.fact(since[1])) is not None:
            return self.events.narrowed(said, base, since[2])
        if (both := _LATER.fullmatch(said)) is not None:
            one, other = self.fact(both[1]), self.fact(both[2])
            if one is not None and other is not None:
                return self.events.latest(said, one, other)
        return self.events.fact(said)

    def nearest(self, said: str, most: int = _LIKELY) -> tuple[SayableFact, ...]:
        """The facts that share most words with a text, the best first."""
        words = frozenset(stem(word) for word in split_words(said))
        shared = [
            (len(words & fact.stems), -len(fact.stems), -place) for place, fact in enumerate(self.facts)
        ]
        best = sorted((score for score in shared if score[0]), reverse=True)[:most]
        return tuple(self.facts[-place] for _, _, place in best)

    def rule(self, told: ToldRule) -> tuple[str, tuple[SayableFact, ...]]:
        """A rule as a line of an answer, and the facts that it needs; raises WorkbenchError."""
        conditions = [self.condition(text) for text in told.conditions]
        if not conditions and told.effect is Effect.REQUIRE:
            raise WorkbenchError("“only if” needs a condition: say what has to hold.")
        forbids = told.effect is Effect.FORBID
        joint = " or " if told.either else " and "
        guarded = [one.guarded(forbids=forbids) for one in conditions]
        facts = tuple({fact.argument.name: fact for one in conditions for fact in one.facts}.values())
        return rule_line(told.effect, self._scope(told.tools), joint.join(guarded) or "True"), facts

    def called_otherwise(self, told: ToldRule) -> tuple[str, ...]:
        """The facts that a rule's conditions name by some of their words; raises WorkbenchError."""
        found: dict[str, None] = {}
        for text in told.conditions:
            for fact in self.condition(text).facts:
                names = (called(fact.said), called(fact.argument.name))
                if fact.source is not FactSource.TIME and not any(name in called(text) for name in names):
                    found[fact.said] = None
        return tuple(found)

    def _scope(self, tools: tuple[str, ...]) -> str:
        if not tools:
            return "True"
        if self.tool is None:
            raise WorkbenchError("The agent spec has no argument that says which tool is called.")
        names = {called(name): name for name in self.tool.type.values}
        for tool in tools:
            if called(tool) not in names:
                raise WorkbenchError(
                    f"{tool!r} is no tool; the tools are: {', '.join(self.tool.type.values)}."
                )
        listed = ", ".join(literal(names[called(tool)]) for tool in tools)
        return f"{self.tool.name} in {{{listed}}}"

    # --- conditions ---

    def is_condition(self, told: str) -> bool:
        """Whether a text is a condition that is understood."""
        try:
            self.condition(told)
        except WorkbenchError:
            return False
        return True

    def condition(self, told: str) -> ToldCondition | JoinedConditions | ListedCondition:
        """A condition in the words of a person; raises WorkbenchError where it is not understood."""
        text = " ".join(told.split())
        if (found := self._read(text)) is not None:
            return found
        likely = "; ".join(f"“{fact.said}”" for fact in self._nearest(text))
        raise WorkbenchError(
            f"“{told}” is no condition that is understood: name a fact, how it is compared, and with what."
            + (f" Facts with such words: {likely}." if likely else "")
        )

    def _read(self, text: str) -> ToldCondition | JoinedConditions | ListedCondition | None:
        return self._of_a_list(text) or self._of_the_call(text) or self._joined(text) or self._one(text)

    def _of_the_call(self, text: str) -> JoinedConditions | None:
        """“each path of the call is inside …”: about every text of whatever tool that says one.

        Of “each”, what a call does not have holds.
        """
        found = _OF_THE_CALL.fullmatch(text)
        meanings = _CALLED.get(found[2].lower()) if found is not None else None
        if found is None or meanings is None:
            return None
        quantifier = "some" if found[1].lower() in ("some", "any") else "each"
        facts = [fact for fact in self.facts if fact.meaning in meanings and fact.source is FactSource.CALL]
        told: list[ToldCondition] = []
        for fact in facts:
            many = fact.argument.type.kind is Kind.SET
            one = self._one(f"{quantifier} {fact.said} {found[3]}" if many else f"{fact.said} {found[3]}")
            if one is None:
                return None
            told.append(one if many else replace(one, lenient=quantifier == "each"))
        return JoinedConditions(tuple(told), " and " if quantifier == "each" else " or ") if told else None

    def _one(self, text: str) -> ToldCondition | None:
        lenient = _LENIENT.search(text) is not None
        text = _LENIENT.sub("", text)
        for reads in (self._used, self._truth, self._compared):
            if (found := reads(text)) is not None:
                presence = text.lower().endswith(tuple(f" {how}" for how in _PRESENT))
                return ToldCondition(found[0], found[1], lenient, presence)
        return self._happened(text)

    def _happened(self, text: str) -> ToldCondition | None:
        """“the member was looked up”, “get_member succeeded before in the run”."""
        looked_up = _WAS_LOOKED_UP.fullmatch(text)
        if looked_up is not None and (thing := self.fact(f"the {looked_up[1]} of the call")) is not None:
            if thing.argument.type.kind is not Kind.RECORD:
                return None
            how = "is not known" if looked_up[2] else "is known"
            return ToldCondition(*self._presence(thing, how), presence=True)
        if (succeeded := _SUCCEEDED.fullmatch(text)) is not None:
            count = self._by_name.get(called(f"how many {succeeded[2]}"))
            if count is not None:
                number = f"{count.argument.name} {'==' if succeeded[1] else '>='} {0 if succeeded[1] else 1}"
                return ToldCondition(number, (count,))
        return None

    def _joined(self, text: str) -> JoinedConditions | None:
        """“A or B”, “A and B” where both are conditions; raises WorkbenchError where both words join them."""
        for joint in (" or ", " and "):
            for found in re.finditer(joint, text):
                left, right = self._parted(text[: found.start()]), self._parted(text[found.end() :])
                if left is None or right is None:
                    continue
                if any(isinstance(part, JoinedConditions) and part.joint != joint for part in (left, right)):
                    raise WorkbenchError(
                        f"“{text}” joins conditions by “and” and by “or”: say it as two rules."
                    )
                return JoinedConditions((left, right), joint)
        return None

    def _parted(self, text: str) -> ToldCondition | JoinedConditions | None:
        try:
            return self._joined(text) or self._one(text)
        except WorkbenchError:
            return None

    def _of_a_list(self, text: str) -> ListedCondition | None:
        """“each line: …”, “some payment: …”: a condition about the things of a list."""
        found = _OF_A_LIST.fullmatch(text)
        things = self._things(found[2]) if found is not None else None
        if found is None or things is None:
            return None
        inner = FactBook(things.facts, self.tool, self.events, (), self, self.values)
        return ListedCondition(found[1].lower(), things, inner.condition(found[3]))

    def _things(self, said: str) -> ListedThings | None:
        words = {stem(word) for word in split_words(said)}
        found = [one for one in self.lists if words and words <= one.words]
        fewest = min((len(one.words) for one in found), default=0)
        nearest = [one for one in found if len(one.words) == fewest]
        return nearest[0] if len(nearest) == 1 else None

    def _nearest(self, text: str) -> tuple[SayableFact, ...]:
        """The facts that a text which is no condition may speak of, those of a list that it names first."""
        found = _OF_A_LIST.fullmatch(text)
        things = self._things(found[2]) if found is not None else None
        facts = things.facts if things is not None else self.facts
        return FactBook(facts, self.tool).nearest(text)

    def _truth(self, text: str) -> tuple[str, tuple[SayableFact, ...]] | None:
        negated = text.lower().startswith("not ")
        fact = self.fact(text[4:] if negated else text)
        if fact is None or fact.argument.type.kind is not Kind.BOOL:
            return None
        return (f"not {fact.argument.name}" if negated else fact.argument.name), (fact,)

    def _compared(self, text: str) -> tuple[str, tuple[SayableFact, ...]] | None:
        """The comparison at the first place where the words on both sides are understood."""
        trouble: WorkbenchError | None = None
        for found in _COMPARISON.finditer(text):
            try:
                compared = self._compared_at(text, found)
            except WorkbenchError as error:
                trouble = trouble or error
            else:
                if compared is not None:
                    return compared
        if trouble is not None:
            raise trouble
        return None

    def _compared_at(self, text: str, found: re.Match[str]) -> tuple[str, tuple[SayableFact, ...]] | None:
        left, how, right = text[: found.start()].strip(), found[1].lower(), text[found.end() :].strip()
        quantifier = _EACH.fullmatch(left)
        if quantifier is not None and (fact := self._set(quantifier[2])) is not None:
            if how == "is among" and (listed := self._set(right)) is not None:
                if quantifier[1].lower() not in ("each", "every", "all"):
                    raise odd(fact, how, "say each before it")
                return f"{fact.argument.name} <= {listed.argument.name}", (fact, listed)
            return self._elements(quantifier[1].lower(), fact, how, right), (fact,)
        facts = self._sum(left)
        if facts is not None:
            return self._single(facts, how, right)
        return None

    def _set(self, said: str) -> SayableFact | None:
        fact = self.fact(said)
        return fact if fact is not None and fact.argument.type.kind is Kind.SET else None

    def _sum(self, said: str) -> tuple[SayableFact, ...] | None:
        """The facts of “A plus B”, or the one fact."""
        facts = tuple(self.fact(part) for part in re.split(r"\s+plus\s+", said))
        found = tuple(fact for fact in facts if fact is not None)
        many = len(found) > 1 and any(fact.argument.type.kind not in _NUMBERS for fact in found)
        return found if len(found) == len(facts) and not many else None

    def _single(  # noqa: C901 # one case for each kind of comparison
        self, facts: tuple[SayableFact, ...], how: str, right: str
    ) -> tuple[str, tuple[SayableFact, ...]]:
        left = " + ".join(fact.argument.name for fact in facts)
        fact, kind = facts[0], facts[0].argument.type.kind
        if how in _PRESENT:
            return self._presence(fact, how)
        if kind is Kind.SET:
            if how in ("contains", "does not contain"):
                return self._elements("some" if how == "contains" else "no", fact, "is", right), facts
            raise odd(fact, how, "say each, some or no before it")
        if kind is Kind.BOOL and how in ("is", "is not") and right.lower() in _YES:
            return (left if _YES[right.lower()] is (how == "is") else f"not {left}"), facts
        if how in _LENGTHS:
            return _length(fact, how, right), facts
        if how in _LISTS:
            return f"{left} {'not ' if how == 'is none of' else ''}in {{{self._values(fact, right)}}}", facts
        if how in TESTS:
            return self.values.tests(fact, left, how, right), facts
        if how in _AMONG:
            return self._among(fact, how, right)
        if (related := self._related(facts, how, right)) is not None:
            return related
        others = None if self.values.is_member(fact, right) else self._sum(right)
        if others is not None and _comparable(facts, others):
            other = " + ".join(one.argument.name for one in others)
            return f"{left} {_BOUNDS[how]} {other}", (*facts, *others)
        if others is not None and kind in (Kind.STR, Kind.ENUM) and right == bare(right):
            raise odd(fact, how, f"it is a text, and “{others[0].said}” is none")
        return f"{left} {_BOUNDS[how]} {self._value(fact, right)}", facts

    def _related(
        self, facts: tuple[SayableFact, ...], how: str, right: str
    ) -> tuple[str, tuple[SayableFact, ...]] | None:
        """A number beside a part or a multiple of another, a time beside another one or the present."""
        kind = facts[0].argument.type.kind
        if (ago := _AGO.fullmatch(right)) is not None:
            return self._ago(facts[0], how, ago)
        if kind in _MOMENTS and (apart := _APART.fullmatch(right)) is not None:
            return self._apart(facts[0], how, apart)
        if kind in _NUMBERS and (share := _SHARE.fullmatch(right)) is not None:
            return self._share(facts, how, share)
        if kind in _NUMBERS and (times := _TIMES.fullmatch(right)) is not None:
            return self._times(facts, how, times)
        return None

    def _share(
        self, facts: tuple[SayableFact, ...], how: str, share: re.Match[str]
    ) -> tuple[str, tuple[SayableFact, ...]]:
        """“is at least 97 % of” another number."""
        others = self._sum(share[2])
        if others is None or not _comparable(facts, others) or how not in _BOUNDS:
            raise odd(facts[0], how, "name a number behind the per cent")
        left = " + ".join(fact.argument.name for fact in facts)
        whole = " + ".join(fact.argument.name for fact in others)
        factor = literal(Decimal(share[1]) / 100)
        return f"{left} {_BOUNDS[how]} ({whole}) * {factor}", (*facts, *others)

    def _times(
        self, facts: tuple[SayableFact, ...], how: str, times: re.Match[str]
    ) -> tuple[str, tuple[SayableFact, ...]]:
        """“is at most 40 euros for each attendee”: a number multiplied by another."""
        other = self.fact(times[2])
        if other is None or other.argument.type.kind not in _NUMBERS or how not in _BOUNDS:
            raise odd(facts[0], how, "name a number behind “for each”")
        more = self._sum(times[3]) if times[3] else ()
        if more is None or any(fact.argument.type.kind not in _NUMBERS for fact in more):
            raise odd(facts[0], how, "name a number behind “plus”")
        left = " + ".join(fact.argument.name for fact in facts)
        factor = literal(_factor(times[1], (*facts, other, *more)))
        product = " + ".join((f"{other.argument.name} * {factor}", *(fact.argument.name for fact in more)))
        return f"{left} {_BOUNDS[how]} {product}", (*facts, other, *more)

    def _among(self, fact: SayableFact, how: str, right: str) -> tuple[str, tuple[SayableFact, ...]]:
        listed = self._set(right)
        if listed is None or fact.argument.type.kind not in (Kind.STR, Kind.ENUM):
            raise odd(fact, how, "name a list of texts behind it")
        return f"{fact.argument.name} {_BOUNDS[how]} {listed.argument.name}", (fact, listed)

    def _presence(self, fact: SayableFact, how: str) -> tuple[str, tuple[SayableFact, ...]]:
        name = fact.argument.name
        if fact.absent and fact.argument.type.optional:
            how_none, joint = ("is None", " or ") if _PRESENT[how] else ("is not None", " and ")
            return f"({joint.join(f'{place} {how_none}' for place in fact.absent)})", (fact,)
        if fact.argument.type.kind is Kind.SET:
            text = f"any(True for {name}_element in {name})"
            return (f"not {text}" if _PRESENT[how] else text), (fact,)
        if not fact.argument.type.optional:
            raise odd(fact, how, "it always has a value")
        return f"{name} is {'' if _PRESENT[how] else 'not '}None", (fact,)

    def _ago(self, fact: SayableFact, how: str, ago: re.Match[str]) -> tuple[str, tuple[SayableFact, ...]]:
        kind = fact.argument.type.kind
        now = self.fact("time of the call" if kind is Kind.DATETIME else "day of the call")
        if kind not in _MOMENTS or now is None or how not in _BOUNDS:
            raise odd(fact, how, "it is no time")
        past = f"timedelta({ago[2].lower()}s={ago[1]})"
        return f"{now.argument.name} - {fact.argument.name} {_BOUNDS[how]} {past}", (now, fact)

    def _apart(
        self, fact: SayableFact, how: str, apart: re.Match[str]
    ) -> tuple[str, tuple[SayableFact, ...]]:
        """“is at most 92 days after” another time."""
        other = self.fact(apart[4])
        if other is None or other.argument.type.kind is not fact.argument.type.kind or how not in _BOUNDS:
            raise odd(fact, how, f"name another time behind “{apart[3]}”")
        later, earlier = (fact, other) if apart[3].lower() == "after" else (other, fact)
        span = f"timedelta({apart[2].lower()}s={apart[1]})"
        return f"{later.argument.name} - {earlier.argument.name} {_BOUNDS[how]} {span}", (fact, other)

    def _elements(self, quantifier: str, fact: SayableFact, how: str, right: str) -> str:
        """“each X is one of”, “some X is”, “no X starts with” over a set."""
        name = fact.argument.name
        one = f"{name}_element"
        if how in TESTS:
            body = self.values.tests(fact, one, how, right)
        elif how in (*_LISTS, "is", "is not"):
            negated = how in ("is none of", "is not")
            other = self._sum(right)
            if other is not None and other[0].argument.type.kind is Kind.SET:
                raise odd(fact, how, "two lists cannot be compared")
            body = f"{one} {'not ' if negated else ''}in {{{self._values(fact, right)}}}"
        else:
            raise odd(fact, how, "its elements are texts")
        match quantifier:
            case "some" | "any":
                return f"any({body} for {one} in {name})"
            case "no":
                return f"not any({body} for {one} in {name})"
            case _:
                return f"all({body} for {one} in {name})"

    def _used(self, text: str) -> tuple[str, tuple[SayableFact, ...]] | None:
        """“it comes out”, “it is only counted or joined on”: what SQL does with a column."""
        fact = self.fact("way")
        if fact is None or fact.meaning != WAY or (ways := said_ways(text)) is None:
            return None
        return f"{fact.argument.name} {ways}", (fact,)

    def _values(self, fact: SayableFact, said: str) -> str:
        """The values of a list in words as literals; what programs are called together stands for each."""
        found: list[str] = []
        for part in parts(said):
            together = self.values.together(fact, part)
            found += [self._value(fact, part)] if together is None else [literal(one) for one in together]
        return ", ".join(found)

    def _value(self, fact: SayableFact, said: str) -> str:
        if said.strip() == bare(said) and _COMPARISON.search(f" {said} "):
            raise WorkbenchError(f"“{said}” is no value of “{fact.said}”: a part of it is not understood.")
        return self.values.value(fact, said)


def facts_with(declared: Iterable[Argument], facts: Sequence[SayableFact]) -> tuple[SayableFact, ...]:
    """The facts of the agent spec and those that it may get, without those that are there already.

    Where the agent spec takes a text for what the schema says is a number, both are there.
    """
    found: list[SayableFact] = []
    for argument in declared:
        said = argument.description if _is_name(argument.description) else argument.name.replace("_", " ")
        words = frozenset(stem(word) for word in split_words(f"{said} {argument.name}"))
        found.append(with_meaning(SayableFact(said, _source_of(argument), argument, (), words)))
    having = {called(fact.said): fact.tools for fact in facts}
    found = [replace(fact, tools=having.get(called(fact.said), ())) for fact in found]
    there = {(called(fact.said), fact.argument.type.kind) for fact in found}
    places = {place: fact.argument for fact in found if (place := _place(fact.argument)) is not None}
    facts = [_as_declared(fact, places) for fact in facts]
    new = [fact for fact in facts if (called(fact.said), fact.argument.type.kind) not in there]
    typed = {called(fact.said) for fact in new if fact.argument.type.kind is not Kind.STR}
    kept = [
        fact for fact in found if called(fact.said) not in typed or fact.argument.type.kind is not Kind.STR
    ]
    return (*kept, *new)


def _source_of(argument: Argument) -> FactSource:
    """Where the agent spec takes an argument from."""
    source = argument.extraction
    path = str(source.options.get("path", "")) if source is not None and source.method != "history" else ""
    if "$.arguments" in path or path == "$.tool":
        return FactSource.CALL
    return FactSource.CONTEXT if path.startswith("$.context") else FactSource.EARLIER_RESULT


def _place(argument: Argument) -> tuple[str, Kind] | None:
    """Where a value of the call stands as it is: its path and kind."""
    source = argument.extraction
    if source is None or source.method != "jsonpath" or source.options.keys() - _AS_IT_IS:
        return None
    path = str(source.options.get("path", ""))
    return (path, argument.type.kind) if path.startswith("$.arguments") else None


def _as_declared(fact: SayableFact, declared: Mapping[tuple[str, Kind], Argument]) -> SayableFact:
    """The fact by the argument of the agent spec that says it already, where there is one."""
    place = _place(fact.argument) if fact.source is FactSource.CALL else None
    known = declared.get(place) if place is not None else None
    if known is None or known.extraction is None or fact.argument.extraction is None:
        return fact
    elsewhere = fact.argument.extraction.options.keys() - known.extraction.options.keys() - {"tools"}
    same = not elsewhere and {*fact.argument.type.values} <= {*known.type.values}
    return replace(fact, argument=known) if same else fact


def _is_name(description: str) -> bool:
    return 0 < len(description) <= 100 and len(split_words(description)) > 2


def _comparable(left: tuple[SayableFact, ...], right: tuple[SayableFact, ...]) -> bool:
    kinds = {fact.argument.type.kind for fact in (*left, *right)}
    texts = {Kind.STR, Kind.ENUM}
    return len(kinds) == 1 or kinds <= set(_NUMBERS) or kinds <= texts


def _length(fact: SayableFact, how: str, right: str) -> str:
    found = _CHARACTERS.fullmatch(right)
    if found is None or fact.argument.type.kind is not Kind.STR:
        raise odd(fact, how, "say how many characters a text has")
    return f"len({fact.argument.name}) {_LENGTHS[how]} {found[1]}"


def _factor(said: str, facts: Sequence[SayableFact]) -> int | Decimal:
    """The number that a fact is multiplied by: a whole one where all beside it are whole."""
    number = Decimal(said.replace(",", ""))
    whole = all(fact.argument.type.kind is Kind.INT for fact in facts)
    return int(number) if whole and number == number.to_integral_value() else number

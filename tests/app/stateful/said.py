"""What was said to a session, and what that means for a call: the oracle of the stateful tests.

Nothing here reads a request, an answer or a policy. Each text that the tests put into a session comes with a
predicate that a reader of the text would agree to, so the model knows what was said without the author, the
dialect or the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.model import Value


@dataclass(frozen=True, slots=True)
class DeskCall:
    """One logged call: the tool, its amount (None where the tool has none), and what the log knows beside."""

    tool: str
    amount: int | None
    role: str
    checked: bool


type Fact = tuple[str, Value]
type Forbids = Callable[[DeskCall], bool]


class Must(StrEnum):
    """What was said about a call."""

    DENY = "deny"
    ALLOW = "allow"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in words or rules, with the calls that it forbids; ``value`` is what a person enters.

    ``by_rule`` says that the value is a rule in the dialect, which a change of the agent spec can invalidate;
    ``damaged`` that its stored text was made one that the program refuses; ``kept`` that it outlives its
    sentence.
    """

    value: str
    forbids: Forbids
    by_rule: bool = False
    damaged: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class DeskSentence:
    """A sentence of a request: the calls that it forbids as it is, or the answers to its one question."""

    text: str
    forbids: Forbids | None = None
    answers: tuple[Answer, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether only an answer says what the sentence means."""
        return self.forbids is None


def nothing(_call: DeskCall) -> bool:
    """No call is forbidden."""
    return False


@dataclass(frozen=True, slots=True)
class Said:
    """All that stands: sentences of the request, answers about them, rules built and rules written by hand.

    ``answers`` has the answer to each sentence that asks. ``rules`` has the rules that were built or written
    into the policy, by name. ``claims`` has the clauses that a person wrote into the contract, by name, and
    ``cases`` what a person expects of a call with some facts. ``otherwise`` is said about all other calls;
    None if nothing is.

    ``carried`` says whether the program had the chance to carry all of this into the policy: false after an
    edit that it did not make itself, until the next draft. ``touched`` says that a person changed what the
    program wrote, so that the policy may lack what was said for as long as the program says so.
    ``optional`` says that the desk's flag is optional, so that rules about it are refused. ``robbed`` says
    that another program removed the accepted version, which nobody took back.
    """

    sentences: tuple[DeskSentence, ...]
    answers: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    rules: Mapping[str, Forbids] = field(default_factory=dict[str, Forbids])
    claims: Mapping[str, Forbids] = field(default_factory=dict[str, Forbids])
    cases: Mapping[frozenset[Fact], Must] = field(default_factory=dict[frozenset[Fact], Must])
    otherwise: Must | None = Must.ALLOW
    carried: bool = True
    touched: bool = False
    optional: bool = False
    robbed: bool = False

    @property
    def followed(self) -> bool:
        """Whether the program had the chance to carry all of this, and nothing keeps it from doing so."""
        refused = any(
            answer.damaged or (answer.by_rule and self.optional) for answer in self.standing_answers.values()
        )
        return self.carried and not self.touched and not refused and not (self.optional and self.rules)

    @property
    def content(self) -> object:
        """A value that is equal where the same was said, in whatever order of acts."""
        answers = {text: answer.value for text, answer in self.standing_answers.items()}
        return (frozenset(s.text for s in self.sentences), frozenset(answers.items()), frozenset(self.rules))

    @property
    def standing_answers(self) -> Mapping[str, Answer]:
        """The answers about sentences that the request has."""
        texts = {sentence.text for sentence in self.sentences}
        return {text: answer for text, answer in self.answers.items() if text in texts}

    @property
    def unanswered(self) -> tuple[DeskSentence, ...]:
        """The sentences whose meaning only an answer could say, and that have none."""
        return tuple(
            sentence for sentence in self.sentences if sentence.asks and sentence.text not in self.answers
        )

    def unclear(self, calls: Sequence[DeskCall]) -> tuple[DeskSentence, ...]:
        """The unanswered sentences whose answers differ on one of these calls, so that they must be asked."""
        return tuple(
            sentence
            for sentence in self.unanswered
            if len({self._musts_with(sentence, answer, calls) for answer in sentence.answers}) > 1
        )

    def _musts_with(
        self, sentence: DeskSentence, answer: Answer, calls: Sequence[DeskCall]
    ) -> tuple[bool, ...]:
        said = self.answered(sentence.text, answer)
        return tuple(said.must(call) is Must.DENY for call in calls)

    def given_by_a_person(self) -> tuple[Forbids, ...]:
        """What standing answers and a person's own rules forbid."""
        return (*(answer.forbids for answer in self.standing_answers.values()), *self.rules.values())

    def must(self, call: DeskCall) -> Must:
        """What was said about a call."""
        clear = (sentence.forbids for sentence in self.sentences if sentence.forbids is not None)
        if any(forbids(call) for forbids in (*clear, *self.given_by_a_person())):
            return Must.DENY
        return Must.OPEN if self.unanswered or self.otherwise is None else self.otherwise

    def decisive_answers(self, call: DeskCall) -> tuple[str, ...]:
        """The sentences without whose answers a call that was forbidden would not have been."""
        return tuple(
            text
            for text, answer in self.standing_answers.items()
            if answer.forbids(call) and self.retracted(text).must(call) is not Must.DENY
        )

    # --- acts -----------------------------------------------------------------------

    def answered(self, text: str, answer: Answer) -> Said:
        """With an answer about a sentence, in place of an earlier one."""
        unread = any(s.text == text and any(a.by_rule for a in s.answers) for s in self.sentences)
        return replace(self, answers={**self.answers, text: replace(answer, kept=unread)})

    def retracted(self, text: str) -> Said:
        """Without the answer about a sentence."""
        return replace(self, answers={name: item for name, item in self.answers.items() if name != text})

    def requested(self, sentences: tuple[DeskSentence, ...]) -> Said:
        """With another request."""
        return replace(self, sentences=sentences)

    def ruled(self, name: str, forbids: Forbids) -> Said:
        """With one more rule of a person."""
        return replace(self, rules={**self.rules, name: forbids})

    def claimed(self, name: str, forbids: Forbids) -> Said:
        """With one more clause of a person."""
        return replace(self, claims={**self.claims, name: forbids})

    def expected(self, facts: frozenset[Fact], must: Must) -> Said:
        """With one more case of a person."""
        return replace(self, cases={**self.cases, facts: must})

    def drafted(self, *, discarding: bool = False) -> Said:
        """After a draft: what was said is carried, and answers about sentences that are gone are dropped.

        What a person said of a sentence that is not read is kept for the day on which its words come back.
        ``discarding`` gives up what a person changed in the policy.
        """
        kept_answers = {text: answer for text, answer in self.answers.items() if answer.kept}
        kept = replace(self, answers={**kept_answers, **self.standing_answers}, carried=True)
        return replace(kept, rules={}, claims={}, touched=False) if discarding else kept

    def outside(self) -> Said:
        """After an edit by another program, which is not carried yet."""
        return replace(self, carried=False)

    def both(self, other: Said) -> Said:
        """What stands in both: all that can be said of a moment between two acts of one change."""
        return replace(
            self,
            sentences=tuple(sentence for sentence in self.sentences if sentence in other.sentences),
            answers={text: a for text, a in self.answers.items() if other.answers.get(text) == a},
            rules={name: rule for name, rule in self.rules.items() if name in other.rules},
            claims={name: claim for name, claim in self.claims.items() if name in other.claims},
            cases={facts: must for facts, must in self.cases.items() if other.cases.get(facts) is must},
            otherwise=None,
            carried=False,
            touched=self.touched or other.touched,
            robbed=False,
        )

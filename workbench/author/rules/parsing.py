"""Parsing: a pure function from a text, a vocabulary and answers to a reading and its open doubts.

It asks no question. If a text is ambiguous, reading continues under the given answer, or else under the
default. The returned doubts describe these places. To try another answer, parse again with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from workbench.author.rules.answers import Answers
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.counting_arguments import CountingArguments
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.norm_builder import Default, StatementNorms
from workbench.author.rules.phrase_conditions import Phrases
from workbench.author.rules.sentence_doubts import SentenceDoubts
from workbench.author.rules.sentence_reading import SentenceReader
from workbench.author.rules.statement_reading import StatementReader
from workbench.author.rules.tool_scope import check_calls_have_it
from workbench.model import AgentSpec, Doubt, Span

# Reading takes more than linear time in a sentence, and no real sentence has this length.
LONGEST_SENTENCE = 2_000


@dataclass(frozen=True, slots=True)
class Parsed[R]:
    """A reading and its open doubts, under the answers that were ``consulted``.

    ``mentioned`` are the arguments of readings that are still undecided.
    """

    reading: R
    doubts: tuple[Doubt, ...]
    consulted: Mapping[str, str | None]
    mentioned: tuple[str, ...]


@dataclass(slots=True)
class Parsing:
    """The lexicon and answers with which the parts of one text are read, for one call of ``parse``.

    ``about`` identifies the text in the ids of its doubts.
    """

    spec: AgentSpec
    lexicon: Lexicon
    answers: Answers
    about: str
    mentioned: list[str] = field(default_factory=list[str])

    def doubts(self, requirement: str, text: str, span: Span) -> SentenceDoubts:
        """The doubts that decide between the readings of an ambiguous text."""
        return SentenceDoubts(self.about, requirement, text, span, self.lexicon, self.answers, self.mentioned)

    def phrases(self, requirement: str, text: str, span: Span) -> Phrases:
        """The reader of the phrases of a text; raises UnreadableError if the text is too long."""
        if len(text) > LONGEST_SENTENCE:
            raise UnreadableError(
                f"it has {len(text):,} characters, and one of more than {LONGEST_SENTENCE:,} is not read: "
                "say it in several sentences"
            )
        return Phrases(self.lexicon, self.doubts(requirement, text, span))

    def sentence(self, text: str, requirement: str, span: Span, topic: str = "") -> StatementNorms:
        """The norms of a sentence, with its open bounds left open; raises UnreadableError."""
        phrases, doubts = self.phrases(requirement, text, span), self.doubts(requirement, text, span)
        statements = StatementReader(self.lexicon, phrases, CountingArguments(self.lexicon), doubts)
        reading = SentenceReader(self.lexicon, doubts, statements).read(text, requirement, topic)
        for norm in () if isinstance(reading, Default) else reading:
            check_calls_have_it(norm, self.lexicon, self.spec)
        return reading

    def bounded_sentence(self, text: str, requirement: str, span: Span, topic: str = "") -> StatementNorms:
        """The norms of a sentence with its open bounds decided; raises UnreadableError."""
        reading = self.sentence(text, requirement, span, topic)
        if isinstance(reading, Default):
            return reading
        doubts = self.doubts(requirement, text, span)
        return tuple(doubts.bounded(norm) for norm in reading)


def parse[R](
    read: Callable[[Parsing], R], spec: AgentSpec, lexicon: Lexicon, answers: Mapping[str, str], about: str
) -> Parsed[R]:
    """The result of ``read`` with an agent's vocabulary; ``about`` identifies the text in ids of doubts.

    Raises UnreadableError with the answers that were consulted until then.
    """
    parsing = Parsing(spec, replace(lexicon), Answers(answers), about)
    try:
        reading = read(parsing)
    except UnreadableError as error:
        error.consulted = parsing.answers.consulted
        raise
    doubt_answers = parsing.answers
    return Parsed(
        reading,
        tuple(doubt_answers.doubts.values()),
        doubt_answers.consulted,
        tuple(parsing.mentioned),
    )

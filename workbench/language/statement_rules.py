"""Rules about the statements of a database that a sentence states, over the parts of the SQL of a tool.

"The database may only be read" names no parameter: it is about the kinds of the statements that a tool runs.
Nothing here parses English: what is done is known by the words of ``statement_speech.toml``, tables and
columns by the word "table" or "column" beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from workbench.dialect.call_fields import CallType
from workbench.language.command_rules import SaidRule, SaidRules
from workbench.language.command_speech import CommandSpeech, Form, among, set_of
from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.stems import stem
from workbench.language.foreign.tokens import ForeignWord
from workbench.model import Kind
from workbench.runs.values.data_file import read_data

_FILE = read_data(__name__, "statement_speech.toml")
_FILE.check_keys("about", "actions", "kinds", "phrases")
_KINDS = _FILE.table("kinds").texts_by_key()
_READING = set_of(_KINDS["read"])


def _stems(table: str) -> Mapping[str, frozenset[str]]:
    by_key = _FILE.table(table).texts_by_key()
    return {key: frozenset(map(stem, words)) for key, words in by_key.items()}


_ACTIONS = _stems("actions")
_ABOUT = _stems("about")
_DONE = frozenset[str]().union(*_ACTIONS.values())
_KNOWN = _DONE.union(*_ABOUT.values())
_PHRASES = {
    key: re.compile("|".join(texts), re.IGNORECASE)
    for key, texts in _FILE.table("phrases").texts_by_key().items()
}
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TABLES = frozenset((stem("table"),))
_COLUMNS = frozenset((stem("column"),))
_ROWS = frozenset((stem("row"), stem("record"), stem("limit")))
_LISTING = frozenset((",", "and", "or", "nor"))
_OF_ROWS = frozenset(("update", "delete"))
"""The kinds of statements that change the rows for which a condition holds."""
_NOUNS = frozenset(("query", "queries"))
_TO_QUERY = frozenset(("may", "must", "can", "to", "not", "never", "only", "and", "or"))
"""What stands before "query" where it is what is done."""
_BEFORE = frozenset((
    "the", "a", "an", "any", "no", "every", "each", "our", "this", "that", "these", "in", "of", "all",
    "other", "into", "from", "to",
))  # fmt: skip
_WORTH = 0.9


class StatementRules:
    """Finds rules about what the SQL of a tool reads and changes."""

    def __init__(self, calls: Iterable[CallType]) -> None:
        self._fields = [
            (call, one) for call in calls for one in call.fields
            if one.kind == "sql" and one.type.kind not in (Kind.LIST, Kind.SET)
        ]  # fmt: skip

    def of(self, sentence: ForeignSentence) -> Iterator[SaidRule]:
        """The rules of a sentence; none for an agent that runs no SQL, and none if it has conditions."""
        if not self._fields:
            return
        said = _StatementSpeech(sentence)
        if not said.is_about_statements or said.has_conditions or said.form is None:
            return
        rules = SaidRules(said.form, sentence)
        for call, one in self._fields:
            missing = f"call.{one.name} is not None and " if one.type.optional else ""
            has_schemas = one.options.get("dialect", "sqlite") != "sqlite"
            for condition in said.bad(f"call.{one.name}", has_schemas=has_schemas):
                yield from rules.refusing(f"{missing}({condition})", said.numbers, (call.name,), _WORTH)
            for condition in said.good(f"call.{one.name}"):
                yield from rules.wanting(f"{missing}({condition})", said.numbers, (call.name,), _WORTH)


class _StatementSpeech:
    """What a sentence says of statements, tables and columns."""

    def __init__(self, sentence: ForeignSentence) -> None:
        self._sentence = sentence
        self._text = sentence.text

    @cached_property
    def is_about_statements(self) -> bool:
        """Whether it speaks of a database, and says what is done there or names a part of it."""
        statement = any(word.text.isupper() and _is(word, _DONE) for word in self._sentence.words)
        about = statement or any(_is(word, _ABOUT["words"]) for word in self._sentence.words)
        says = self._reads_alone or self._actions or self._tables or self._columns
        return about and (bool(says) or self._most is not None)

    @cached_property
    def has_conditions(self) -> bool:
        """Whether it holds in some cases only; a missing WHERE is none of them."""
        text = self._text
        for name in ("without_where", "reading_alone"):
            text = _PHRASES[name].sub("", text)
        cued = any(
            one.cue in (Cue.IF, Cue.UNLESS) and self._sentence.words[one.first].text in text.split()
            for one in self._sentence.cues
        )
        is_of_approval = self.form is Form.ASK
        return (cued and not is_of_approval) or _PHRASES["sparing"].search(text) is not None

    @cached_property
    def form(self) -> Form | None:
        """What it does; nothing if it leaves something open and has words of which nothing is known."""
        if self._sentence.has(Cue.NO_ASK):
            return None
        form = CommandSpeech(self._sentence, "").form
        if form is not Form.ASK and self._reads_alone:
            form = Form.ONLY
        elif form is not None and _PHRASES["but_not"].search(self._text):
            form = Form.FORBID
        is_said = {word.number for word in self._sentence.content} <= self.numbers
        named = (
            self._closed != frozenset(("read",)) or self._tables or self._columns or self._most is not None
        )
        closes = form in (Form.FORBID, Form.ASK) and bool(named)
        return form if is_said or closes or self._reads_alone else None

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The numbers of the words that say something of statements."""
        named = {word.number for word in (*self._tables, *self._columns)}
        spans = [found.span() for one in _PHRASES.values() for found in one.finditer(self._text)]
        words = {
            word.number for word in self._sentence.words
            if _is(word, _KNOWN) or any(start <= word.start < end for start, end in spans)
        }  # fmt: skip
        most = [number for one in self._sentence.comparisons for number in range(one.first, one.after)]
        counted = (*self._sentence.numbers, *most) if self._most is not None else ()
        return frozenset((*words, *named, *counted)) | self._sentence.negations

    def good(self, query: str) -> Iterator[str]:
        """What alone is open."""
        if self.form not in (Form.ONLY, Form.PERMIT) or self._leaves_reading_of_tables or self._columns:
            return
        if self._actions == frozenset(("read",)) or self._reads_alone:
            names = _texts(self._tables)
            tables = f" and {query}.reads <= {set_of(names)}" if names else ""
            yield f"{query}.kinds <= {_READING}{tables}"

    def bad(self, query: str, *, has_schemas: bool) -> Iterator[str]:
        """What is closed, or left to a person; with schemas a table is meant in each of them."""
        if self._leaves_reading_of_tables:
            yield self._among_tables(f"{query}.writes", has_schemas)
        if self.form not in (Form.FORBID, Form.ASK):
            return
        if self._most is not None:
            yield f"'select' in {query}.kinds and ({query}.limit is None or {query}.limit > {self._most})"
        elif self._columns:
            yield self._of_columns(query)
        elif self._tables:
            yield self._of_tables(query, has_schemas)
        elif _PHRASES["without_where"].search(self._text):
            kinds = (self._actions & _OF_ROWS) or _OF_ROWS
            limited = f"any(c.table == t for c in {query}.conditions)"  # another statement's are none of it
            unlimited = f"any(not {limited} for t in {query}.writes)"
            yield f"{among(sorted(kinds), f'{query}.kinds')} and {unlimited}"
        elif self._closed:
            yield self._of_kinds(query)

    def _of_kinds(self, query: str) -> str:
        """That a statement is of a kind that is closed."""
        if "change" in self._closed:
            writing = f"not {query}.kinds <= {_READING}"
            return "True" if "read" in self._closed else writing
        kinds = dict.fromkeys(kind for action in sorted(self._closed) for kind in _KINDS[action])
        return among(tuple(kinds), f"{query}.kinds")

    def _of_tables(self, query: str, has_schemas: bool) -> str:
        """That a table is read or changed, as far as that is closed."""
        closed = self._closed or {"read", "change"}
        read, changed = (self._among_tables(f"{query}.{part}", has_schemas) for part in ("reads", "writes"))
        if closed <= {"read"}:
            return read
        if "read" in closed:
            return f"{read} or {changed}"
        return changed if "change" in closed else f"{self._of_kinds(query)} and {changed}"

    def _among_tables(self, tables: str, has_schemas: bool) -> str:
        names = _texts(self._tables)
        if not has_schemas:
            return among(names, tables)
        same = " or ".join(f"t == {name!r} or t.endswith({'.' + name!r})" for name in names)
        return f"any({same} for t in {tables})"

    def _of_columns(self, query: str) -> str:
        """That a column is read; all columns of a table that is not declared count as it."""
        names = _texts(self._columns)
        same = f"u.column == {names[0]!r}" if len(names) == 1 else f"u.column in {set_of(names)}"
        tables = _texts(self._tables)
        own = f"u.table in {set_of(tables)} and " if tables else ""
        return f"any({own}({same} or u.column == '*' and u.way == 'plain') for u in {query}.uses)"

    @cached_property
    def _reads_alone(self) -> bool:
        return _PHRASES["reading_alone"].search(self._text) is not None

    @cached_property
    def _leaves_reading_of_tables(self) -> bool:
        """Whether tables that are named before may only be read: "the orders table may only be read"."""
        found = _PHRASES["reading_alone"].search(self._text)
        return found is not None and bool(self._tables) and self._tables[-1].start < found.start()

    @cached_property
    def _actions(self) -> frozenset[str]:
        return self._done_in(self._sentence.words)

    @cached_property
    def _closed(self) -> frozenset[str]:
        """What is done that is closed: after "but never" alone, where something is open before it."""
        found = _PHRASES["but_not"].search(self._text)
        if found is None:
            return self._actions
        after = self._done_in(word for word in self._sentence.words if word.start >= found.start())
        return after or self._actions

    def _done_in(self, words: Iterable[ForeignWord]) -> frozenset[str]:
        stems = {word.stem for word in words if word.low not in _NOUNS or self._is_to_query(word)}
        return frozenset(action for action, own in _ACTIONS.items() if own & stems)

    def _is_to_query(self, word: ForeignWord) -> bool:
        return word.number > 0 and self._sentence.words[word.number - 1].low in _TO_QUERY

    @cached_property
    def _tables(self) -> Sequence[ForeignWord]:
        return self._named_beside(_TABLES)

    @cached_property
    def _columns(self) -> Sequence[ForeignWord]:
        return self._named_beside(_COLUMNS)

    def _named_beside(self, stems: frozenset[str]) -> Sequence[ForeignWord]:
        """The names of a list before a word, or after it: "the users and orders tables", "column ssn"."""
        words = self._sentence.words
        for at, word in enumerate(words):
            if word.stem in stems:
                found = [*self._names(reversed(words[:at]))][::-1] or [*self._names(words[at + 1 :])]
                if found:
                    return found
        return ()

    def _names(self, words: Iterable[ForeignWord]) -> Iterator[ForeignWord]:
        """The names of the list that begins here."""
        between = True
        for word in words:
            if word.low in _LISTING:
                between = True
            elif between and self._is_name(word):
                between = False
                yield word
            else:
                return

    def _is_name(self, word: ForeignWord) -> bool:
        text = _text(word)
        quoted = text != word.text
        cued = any(one.first <= word.number < one.after for one in self._sentence.cues)
        plain = not _is(word, _KNOWN) and not cued and word.low not in _BEFORE
        return _NAME.fullmatch(text) is not None and (quoted or plain)

    @cached_property
    def _most(self) -> int | None:
        """The most rows that are given."""
        speech = CommandSpeech(self._sentence, "")
        return speech.most if speech.has(_ROWS) and self._actions <= {"read"} else None


def _is(word: ForeignWord, stems: frozenset[str]) -> bool:
    return word.stem in stems or word.low in stems


def _text(word: ForeignWord) -> str:
    return word.literal if isinstance(word.literal, str) else word.text


def _texts(words: Iterable[ForeignWord]) -> tuple[str, ...]:
    """The names as the reader of SQL gives them: in small letters."""
    return tuple(dict.fromkeys(_text(word).lower() for word in words))

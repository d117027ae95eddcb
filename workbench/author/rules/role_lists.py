"""Role tables, tool lists and lists of sentences, each under its lead-in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.author.argument_terms import any_of, elements, names
from workbench.author.doubts import UNDECIDED
from workbench.author.request_text import Block, BlockKind, plain, sentences
from workbench.author.rules import author_doubts
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.context_reasons import LEAD_IN
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.parsing import Parsing
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.request_blocks import DANGLING, LeadIn, Rows
from workbench.author.rules.request_reading import RequestReading
from workbench.author.rules.sentences import parse_chunk, parse_sentence
from workbench.author.rules.tables import (
    NamedColumns,
    RoleRows,
    read_group,
    read_line,
    read_rows,
    role_argument,
    set_argument,
)
from workbench.likeness import corrected, near_words
from workbench.model import SentenceRole, Span
from workbench.policy.connectives import TRUE
from workbench.policy.terms import (
    Quantifier,
    Term,
)

_ALLOW_LEAD = re.compile(
    r"\b(allowed|permitted|approved|may (only )?use|can use|allow-?list|whitelist)\b", re.I
)
_DENY_LEAD = re.compile(
    r"\b(forbidden|denied|prohibited|disallowed|blocked|banned|not (be )?(allowed|permitted|used?)|"
    r"must not|may not|cannot|never|deny-?list|blacklist|block-?list|not allowed)\b",
    re.I,
)


_FORBIDS_OR_PERMITS = frozenset(["forbid", "forbid_imperative", "permit"])
_REVERSES = frozenset(["NOT", "NO", "WITHOUT", "OUTSIDE"])


def _distributes(lead: str) -> bool:
    """Whether a lead-in applies to each item alone: it only forbids or permits, without a restriction."""
    skeletons = parse_sentence(f"{lead} it")
    if len(skeletons) != 1 or skeletons[0].form not in _FORBIDS_OR_PERMITS:
        return False
    words = [word for chunk in skeletons[0].chunks for word in chunk]
    return not (
        skeletons[0].condition or skeletons[0].exception or any(word.kind in _REVERSES for word in words)
    )


@dataclass(slots=True)
class ListReader:
    """Reads the lists and tables of one request."""

    draft: RequestReading

    def rows(self, rows: Rows) -> None:
        """Read a Markdown table."""
        rows_of_roles = read_rows(self.draft.lexicon, rows)
        if rows_of_roles:
            self.draft.note(rows.rows[0].span, SentenceRole.CONTEXT, why=LEAD_IN)
            for row in rows_of_roles:
                self._role_rows(row)
            return
        for row in rows.rows:
            self.draft.plain_sentence(row.text.strip("|").strip(), row.span)

    def line(self, text: str, span: Span) -> bool:
        """Read a line of a role table; False if it is something else."""
        row = read_line(self.draft.lexicon, text, span)
        if row is None:
            return False
        self._role_rows(row)
        return True

    def group(self, group: LeadIn) -> None:
        """Read a lead-in with its entries."""
        if not group.entries:
            self.draft.note(group.lead.span, SentenceRole.CONTEXT, why=LEAD_IN)
        elif group.goes_on:
            self._nested(group)
        elif rows := read_group(self.draft.lexicon, group):
            self._role_rows(rows)
        elif not self._tool_list(group):
            self._listed(group)

    def _tool_list(self, group: LeadIn) -> bool:
        """Read “Allowed tools:” with tool names under it; False if it is something else."""
        denied, allowed = _DENY_LEAD.search(group.lead.text), _ALLOW_LEAD.search(group.lead.text)
        action = self.draft.lexicon.action()
        if action is None or not (denied or allowed) or DANGLING.search(group.lead.text.rstrip(": ")):
            return False
        listed = [(entry, self._action_of(entry, action.name)) for entry in group.entries]
        known_entries = [(entry, condition) for entry, condition in listed if condition is not None]
        if not known_entries:
            return False
        lead = group.lead.text.rstrip(":")
        condition = any_of(*(term for _entry, term in known_entries))
        text = f"{lead}: {', '.join(entry.text for entry, _condition in known_entries)}"
        span = Span(group.lead.span.start, known_entries[-1][0].span.end, group.lead.span.line)
        requirement = self.draft.next_id()
        norm = (
            Norm(requirement, Effect.FORBID, condition, TRUE, text)
            if denied
            else Norm(requirement, Effect.REQUIRE, TRUE, condition, text)
        )
        self.draft.require(text, span, (norm,), len(self.draft.doubt_answers.doubts))
        self.draft.note(group.lead.span, SentenceRole.REQUIREMENT, requirement)
        for entry, action_condition in listed:
            if action_condition is not None:
                self.draft.note(entry.span, SentenceRole.REQUIREMENT, requirement)
            else:
                self.draft.plain_sentence(f"{lead}: {entry.text}", entry.span)
        return True

    def _action_of(self, entry: Block, action: str) -> Term | None:
        """The action that an item names; the text after a colon or dash explains it."""
        chunk = parse_chunk(re.split(r"\s[:–—-]\s|:\s", entry.text)[0])
        try:
            condition = Phrases(self.draft.lexicon).read(chunk, Position.ACTION) if chunk else TRUE
        except UnreadableError:
            return None
        return condition if set(names(condition)) == {action} else None

    def _listed(self, group: LeadIn) -> None:
        """Read items that are sentences, or that complete their lead-in.

        An item under a lead-in that allows or denies is read with it, so that none is lost.
        """
        lead = group.lead.text.rstrip(":").strip()
        heading = group.lead.kind is BlockKind.HEADING
        binding = bool(_ALLOW_LEAD.search(lead) or _DENY_LEAD.search(lead) or DANGLING.search(lead))
        if heading or not binding:
            self.draft.plain_sentence(lead, group.lead.span, heading=True)
        else:
            self.draft.note(group.lead.span, SentenceRole.CONTEXT, why=LEAD_IN)
        if binding:
            self._completing(group)
            return
        for entry in group.entries:
            self._sentences_of(entry)

    def _completing(self, group: LeadIn) -> None:
        """Read items that complete their lead-in, and items that are sentences of their own."""
        lead = group.lead.text.rstrip(":").strip()
        for entry in group.entries:
            if parse_sentence(entry.text):
                self._sentences_of(entry)
                continue
            whole = f"{lead} {entry.text[0].lower()}{entry.text[1:]}"
            self.draft.plain_sentence(whole if parse_sentence(whole) else f"{lead}: {entry.text}", entry.span)

    def _nested(self, group: LeadIn) -> None:
        """Read the items of nested lists; ask if their combination is unclear: “except in: …”."""
        if _distributes(group.lead.text.rstrip(": ")):
            self._completing(group)
            return
        error = UnreadableError("it is open how the items go together that its lead-in leads in")
        for entry in group.entries:
            if not self.draft.reworded(entry.span):
                self.draft.ask_about(self.draft.quote(entry.span), entry.text, entry.span, error)

    def _sentences_of(self, entry: Block) -> None:
        for span in sentences(self.draft.request, entry.span):
            self.draft.plain_sentence(plain(self.draft.quote(span)), span)

    def _role_rows(self, rows: RoleRows) -> None:
        """Add the elements that one role may read as a norm."""
        role, held = role_argument(self.draft.lexicon), set_argument(self.draft.lexicon)
        if role is None or held is None:
            return
        mark = len(self.draft.doubt_answers.doubts)
        requirement = self.draft.next_id()
        try:
            scope, listed = self.draft.settled(
                lambda parsing: self._parsed_rows(parsing, requirement, rows), rows.span
            )
        except UnreadableError as error:
            self._unread_rows(rows, error)
            return
        self.draft.verb = self.draft.verb or rows.verb
        text = f"{rows.role} may {rows.verb or 'use'} only: {', '.join(listed)}"
        message = f"{rows.role} may {rows.verb or 'use'} only what is listed for that role."
        norm = Norm(requirement, Effect.REQUIRE, scope, elements(held, Quantifier.ALL, *listed), message)
        self.draft.tables.append(requirement)
        self.draft.note(rows.span, SentenceRole.REQUIREMENT, requirement)
        self.draft.require(text, rows.span, (norm,), mark)

    def _parsed_rows(
        self, parsing: Parsing, requirement: str, rows: RoleRows
    ) -> tuple[Term, tuple[str, ...]]:
        """The role of the rows as a condition, and the elements listed; raises UnreadableError."""
        chunk = parse_chunk(rows.role)
        if chunk is None:
            raise UnreadableError(f"“{rows.role}” is no role")
        phrases = parsing.phrases(requirement, rows.lead.text, rows.lead.span)
        scope = phrases.read(chunk, Position.SUBJECT, denying=False)
        values = (value for cell in rows.cells for value in self._cell_values(cell, parsing))
        return scope, tuple(dict.fromkeys(values))

    def _unread_rows(self, rows: RoleRows, error: UnreadableError) -> None:
        mark, quote = len(self.draft.doubt_answers.doubts), self.draft.quote(rows.span)
        answer = self.draft.doubt_answers.ask(self.draft.trouble(quote, rows.span, error))
        if not self.draft.settle(answer, plain(quote), rows.span, mark):
            self.draft.note(rows.span, SentenceRole.OPEN)

    def _cell_values(self, cell: NamedColumns, parsing: Parsing) -> list[str]:
        """The elements that a cell lists, in the agent's own words; similar words cause questions."""
        schema = parsing.lexicon.schema
        if not schema:
            return [f"{cell.table}.{column}" for column in cell.columns]
        table = self._near_name(cell.table, tuple(schema), "database", cell, parsing)
        if table is None:
            return []
        if cell.every:
            return [f"{table}.{column}" for column in schema[table]]
        columns = [
            self._near_name(column, schema[table], f"column of {table}", cell, parsing)
            for column in cell.columns
        ]
        return [f"{table}.{column}" for column in columns if column is not None]

    def _near_name(
        self, word: str, known_names: tuple[str, ...], of: str, cell: NamedColumns, parsing: Parsing
    ) -> str | None:
        exact = {name.lower(): name for name in known_names}.get(word.lower().replace(" ", ""))
        if exact is not None:
            return exact
        near = near_words(word, known_names)
        if not near:
            raise UnreadableError(f"“{word}” is no {of}", word, "undefined")
        question = author_doubts.vocabulary(
            word, near, of, plain(self.draft.quote(cell.span)), cell.span, denying=False
        )
        answer = parsing.answers.to(question)
        return None if answer in (author_doubts.DIFFERENT, UNDECIDED) else corrected(answer, known_names)

"""Notes proposed on the parameters of tools, by schema, name, description and the values in the calls.

Kinds of values proposed for texts: by the schema's format, by the name, by the values in the calls.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.clean_text import counted, listed
from workbench.dialect.call_fields import CallField
from workbench.dialect.call_types import class_name
from workbench.dialect.schema_fields import fields_of_tool
from workbench.model import FieldNote, Json, Kind, Proposal, RecordedCall, Tool
from workbench.runs.extract.propose import name_of, take_name
from workbench.runs.kinds.kinds_by_name import KINDS, UNDECLARED_DIALECT
from workbench.runs.kinds.value_kind import ValueKind
from workbench.runs.proposals.proposed_names import field_name, is_id, singular
from workbench.runs.proposals.result_shapes import names_no_zone, type_of_numerals
from workbench.runs.values.coerce import shown
from workbench.runs.values.found_value import Missing
from workbench.runs.values.name_words import (
    FILES,
    NAMED_ALONE,
    NAMED_WHOLE,
    NAMED_WITH_VALUES,
    RECIPIENTS,
    is_money,
)
from workbench.runs.values.schema_kinds import TEXT_FORMATS
from workbench.runs.values.zones import ISO_DATE

_MOST_VALUES = 2_000
_FEWEST = 3
_SECRET = re.compile(r"(^|_)(password|passphrase|secret|token|api_key|pin)$")
_SAYS_DATE = re.compile(r"\bYYYY-MM-DD\b(?!T|[ T]HH)")
_SAYS_TIME = re.compile(r"\bISO[- ]?8601\b|\bYYYY-MM-DD[T ]HH|\bISO (date-?)?time\b", re.IGNORECASE)
_WHICH = (
    r"(?:(?:an?|the|its|one|each|list|of|plain|bare|full|absolute|relative"
    r"|new|old|current|source|destination|target|output)\s+)*"
)
_ENDED = r"\b(?= (?:of|to|on|in|for|from|that|which) | ?[.,;:(]|$)"  # an "e-mail address book" is no address
_SAYS_KIND = {
    "mail_address": re.compile(_WHICH + r"(?:e-?)?mail address(?:es)?" + _ENDED, re.IGNORECASE),
    "path": re.compile(_WHICH + r"(?:file )?paths?" + _ENDED, re.IGNORECASE),
    "url": re.compile(_WHICH + r"urls?" + _ENDED, re.IGNORECASE),
}
_FORMS: Mapping[tuple[bool, ...], str] = {
    (True, False): "caseless",
    (False, True): "trimmed",
    (True, True): "plain",
}
_BLANKS = r"(?:blanks?|spaces?|white\s?spaces?)"
_AT_ENDS = r"(?:surrounding|leading|trailing|outer)(?:\s*(?:and|or|/)\s*trailing)?"
_SAYS_CASELESS = re.compile(
    r"(?<!not )\bcase[- ]?insensitiv(?:e|ely)\b"
    r"|\bcase\s+(?:is\s+ignored|(?:does\s+not|doesn't)\s+(?:matter|count))"
    r"|\b(?:ignor(?:es?|ing)|regardless\s+of|irrespective\s+of)\s+(?:upper\s+and\s+lower\s+|letter\s+)?case\b",
    re.IGNORECASE,
)
_SAYS_TRIMMED = re.compile(
    rf"\b{_AT_ENDS}\s+{_BLANKS}\s+(?:(?:is|are|gets?)\s+)?(?:ignored|removed|stripped|trimmed)\b"
    rf"|\b(?:ignor(?:es?|ing)|strips?|trims?|stripping|trimming)\s+{_AT_ENDS}\s+{_BLANKS}",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.;]\s")
_PLAIN_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,10})?")
_MOST_READ = 2_000


_ACCOUNT = re.compile(r"(^|_)iban$", re.IGNORECASE)
_IBAN = re.compile(r"[A-Za-z]{2}\d{2}[A-Za-z0-9 ]{8,32}")


def is_account_number(name: str, texts: Sequence[str]) -> bool:
    """Whether texts of this name are IBANs, which may be written with blanks."""
    return _ACCOUNT.search(name) is not None and all(_IBAN.fullmatch(text) for text in texts)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool, or the elements of a list: its path in notes, its field, and what calls have.

    ``about`` is the name of the tool with its description. ``may_lack`` says whether its schema does not
    require it, and ``lacking`` how many of the ``calls`` lack it then.
    """

    tool: str
    about: str
    path: str
    field: CallField
    format: str
    values: tuple[Json, ...]
    may_lack: bool
    lacking: int
    calls: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.removesuffix("[]").rpartition(".")[2].removesuffix("[]")

    @property
    def texts(self) -> list[str]:
        """The texts among the values."""
        return [value for value in self.values if isinstance(value, str)]


def parameters_of(tool: Tool, calls: Sequence[RecordedCall]) -> Iterator[Parameter]:
    """The parameters of a tool whose values have a type, also those within objects and lists."""
    own = [
        dict(call.arguments or {}) for call in calls if call.tool == tool.name and call.arguments is not None
    ]
    fields = fields_of_tool(replace(tool, fields={}), class_name(tool) or "Call", set()).fields
    yield from _parameters(tool, "", fields, own[:_MOST_VALUES], dict(tool.parameters))


def _parameters(
    tool: Tool, above: str, fields: Sequence[CallField], objects: Sequence[Mapping[str, Json]], schema: Json
) -> Iterator[Parameter]:
    for one in fields:
        if not one.key:
            continue
        path = f"{above}.{one.key}" if above else one.key
        values = [item[one.key] for item in objects if item.get(one.key) is not None]
        inner = _below(schema, one.key)
        format_ = inner.get("format")
        required = schema.get("required") if isinstance(schema, dict) else None
        is_required = isinstance(required, list) and one.key in required
        yield Parameter(
            tool.name,
            _about(tool),
            path,
            one,
            format_ if isinstance(format_, str) else "",
            tuple(values),
            not is_required,
            0 if is_required else len(objects) - len(values),
            len(objects),
        )
        if one.type.kind is Kind.RECORD:
            held = [value for value in values if isinstance(value, dict)]
            yield from _parameters(tool, path, one.fields, held, inner)
        elif one.type.kind is Kind.LIST and not one.keyed_by:
            yield from _of_elements(tool, path, one, values, inner)


def _of_elements(
    tool: Tool, path: str, one: CallField, values: Sequence[Json], schema: Mapping[str, Json]
) -> Iterator[Parameter]:
    members = [member for value in values if isinstance(value, list) for member in value][:_MOST_VALUES]
    items = schema.get("items")
    if one.fields:
        held = [member for member in members if isinstance(member, dict)]
        yield from _parameters(tool, f"{path}[]", one.fields, held, items)
    elif one.type.element is not None:
        format_ = items.get("format") if isinstance(items, dict) else None
        element = replace(one, type=one.type.element)
        said = format_ if isinstance(format_, str) else ""
        yield Parameter(
            tool.name, _about(tool), f"{path}[]", element, said, tuple(members), False, 0, len(members)
        )


def _about(tool: Tool) -> str:
    return f"{tool.name.replace('_', ' ')} {tool.description[:_MOST_READ]}"


def _below(schema: Json, key: str) -> dict[str, Json]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    inner = properties.get(key) if isinstance(properties, dict) else None
    return inner if isinstance(inner, dict) else {}


@dataclass(frozen=True, slots=True)
class _Noted:
    parameters: Sequence[Parameter]
    note: FieldNote
    evidence: str
    unsure: tuple[str, ...] = ()


def propose_notes(
    tools: Sequence[Tool],
    calls: Sequence[RecordedCall],
    taken_names: set[str],
    zone: str,
    of_records: Collection[str] = (),
) -> Iterator[Proposal]:
    """A proposal for all parameters of one name that are to be read alike.

    ``of_records`` are the names of keys and fields of records, with which parameters are compared.
    """
    calls_by_tool: defaultdict[str, list[RecordedCall]] = defaultdict(list)
    for call in calls:
        if call.tool is not None and call.ran and not call.failed:
            calls_by_tool[call.tool].append(call)
    alike_by_name: defaultdict[tuple[str, bool, Kind], list[Parameter]] = defaultdict(list)
    for tool in tools:
        for one in parameters_of(tool, calls_by_tool[tool.name]):
            if one.path not in tool.fields:
                alike_by_name[one.name, one.path.endswith("[]"), one.field.type.kind].append(one)
    for (name, _, _), alike in alike_by_name.items():
        noted = _noted(alike, zone)
        if noted is None and name not in of_records:
            noted = _of_spelling([one for one in alike if _is_plain_text(one)])
        if noted is not None:
            yield _proposal(take_name(field_name((name,)), taken_names), noted)


def _proposal(name: str, noted: _Noted) -> Proposal:
    notes: defaultdict[str, dict[str, FieldNote]] = defaultdict(dict)
    for parameter in noted.parameters:
        notes[parameter.tool][parameter.path] = noted.note
    where = listed([f"{parameter.path} of {parameter.tool}" for parameter in noted.parameters])
    return Proposal(name, evidence=(f"It is {where}.", noted.evidence), unsure=noted.unsure, notes=notes)


def _is_plain_text(one: Parameter) -> bool:
    return one.field.type.kind is Kind.STR and not one.field.kind and not one.field.type.values


def _noted(alike: Sequence[Parameter], zone: str) -> _Noted | None:
    """What a note should say of all parameters of one name; None if the schemas say all that is known."""
    kind = alike[0].field.type.kind
    if kind is Kind.STR:
        texts = [one for one in alike if _is_plain_text(one)]
        return _of_texts(texts, zone) if texts else None
    if kind is Kind.LIST:
        return _of_lists(alike)
    if kind is Kind.DECIMAL:
        numerals = [repr(value) for one in alike for value in one.values if isinstance(value, float)]
        type_ = type_of_numerals(numerals, (alike[0].name,)) if numerals else None
        if type_ is not None and type_.kind is Kind.DECIMAL and type_.places > alike[0].field.type.places:
            evidence = f"Values with {type_.places} decimal places were seen."
            return _Noted(alike, FieldNote(places=type_.places), evidence)
    return None


def _of_texts(alike: Sequence[Parameter], zone: str) -> _Noted | None:
    texts = [text for one in alike for text in one.texts]
    name = name_of((alike[0].name,))
    if _SECRET.search(name):
        return _Noted(alike, FieldNote(exact=True), "It is a secret by its name, so its spelling counts.")
    if is_account_number(name, texts):
        return _Noted(alike, FieldNote(normal="code"), "An IBAN may be written with blanks.")
    if (described := _of_description(alike, texts)) is not None:
        return described
    if (numbers := _of_numerals(alike, texts, zone)) is not None:
        return numbers
    format_ = next((one.format for one in alike if one.format), "")
    kind = recognised_kind(alike[0].name, format_, texts) or _kind_described(alike, texts)
    if kind is None and not texts and _has_recipients_of_mail(alike):
        kind = _read(KINDS["mail_address"], f'a tool of mail has it as "{alike[0].name}"', texts)
    if kind is None and not texts:
        kind = _statements(alike)
    if kind is None and (of_files := [one for one in alike if _is_folder_of_files(one)]):
        kind = _read(KINDS["path"], f'a tool of files has it as "{alike[0].name}"', texts)
        alike = of_files
    if kind is None:
        return None
    if kind.kind.name == "sql" and texts:
        kind = _of_database(kind, texts, _dialects_named(alike))
    options = {key: value for key, value in kind.options.items() if key != "schema"}
    return _Noted(alike, FieldNote(kind.kind.name, options=options), kind.evidence[0], kind.unsure)


def _has_recipients_of_mail(alike: Sequence[Parameter]) -> bool:
    """Whether by their names all are whom a mail goes to: no log has a copy that was never sent."""
    return all(
        _words(one.name) & RECIPIENTS and _words(one.tool) & NAMED_ALONE["mail_address"] for one in alike
    )


def is_named_as_file(name: str) -> bool:
    """Whether the name of a parameter is that of a file or folder: "folder", "rootDir", "file_name"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return singular(re.sub(r"[_-]?name$", "", words).split("_")[-1]) in FILES


def tells_of_others(text: str) -> bool:
    """Whether a text tells of folders that are none of a disk, such as those of mails."""
    return _OF_OTHERS.search(text) is not None


def _is_folder_of_files(one: Parameter) -> bool:
    """Whether a parameter is a file or folder of the disk by its description, or by its name and its tool.

    That in which a call works is the folder of its paths itself.
    """
    told = one.field.description[:_MOST_READ]
    says_where = _SAYS_WHERE.search(told) is not None and _OF_FILES.search(told) is not None
    said = one.about if _OF_FILES.search(one.about) else told
    is_of_files = _OF_FILES.search(said) is not None and not tells_of_others(one.about)
    is_one = says_where or (is_named_as_file(one.name) and is_of_files)
    return is_one and not _WORKING.fullmatch(one.name) and all(map(_PLAIN_PATH.fullmatch, one.texts))


def _dialects_named(alike: Sequence[Parameter]) -> Sequence[str]:
    """The dialects of the databases that the tool of a parameter speaks of."""
    return [dialect for dialect, names in _SAYS_DIALECT.items() if names.search(alike[0].about)]


def _of_database(kind: RecognisedKind, texts: Sequence[str], named: Sequence[str]) -> RecognisedKind:
    """SQL of the database that its tool names, unless another reads more of what was seen.

    Where none is named, it is asked, and what is read is what all databases read alike.
    """
    if named == ["sqlite"]:
        options: Mapping[str, Json] = {}
    else:
        dialect = named[0] if len(named) == 1 else UNDECLARED_DIALECT
        options = {"dialect": dialect, "unqualified": "as written"}
    if len(_refused(kind.kind, options, texts)) > len(_refused(kind.kind, kind.options, texts)):
        return kind
    return RecognisedKind(kind.kind, options, kind.evidence, (_USUAL_SCHEMA,) if options else ())


def _statements(alike: Sequence[Parameter]) -> RecognisedKind | None:
    """SQL, for what no log shows: a query of tools that speak of SQL, or of a database that reads it."""
    said = [_SAYS_SQL.search(one.about) for one in alike]
    named = all(_words(one.name) & NAMED_WITH_VALUES["sql"] for one in alike)
    if not named or not all(said) or said[0] is None:
        return None
    evidence = (f'It is of the kind sql: its tool speaks of "{said[0][0]}"; no value was seen.',)
    return _of_database(RecognisedKind(KINDS["sql"], {}, evidence), (), _dialects_named(alike))


_USUAL_SCHEMA = "A table that is named without its schema is taken to be that of the usual schema."


def _of_numerals(alike: Sequence[Parameter], texts: Sequence[str], zone: str) -> _Noted | None:
    """The type of texts that are dates, times or numbers; of money a few may be written otherwise."""
    is_plain = [_PLAIN_NUMBER.fullmatch(text) is not None for text in texts]
    if is_money((alike[0].name,)) and texts and sum(is_plain) * 10 >= len(texts) * 9:
        strange = next((text for text, plain in zip(texts, is_plain, strict=True) if not plain), "")
        unsure = (f"A call with a number such as {shown(strange)} cannot be evaluated.",) if strange else ()
        places = max(
            2, *(len(text.partition(".")[2]) for text, plain in zip(texts, is_plain, strict=True) if plain)
        )
        note = FieldNote("decimal", places=places if places > 2 else None)
        return _Noted(alike, note, f"{sum(is_plain)} of {counted(len(texts), 'value')} are numbers.", unsure)
    if len(set(texts)) < _FEWEST or (type_ := type_of_numerals(texts, (alike[0].name,))) is None:
        return None
    note = FieldNote(type_.kind.value, places=type_.places if type_.places > 2 else None)
    if type_.kind is Kind.DATETIME and not zone and names_no_zone(texts):
        note = FieldNote("moment")
    return _Noted(alike, note, f"All {counted(len(texts), 'value')} that were seen are so written.")


def _of_description(alike: Sequence[Parameter], texts: Sequence[str]) -> _Noted | None:
    """What a description says of the form of a text, unless a value contradicts it."""
    for parameter in alike:
        description = parameter.field.description[:_MOST_READ]
        for pattern, kind in ((_SAYS_DATE, Kind.DATE), (_SAYS_TIME, None)):
            found = pattern.search(description)
            if found is None or (kind is not None and any(not ISO_DATE.fullmatch(text) for text in texts)):
                continue
            if kind is None and any(not ISO_DATE.match(text) for text in texts):
                continue
            note = FieldNote(kind.value if kind is not None else "moment")
            return _Noted(alike, note, f'Its description says "{found[0]}".')
    return None


def _of_spelling(alike: Sequence[Parameter]) -> _Noted | None:
    """The form of texts whose descriptions say that their case, or blanks at their ends, do not count."""
    found = [[pattern.search(_told(one)) for pattern in (_SAYS_CASELESS, _SAYS_TRIMMED)] for one in alike]
    said = {tuple(one is not None for one in each) for each in found}
    form = _FORMS.get(next(iter(said))) if len(said) == 1 else None
    if form is None or is_id(alike[0].name):
        return None
    words = listed([f"“{one[0]}”" for one in found[0] if one is not None])
    return _Noted(alike, FieldNote(normal=form), f"Its description says {words}.")


def _told(one: Parameter) -> str:
    """What is said of a parameter: its description, and the sentences of its tool's that name it."""
    own = name_of((singular(one.name.lower()),)).replace("_", " ")
    names = re.compile(rf"\b{re.escape(own)}s?\b", re.IGNORECASE)
    of_tool = [each for each in _SENTENCES.split(one.about) if names.search(each)]
    return ". ".join((one.field.description[:_MOST_READ], *of_tool))


def _kind_described(alike: Sequence[Parameter], texts: Sequence[str]) -> RecognisedKind | None:
    """The kind that each description begins with, as "plain e-mail addresses; nobody if left out"."""
    described = [one.field.description[:_MOST_READ].strip() for one in alike]
    for name, pattern in _SAYS_KIND.items():
        said = [pattern.match(one) for one in described if one]
        if said and all(said) and said[0] is not None:
            return _read(KINDS[name], f'its description says "{said[0][0]}"', list(dict.fromkeys(texts)))
    return None


def _of_lists(alike: Sequence[Parameter]) -> _Noted | None:
    """Lists that calls leave out, or may leave out by their schema, are empty there."""
    left_out = [one for one in alike if (one.lacking or one.may_lack) and not one.path.endswith("[]")]
    if not left_out:
        return None
    count, total = sum(one.lacking for one in left_out), sum(one.calls for one in left_out)
    evidence = f"{count} of {counted(total, 'call')} leave it out." if count else "It is not required."
    return _Noted(left_out, FieldNote(optional=True), evidence)


_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+\Z")
_MAIL = re.compile(r"[^@\n]*[^@\s]+@[^@\s]+\.[^@\s>]+>?\Z")
_PATH = re.compile(r"((~|\.{1,2})?/\S.*|[^\s/]+/\S.*|[\w.-]+\.\w{1,8}|\.\w[\w.-]*)\Z")
_PLAIN_PATH = re.compile(r"[^\s:?]+")
_SAYS_WHERE = re.compile(r"\b(?:relative|absolute)\b", re.IGNORECASE)
_WORKING = re.compile(r"cwd|work(?:ing)?_?dir(?:ectory)?", re.IGNORECASE)
_OF_FILES = re.compile(
    r"\b(?:files?|director(?:y|ies)|paths?|grep|globs?|(?:current|working|home|root|project)\s+folder|code\s*base"
    r"|source\s+code|repository|work(?:ing)?\s+tree|workspace)\b",
    re.IGNORECASE,
)
"""What tells a tool of files on a disk."""
_OF_OTHERS = re.compile(
    r"\b(?:e-?mails?|mailbox|inbox|messages?|drive|sharepoint|dropbox|bookmarks?|albums?|playlists?|contacts?|employees?)\b",
    re.IGNORECASE,
)
"""What has folders and directories that are none of a disk."""
_WHOLE_PATH = re.compile(r"(~|\.{1,2})?/[^\s:?]*\w/?\Z")
_SQL = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*"
    r"(select|with|insert|update|delete|create|drop|alter|truncate|explain|describe|show)\b",
    re.I,
)
_MONEY_TEXT = re.compile(r"[^\d]{0,4}\s?-?\d[\d.,' ]*\s?[^\d]{0,4}\Z")
_SAYS_DIALECT = {
    dialect: re.compile(rf"\b(?:{names})", re.IGNORECASE)
    for dialect, names in (
        ("sqlite", "sqlite"), ("postgres", "postgres"), ("mysql", "mysql|mariadb"), ("duckdb", "duckdb"),
        ("snowflake", "snowflake"), ("bigquery", "bigquery"), ("tsql", "t-?sql|mssql|sql server"),
        ("oracle", "oracle"),
    )
}  # fmt: skip
"""The databases whose SQL is read, by the dialect."""
_SAYS_SQL = re.compile(rf"\bsql\b|{'|'.join(one.pattern for one in _SAYS_DIALECT.values())}", re.IGNORECASE)
_DIALECTS = ("sqlite", "postgres", "mysql", "duckdb", "snowflake", "bigquery", "tsql")
_MOST_KINDS_READ = 40
_ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class RecognisedKind:
    """The kind of value of a text, the options that it needs, the evidence, and open questions."""

    kind: ValueKind
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    evidence: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


def _words(name: str) -> set[str]:
    words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    return {singular(word) for word in words}


def _most(pattern: re.Pattern[str]) -> Callable[[Sequence[str]], bool]:
    """A test whether four of five texts have a form; the evidence describes the others."""
    return lambda texts: sum(pattern.match(text) is not None for text in texts) * 5 >= len(texts) * 4


# What the values of a kind look like, in the order in which kinds are tried.
_LOOKS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "url": _most(_URL),
    "mail_address": _most(_MAIL),
    "sql": _most(_SQL),
    "command": lambda _: True,
    "path": _most(_PATH),
    "version": lambda _: True,
    "amount": _most(_MONEY_TEXT),
}
# Values of these kinds are recognised without a name.
_BY_VALUES = frozenset({"url", "mail_address"})


def recognised_kind(name: str, format_: str, values: Iterable[str]) -> RecognisedKind | None:
    """The kind of a text, None without evidence for one; ``format_`` is the schema's."""
    texts = list(dict.fromkeys(value for value in values if value))[:_MOST_KINDS_READ]
    words = _words(name)
    for kind_name, fit in _LOOKS.items():
        by_format = TEXT_FORMATS.get(format_) == kind_name
        with_fitting = bool(texts) and bool(words & NAMED_WITH_VALUES[kind_name]) and fit(texts)
        named_alone = bool(words & NAMED_ALONE[kind_name]) and "id" not in words  # the id of a mail is none
        whole = bool(words & NAMED_WHOLE[kind_name]) and all(map(_WHOLE_PATH.match, texts))
        by_name = named_alone or with_fitting or (bool(texts) and whole)
        by_values = kind_name in _BY_VALUES and len(texts) >= 3 and fit(texts)
        if not (by_format or by_name or by_values):
            continue
        why = (
            f'the schema says format "{format_}"' if by_format
            else f'it is called "{name}"' if by_name
            else "its values look so"
        )  # fmt: skip
        return _read(KINDS[kind_name], why, texts)
    return None


def _read(kind: ValueKind, why: str, texts: Sequence[str]) -> RecognisedKind | None:
    """The kind with the options that read most values; None if it reads too few."""
    if not texts:
        return RecognisedKind(kind, {}, (f"It is of the kind {kind.name}: {why}; no value was seen.",))
    choices: list[Mapping[str, Json]] = [{}]
    if kind.name == "sql":
        choices = [{} if dialect == "sqlite" else {"dialect": dialect} for dialect in _DIALECTS]
    if kind.name == "path" and any(not text.startswith("/") for text in texts):
        choices = [{}, {"root": "/", "home": "/"}]
    best: Mapping[str, Json] = {}
    refused: Mapping[str, str] | None = None
    for options in choices:
        try:
            refusals = _refused(kind, options, texts)
        except ModuleNotFoundError:
            return RecognisedKind(
                kind, {}, (f"It is of the kind {kind.name}: {why}.",), (f"Reading it needs {kind.needs}.",)
            )
        if refused is None or len(refusals) < len(refused):
            best, refused = options, refusals
        if not refusals:
            break
    refused = refused or {}
    read = len(texts) - len(refused)
    if read < len(texts) * _ENOUGH:
        return None
    return RecognisedKind(
        kind,
        {} if kind.name == "path" else best,
        (f"It is of the kind {kind.name}: {why}; {read} of {len(texts)} different values are read.",),
        _unsure(kind, best, refused),
    )


BEGINS_NOWHERE = (
    'Some are relative, or begin with "~": agent.toml has to say where they begin, as in '
    'path = {type = "path", options = {root = "/repo"}}; home is another option.'
)
"""What a person should know of paths that begin in no known folder."""


def _refused(kind: ValueKind, options: Mapping[str, Json], texts: Sequence[str]) -> Mapping[str, str]:
    """The values that the kind cannot read, with the reasons."""
    reader = kind.reader(options, "UTC")
    refused: dict[str, str] = {}
    for text in texts:
        try:
            reader.record(text)
        except Missing as missing:
            refused[text] = str(missing)
    return refused


def _unsure(kind: ValueKind, options: Mapping[str, Json], refused: Mapping[str, str]) -> tuple[str, ...]:
    sentences: list[str] = []
    if kind.name == "path" and options:
        sentences.append(BEGINS_NOWHERE)
    if "dialect" in options:
        sentences.append(f"Of the dialects {options['dialect']} reads most of them.")
    if refused:
        why = next(iter(refused.values()))
        sentences.append(f"A call whose value cannot be read cannot be evaluated; the first such: {why}.")
    return tuple(sentences)

"""Import of recorded runs: one importer for each log format, chosen by the content of the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from workbench.model import ImportProblem, Json, Run
from workbench.runs.logs import atif, claude_code
from workbench.runs.logs.events import are_events, is_event
from workbench.runs.logs.formats import IMPORTERS, MatchingFailed, choose, not_yet_read
from workbench.runs.logs.importer import GIVEN_ID, ID_KEYS, Importer, is_fact, stem, text_at
from workbench.runs.logs.log_stream import LogRecord, LogSource, ReadFailed, Sample, numbered_files
from workbench.runs.logs.message_forms import are_messages, conversations_in, message_of
from workbench.runs.logs.response_items import are_items

__all__ = ["IMPORTERS", "Imported", "Importer", "load_runs", "read_all"]


_MOST_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing log files: the runs and the problems."""

    runs: tuple[Run, ...]
    problems: tuple[ImportProblem, ...]


def load_runs(
    paths: Iterable[Path], format: Importer | None = None, *, tools: Collection[str] = ()
) -> Imported:
    """All runs of some files; a folder means every file in it, in the order of the names.

    ``format`` is an importer; without it the content decides. ``tools`` are the agent's own names of its
    tools; a log may write the name of a server before them.
    """
    runs: list[Run] = []
    problems: list[ImportProblem] = []
    for item in read_all(paths, format, tools=tools):
        if isinstance(item, ImportProblem):
            problems.append(item)
        else:
            runs.append(item)
    return Imported(tuple(runs), tuple(problems))


def read_all(
    paths: Iterable[Path],
    format: Importer | None = None,
    *,
    tools: Collection[str] = (),
    taken_ids: Collection[str] = (),
    enough: int | None = None,
) -> Iterator[Run | ImportProblem]:
    """Stream what ``load_runs`` gathers; ``taken_ids`` are ids that other runs have.

    With ``enough``, reading may stop after the calls of that many records of each file. The results of the
    last of these calls may then be missing although the file has them later.
    """
    seen_ids = set(taken_ids)
    read_with_another: set[Path] = set()
    for path in _subagents_last(paths):
        if path not in read_with_another:
            items = _read(path, format, read_with_another, tools=tools, enough=enough)
            yield from _unique(_few_problems(items), seen_ids)


def _subagents_last(paths: Iterable[Path]) -> list[Path]:
    """The files of these paths; behind the others those that may be read with the one of their session."""
    every = list(_each_file(paths))
    of_subagents = {
        part for path in every for part in (*claude_code.subagent_files(path), *atif.subagent_files(path))
    }
    return sorted(every, key=of_subagents.__contains__)


def _each_file(paths: Iterable[Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        visible_files = sorted(
            item for item in path.rglob("*") if item.is_file() and not item.name.startswith(".")
        )
        together = {folder for folder in {item.parent for item in visible_files} if _is_one_log(folder)}
        yield from sorted({item.parent if item.parent in together else item for item in visible_files})


def _is_one_log(folder: Path) -> bool:
    """Whether the files of a folder are the events of one run, one event a file."""
    files = numbered_files(folder)
    first = [record.value for path in files[:1] for record in LogSource(path).records()]
    return len(files) > 1 and len(first) == 1 and is_event(first[0])


def _read(
    path: Path,
    format: Importer | None,
    read_with_another: set[Path],
    *,
    tools: Collection[str] = (),
    enough: int | None = None,
) -> Iterator[Run | ImportProblem]:
    """The runs of a file; the files that were read with it are added to ``read_with_another``."""
    source = LogSource(path, tools=tools, enough=enough)
    chosen = format
    try:
        sample = source.sample()
        if chosen is None and not sample.head.strip():
            yield ImportProblem(str(path), 0, "the file is empty")
            return
        if chosen is None and (refusal := not_yet_read(sample)) is not None:
            yield ImportProblem(str(path), 1, refusal)
            return
        bare = is_bare(sample)
        chosen = None if bare else format or choose(sample)
        if chosen is None or chosen.matches(sample) == 0:
            # No record is a run, but the records may contain runs.
            inner = Contained(path, bare=bare, tools=tools, enough=enough)
            inner_sample = inner.sample()
            inner_importer = format or choose(inner_sample)
            if inner_importer is not None and inner_importer.matches(inner_sample) > 0:
                source, chosen = inner, inner_importer
        chosen = chosen or format
        if chosen is None:
            known_names = ", ".join(importer.name for importer in IMPORTERS)
            yield ImportProblem(str(path), 1, f"the format is not known; known are {known_names}")
            return
        yield from chosen.read(source)
        read_with_another.update(source.others)
        if source.failure is not None:
            yield ImportProblem(str(path), 0, str(source.failure))
    except ReadFailed as error:
        yield ImportProblem(str(path), 0, str(error))
    except MatchingFailed as error:
        yield _unexpected(path, error.importer, error.__cause__ or error)
    except Exception as error:  # logs are hostile: no content of a file may end the import of others
        yield _unexpected(path, chosen, error)


def _few_problems(items: Iterator[Run | ImportProblem]) -> Iterator[Run | ImportProblem]:
    """The items of a file, the problems after the first thousand as one that counts them."""
    problems = 0
    first, count = None, 0
    for item in items:
        if isinstance(item, Run):
            yield item
        elif problems < _MOST_PROBLEMS:
            problems += 1
            yield item
        else:
            first = first or item
            count += item.count
    if first is not None:
        yield replace(
            first, reason=f"{count} further parts of the file cannot be read, from here on", count=count
        )


def _unexpected(path: Path, importer: Importer | None, error: BaseException) -> ImportProblem:
    """The problem for an error that no importer should raise; the tests of importers raise it again."""
    name = importer.name if importer is not None else "any"
    return ImportProblem(
        str(path), 0, f"the rest of the file does not fit {name} format ({type(error).__name__})"
    )


def _unique(items: Iterator[Run | ImportProblem], seen_ids: set[str]) -> Iterator[Run | ImportProblem]:
    for item in items:
        if isinstance(item, ImportProblem):
            yield item
            continue
        if item.id not in seen_ids:
            seen_ids.add(item.id)
            yield item
            continue
        count = 2
        while f"{item.id}#{count}" in seen_ids:
            count += 1
        name = f"{item.id}#{count}"
        seen_ids.add(name)
        yield replace(item, id=name, calls=tuple(replace(call, run=name) for call in item.calls))


# --- Runs inside other records: a bare list of messages, one message a line, or runs some levels down
#
# A run is recognised by its content, never by the name of its key. Each run becomes a record of its own.
# The record also has the plain values and facts around the run (``model``, ``task_id``, ``context``).


_DEEPEST = 3
_MOST_MESSAGES = 100_000
_SESSION = tuple(key for key in ID_KEYS if key not in ("id", "index"))
_LOOKED_AT = 20


class Contained(LogSource):
    """The runs inside the records of a file, each as a record."""

    def __init__(
        self,
        path: Path,
        *,
        bare: bool,
        tools: Collection[str] = (),
        enough: int | None = None,
    ) -> None:
        """Take what a source takes, and whether the records of the file are ``bare`` (see ``is_bare``)."""
        super().__init__(path, tools=tools, enough=enough)
        self._bare = bare

    def records(self) -> Iterator[LogRecord]:
        """The runs in order; if each record is one message, messages are gathered into their runs."""
        if self._bare:
            yield from self._gathered()
            return
        for record in super().records():
            if record.error is not None:
                yield record
                continue
            runs = list(_runs_in(record.value, {}, _DEEPEST))
            if not runs:
                yield record
            yield from (LogRecord(record.line, run) for run in runs)

    def _gathered(self) -> Iterator[LogRecord]:
        runs: dict[str, tuple[int, list[Json]]] = {}
        run = stem(self.path)
        for count, record in enumerate(islice(super().records(), self.enough), 1):
            if count > _MOST_MESSAGES:
                why = f"only the first {_MOST_MESSAGES} messages of a log are read"
                yield LogRecord(record.line, error=why)
                break
            value = record.value
            if record.error is not None:
                yield record
            elif isinstance(value, dict):
                run = text_at(value, *_SESSION) or run
            _, messages = runs.setdefault(run, (record.line, []))
            # An unreadable record keeps its place, because a call may be missing there.
            # The line around a message has nothing of the message but the role and the time.
            wrapped = isinstance(value, dict) and "message" in value
            messages.append(
                None if record.error is not None else message_of(value) or value if wrapped else value
            )
        for name, (line, messages) in runs.items():
            yield LogRecord(line, {GIVEN_ID: name, _key_of(messages): messages})


def is_bare(sample: Sample) -> bool:
    """Whether the records of a file are the messages or events of runs, rather than runs."""
    first = sample.records[:_LOOKED_AT]
    if len(first) < 2:
        return False
    if are_items(list(first)):
        return True
    events = sum(is_event(record) for record in first)
    messages = [message for record in first if (message := message_of(record)) is not None]
    # Responses also come one a record, and all their roles are the assistant's.
    several = any(message["role"] != "assistant" for message in messages)
    return events * 2 > len(first) or (several and len(messages) * 2 > len(first))


def _key_of(run: list[Json]) -> str:
    return "input" if are_items(run) else "events" if are_events(run) else "messages"


def _is_run(value: Json) -> bool:
    return are_messages(value) or are_events(value) or are_items(value)


def _runs_in(value: Json, around: Mapping[str, Json], depth: int) -> Iterator[Json]:
    """The runs inside a value, and what stands in a list with runs and is none."""
    if isinstance(value, list) and _is_run(value):
        yield {**around, _key_of(value): value}
    elif isinstance(value, dict) and any(map(_is_run, value.values())):
        yield from _runs_of(value, around)
    elif isinstance(value, dict) and depth > 0:
        outer = {**around, **_plain(value)}
        for item in value.values():
            yield from _runs_in(item, outer, depth - 1)
    elif isinstance(value, list) and depth > 0:
        runs_of_items = [list(_runs_in(item, around, depth - 1)) for item in value]
        if any(runs_of_items):
            for item, runs in zip(value, runs_of_items, strict=True):
                yield from runs or [item]


def _runs_of(record: dict[str, Json], around: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """The run that a record is, or the runs that it has under several keys."""
    several = conversations_in(record)
    for key, messages in several.items():
        yield {**around, **_plain(record), GIVEN_ID: key, "messages": messages}
    if not several:
        # Items under another key than those of the API (``items``) are its input.
        moved = {
            "input" if key not in ("input", "output") and are_items(value) else key: value
            for key, value in record.items()
        }
        yield {**around, **moved}


def _plain(record: Mapping[str, Json]) -> dict[str, Json]:
    return {
        key: item for key, item in record.items() if not isinstance(item, dict | list) or is_fact(key, item)
    }

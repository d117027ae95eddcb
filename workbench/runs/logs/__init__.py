"""Import of recorded runs: one importer for each log format, chosen by the content of the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.model import ImportProblem, Run
from workbench.runs.logs import atif, claude_code
from workbench.runs.logs.containers import Contained, is_bare
from workbench.runs.logs.events import is_event
from workbench.runs.logs.formats import IMPORTERS, MatchingFailed, choose, importer_named, not_yet_read
from workbench.runs.logs.importer import Importer
from workbench.runs.logs.log_stream import LogSource, ReadFailed, numbered_files

__all__ = ["IMPORTERS", "Imported", "Importer", "load_runs", "read_all", "read_runs"]


_MOST_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of importing log files: the runs, the problems, and the format of each file by its path."""

    runs: tuple[Run, ...]
    problems: tuple[ImportProblem, ...]
    formats: dict[str, str]


def read_runs(
    path: Path, format: str | None = None, *, tools: Collection[str] = ()
) -> Iterator[Run | ImportProblem]:
    """Stream the runs of a log file; a record that cannot be read gives a problem in their place.

    ``format`` is the name of an importer; without it the content decides. Run ids are the log's own; if
    an id is used twice, the later run gets ``#2``. Raises WorkbenchError only for an unknown format
    name: an unreadable file is a problem too. ``tools`` are the agent's own names of its tools; a log may
    write the name of a server before them.
    """
    return _unique(_few_problems(_read(Path(path), format, set(), tools=tools)), set())


def load_runs(
    paths: Iterable[Path], format: str | Importer | None = None, *, tools: Collection[str] = ()
) -> Imported:
    """All runs of some files; a folder means every file in it, in the order of the names.

    ``format`` is an importer, or the name of one of ``IMPORTERS``; without it the content decides.
    """
    runs: list[Run] = []
    problems: list[ImportProblem] = []
    formats: dict[str, str] = {}
    for item in read_all(paths, format, tools=tools):
        if isinstance(item, ImportProblem):
            problems.append(item)
        else:
            runs.append(item)
            formats[item.path] = item.format
    return Imported(tuple(runs), tuple(problems), formats)


def read_all(
    paths: Iterable[Path],
    format: str | Importer | None = None,
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
    format: str | Importer | None,
    read_with_another: set[Path],
    *,
    tools: Collection[str] = (),
    enough: int | None = None,
) -> Iterator[Run | ImportProblem]:
    """The runs of a file; the files that were read with it are added to ``read_with_another``."""
    source = LogSource(path, tools=tools, enough=enough)
    chosen = importer_named(format) if isinstance(format, str) else format
    try:
        sample = source.sample()
        if chosen is None and not sample.head.strip():
            yield ImportProblem(str(path), 0, "the file is empty")
            return
        if chosen is None and (refusal := not_yet_read(sample)) is not None:
            yield ImportProblem(str(path), 1, refusal)
            return
        named = chosen
        bare = is_bare(sample)
        chosen = None if bare else named or choose(sample)
        if chosen is None or chosen.matches(sample) == 0:
            # No record is a run, but the records may contain runs.
            inner = Contained(path, bare=bare, tools=tools, enough=enough)
            inner_sample = inner.sample()
            inner_importer = named or choose(inner_sample)
            if inner_importer is not None and inner_importer.matches(inner_sample) > 0:
                source, chosen = inner, inner_importer
        chosen = chosen or named
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

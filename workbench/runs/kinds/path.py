"""The kind ``path``: the place in a file system that a text names, as far as the text alone determines it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import cast

from workbench.model import Json, RecordValue, Value, field_of
from workbench.policy.name_patterns import Fitting, NamePattern
from workbench.policy.undetermined import IncompleteRecord, Undetermined, record_of
from workbench.runs.kinds.value_kind import (
    TEXT,
    TEXTS,
    Form,
    Parts,
    Read,
    ValueKind,
    list_of,
    record_with,
    text_option,
)
from workbench.runs.values.coerce import shown
from workbench.runs.values.described_option import BadOption, DescribedOption, OptionKind
from workbench.runs.values.found_value import Missing

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_DRIVE = re.compile(r"[A-Za-z]:")
_SEPARATOR = re.compile(r"/+")
_MOST_LINKS = 40  # as Linux follows
# Names that Windows reads as a device, a stream or another name.
_DEVICE = re.compile(r"(con|prn|aux|nul|clock\$|(com|lpt)[\d¹²³]|conin\$|conout\$) *(\..*)?", re.IGNORECASE)
_NOT_IN_A_NAME = re.compile(r'[<>:"|?*]')
_READ_AS_OTHER = frozenset("/\\.~")
# Links that the kernel makes for a process: to the root, to folders and to open files.
_LINKS_OF_A_PROCESS = frozenset({"root", "cwd", "exe", "fd", "map_files"})

_DEVICES_OF_A_PROCESS = frozenset({("dev", name) for name in ("fd", "stdin", "stdout", "stderr")})

_OPTIONS = (
    DescribedOption("root", OptionKind.TEXT, "the folder in which a relative path begins"),
    DescribedOption("home", OptionKind.TEXT, "the folder that ~ means"),
    DescribedOption("links", OptionKind.WORDS, "links of the file system: link: the path it leads to"),
    DescribedOption("windows", OptionKind.FLAG, "whether paths are those of Windows", default=False),
    DescribedOption("ignore_case", OptionKind.FLAG, "whether case tells no files apart", default=False),
)


def _prepare(options: Mapping[str, Json]) -> Read:
    return _Paths(options).read


class _Paths:
    """Reads paths with the options of one argument."""

    def __init__(self, options: Mapping[str, Json]) -> None:
        self._windows = options["windows"] is True
        self._folded = self._windows or options["ignore_case"] is True
        self._links: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._root = self._folder(options, "root")
        self._home = self._folder(options, "home")
        links = options["links"]
        for link, target in links.items() if isinstance(links, dict) else ():
            texts = target if isinstance(target, list) and len(target) == 1 else [target]
            self._links[self._declared("links", link)] = self._declared("links", texts[0])

    def _folder(self, options: Mapping[str, Json], name: str) -> tuple[str, ...] | None:
        text = text_option(options, name)
        return self._declared(name, text) if text else None

    def _declared(self, option: str, path: Json) -> tuple[str, ...]:
        """The names of an absolute path in an option. Raises BadOption."""
        try:
            names, absolute = self._names(path if isinstance(path, str) else "")
        except Missing as missing:
            raise BadOption(option, f"{option}: {missing}") from None
        if not absolute or {".", ".."} & set(names) or not path or str(path).startswith("~"):
            raise BadOption(option, f"{option} must be absolute, without . and .., as /home/agent")
        return tuple(names)

    def read(self, text: str) -> Parts:
        """The parts of a path. Raises Missing if the text does not determine the file."""
        names, absolute = self._names(text)
        begin: tuple[str, ...] | None = ()
        if names and names[0].startswith("~") and not absolute:
            if names[0] != "~" or self._home is None:
                raise Missing(f"the home folder of {names[0]} is not declared; give the option home")
            begin, names = self._home, names[1:]
        elif not absolute:
            if self._root is None:
                where = 'cwd = "/repo" of its tool, or options = {root = "/repo"} of a field of a record'
                raise Missing(f"the path is relative; say in agent.toml where it begins: {where}")
            begin = self._root
        return _parts_of(self._resolved([*begin, *names]), windows=self._windows)

    def _names(self, text: str) -> tuple[list[str], bool]:
        """The names between the separators, and whether the path is absolute. Raises Missing."""
        if not text or text != text.strip():
            raise Missing("the path is empty, or begins or ends with a space")
        if any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text):
            raise Missing("the path has a line end or a control character")
        if text != unicodedata.normalize("NFC", text):
            raise Missing("the path has letters that can be written in two ways")
        if any(
            not character.isascii() and _READ_AS_OTHER & set(unicodedata.normalize("NFKC", character))
            for character in text
        ):
            raise Missing("the path has a character that looks like a separator or a dot")
        if _SCHEME.match(text) and not (self._windows and _DRIVE.match(text)):
            raise Missing("the path begins like a URL")
        if self._folded:
            check_folded(text)
            text = text.lower()
        return self._windows_names(text) if self._windows else self._posix_names(text)

    def _posix_names(self, text: str) -> tuple[list[str], bool]:
        if "\\" in text or _DRIVE.match(text):
            raise Missing("the path has a backslash or a drive, as Windows has; give the option windows")
        return [name for name in _SEPARATOR.split(text) if name], text.startswith("/")

    def _windows_names(self, text: str) -> tuple[list[str], bool]:
        text = text.replace("\\", "/")
        if text.startswith("//"):
            raise Missing("the path is of another machine or of a device")
        drive = _DRIVE.match(text)
        if text.startswith("/") or (drive and text[2:3] != "/"):
            raise Missing("the path does not say its drive and folder")
        names = [name for name in _SEPARATOR.split(text[2:] if drive else text) if name]
        for name in names:
            if name in (".", ".."):
                continue
            if _DEVICE.fullmatch(name) or _NOT_IN_A_NAME.search(name) or name.endswith((".", " ")):
                raise Missing(f"Windows reads the name {name!r} as another one")
            if re.search(r"~\d", name):
                raise Missing(f"{name!r} may be the short form of another name")
        return [*([text[:2]] if drive else []), *names], bool(drive)

    def _resolved(self, names: Sequence[str]) -> list[str]:
        """The names without ``.`` and ``..`` and without declared links, as a file system resolves them."""
        top = 1 if self._windows else 0
        resolved: list[str] = []
        waiting = list(reversed(names))
        followed = 0
        while waiting:
            name = waiting.pop()
            if name == "..":
                del resolved[max(top, len(resolved) - 1) :]
            elif name != ".":
                resolved.append(name)
                if not self._windows and (
                    is_link_of_a_process(resolved) or tuple(resolved) in _DEVICES_OF_A_PROCESS
                ):
                    raise Missing(f"/{'/'.join(resolved)} is a link whose end is only known to the process")
                target = self._links.get(tuple(resolved))
                if target is not None:
                    followed += 1
                    if followed > _MOST_LINKS:
                        raise Missing("the declared links go round in a circle")
                    resolved.clear()
                    waiting += reversed(target)
        return resolved


def _parts_of(names: Sequence[str], *, windows: bool = False) -> dict[str, str | frozenset[str]]:
    """The parts of the path with these names from the top."""
    lead = "" if windows else "/"
    above = [lead + "/".join(names[:count]) for count in range(1, len(names) + 1)]
    if not windows:
        above.insert(0, "/")
    elif len(above) > 0:
        above[0] += "/"  # the top of a drive
    absolute = above[-1]
    name = "" if len(above) == 1 else names[-1]
    stem, dot, suffix = name.rpartition(".")
    return {
        "absolute": absolute,
        "folder": above[-2] if len(above) > 1 else absolute,
        "name": name,
        "suffix": f".{suffix.lower()}" if dot and stem.strip(".") and suffix else "",
        "names": frozenset(names[1:] if windows else names),
        "inside": frozenset(above),
    }


def check_folded(text: str) -> None:
    """Raise Missing for a letter that file systems without case take for several others."""
    if any(_folded_in_several_ways(character) for character in text):
        raise Missing("it has a letter that file systems without case take for several others")


def _folded_in_several_ways(letter: str) -> bool:
    """Whether ignoring case gives different letters by the lower-case and by the upper-case form.

    This is so for ``ſ``, ``ß`` and ``ı``. It is also so for marks that choose a form of a letter, which some
    file systems ignore.
    """
    if letter.isascii():
        return False
    small = letter.lower()
    is_mark = unicodedata.category(letter) == "Mn"
    return is_mark or len(small) != 1 or not letter.casefold() == letter.upper().casefold() == small


def is_link_of_a_process(names: Sequence[str]) -> bool:
    """Whether these names from the top are a link of a process, such as ``/proc/self/root``."""
    return len(names) > 2 and names[0] == "proc" and names[-1] in _LINKS_OF_A_PROCESS


PATH = ValueKind(
    name="path",
    meaning="a path of a file system, without . and .. and doubled separators",
    parts=(
        ("absolute", TEXT),
        ("folder", TEXT),
        ("name", TEXT),
        ("suffix", TEXT),
        ("names", TEXTS),
        ("inside", TEXTS),
    ),
    prepare=_prepare,
    options=_OPTIONS,
    forms={
        "name": Form(r"(?s)(?!\.\.$)[^/]*", 'the last name of a path, without /, as "notes.txt"'),
        "names": Form(r"(?s)(?!\.\.$)[^/]+", 'one name of a path, without / and never .., as "notes"'),
        "suffix": Form(r"(\.[^./A-Z]+)?", 'the last ending in small letters with its point, as ".txt"'),
        **dict.fromkeys(
            ("absolute", "folder", "inside"),
            Form(
                r"(?s)/|[A-Za-z]:/|(/|[A-Za-z]:).*(?<!/)",
                'a whole path without / at its end, as "/home/dev/notes"',
            ),
        ),
    },
)


def path_in_command(path: str) -> RecordValue:
    """The parts of a path that a command names, without ``.`` and ``..``; undetermined if it is relative."""
    names = [name for name in path.split("/") if name]
    if path.startswith("/") and ".." not in names:
        parts = {"text": path, **_parts_of(names)}
        return record_with(PATH.type, parts)
    why = Undetermined(frozenset({f"the path {shown(path)} begins in a folder that is not known"}))
    lacking = {name: why for name, _ in PATH.type.fields if name != "text"}
    return IncompleteRecord(PATH.type.name, (("text", path),), lacking)


PATHS = list_of(PATH.type)
"""The type of the paths that a command names."""


def paths_in_command(paths: Value) -> tuple[RecordValue, ...]:
    """The paths of a set of texts, in their order."""
    return tuple(path_in_command(path) for path in sorted(map(str, cast("frozenset[str]", paths))))


def pattern_in_command(pattern: str, folder: str) -> RecordValue:
    """The path of which a command has a pattern: its folder is known as far as no sign is in it.

    Of the names below, the patterns are known; where any signs may stand for some (``**``), only an ending.
    """
    whole = pattern if pattern.startswith(("/", "~")) else f"{folder}/{pattern}"
    names = whole.split("/")
    above = list(takewhile(lambda name: not _PATTERN_SIGN.search(name), names[:-1]))
    below = [name for name in names[len(above) :] if name not in ("", ".")]
    place = path_in_command("/".join(_without_dots(above)) or "/" if whole.startswith("/") else ".")
    why = frozenset({f"which files {shown(pattern)} means is only known when it runs"})
    suffix = _ENDING.search(names[-1])
    known: dict[str, Value | Undetermined] = {name: Undetermined(why) for name, _ in PATH.type.fields}
    known |= {"text": pattern} if suffix is None else {"text": pattern, "suffix": suffix[0].lower()}
    if not isinstance(place, IncompleteRecord):
        known |= _below(place, below, why)
    return record_of(PATH.type.name, known, is_several=True)


def _below(
    place: RecordValue, names: Sequence[str], why: frozenset[str]
) -> Mapping[str, Value | Undetermined]:
    """What is known of a path of which the names below a folder are patterns."""
    above = cast("frozenset[str]", field_of(place, "inside"))
    named = cast("frozenset[str]", field_of(place, "names"))
    folder = cast("str", field_of(place, "absolute"))
    root = folder.rstrip("/")

    def fitting(*patterns: str, members: frozenset[str] = frozenset()) -> Undetermined:
        return Undetermined(why, Fitting(tuple(map(NamePattern, patterns)), members))

    if any("**" in name for name in names):
        return {"names": Undetermined(why, named), "inside": fitting(f"{root}/**", members=above)}
    paths = [f"{root}/{'/'.join(names[:count])}" for count in range(1, len(names) + 1)]
    signs = [name for name in names if _PATTERN_SIGN.search(name)]
    return {
        "absolute": fitting(paths[-1]),
        "folder": folder if len(names) == 1 else fitting(paths[-2]),
        "name": fitting(names[-1]),
        "names": fitting(*signs, members=named | (frozenset(names) - set(signs))),
        "inside": fitting(*paths, members=above),
    }


def _without_dots(names: Sequence[str]) -> list[str]:
    """The names of an absolute folder without ``.`` and ``..``, with an empty one for the top."""
    resolved: list[str] = []
    for name in names:
        if name == "..":
            del resolved[-1:]
        elif name not in ("", "."):
            resolved.append(name)
    return ["", *resolved]


_PATTERN_SIGN = re.compile(r"[*?]")
_ENDING = re.compile(r"\.[A-Za-z0-9]+$")

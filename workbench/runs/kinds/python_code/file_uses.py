"""The files that Python code opens, changes or removes, and how, as far as its text shows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from workbench.runs.kinds.python_code.code_uses import NamedUse, UsesReader
from workbench.runs.kinds.python_code.library import CLOSED_FUNCTIONS, CLOSED_MODULES
from workbench.runs.kinds.python_code.refused_names import STANDARD
from workbench.runs.kinds.python_code.scopes import BUILTIN_NAMES
from workbench.runs.values.data_file import read_data
from workbench.runs.values.found_value import Missing

READ, WRITE = "read", "write"


class FileUse(NamedTuple):
    """A path as the code writes it, and the use of the file: ``read`` or ``write``."""

    path: str
    way: str


class _Takes(NamedTuple):
    """Arguments that are paths, by place and name, with the use; ``mode`` is the place of a mode."""

    places: tuple[tuple[int, str, str], ...]
    mode: int | None = None


def _path(way: str, name: str = "path") -> _Takes:
    return _Takes(((0, name, way),))


_OPENING = _Takes(((0, "file", READ),), 1)
_PACKED = _Takes(((0, "filename", READ),), 1)
_BOTH = _Takes(((0, "src", READ), (1, "dst", WRITE)))
_MOVING = _Takes(((0, "src", WRITE), (1, "dst", WRITE)))
_FUNCTIONS: Mapping[str, _Takes] = {
    "open": _OPENING, "gzip.open": _PACKED, "bz2.open": _PACKED, "lzma.open": _PACKED,
    "codecs.open": _PACKED,
    "os.remove": _path(WRITE), "os.unlink": _path(WRITE), "os.rmdir": _path(WRITE), "os.mkdir": _path(WRITE),
    "os.makedirs": _path(WRITE, "name"), "os.truncate": _path(WRITE), "os.chmod": _path(WRITE),
    "os.rename": _MOVING, "os.replace": _MOVING,
    "os.listdir": _path(READ), "os.scandir": _path(READ), "os.walk": _path(READ, "top"),
    "shutil.copy": _BOTH, "shutil.copy2": _BOTH, "shutil.copyfile": _BOTH, "shutil.copytree": _BOTH,
    "shutil.move": _MOVING, "shutil.rmtree": _path(WRITE),
    "numpy.savetxt": _path(WRITE, "fname"), "numpy.loadtxt": _path(READ, "fname"),
    "numpy.genfromtxt": _path(READ, "fname"),
    "pandas.read_csv": _path(READ, "filepath_or_buffer"),
    "pandas.read_table": _path(READ, "filepath_or_buffer"),
    "pandas.read_fwf": _path(READ, "filepath_or_buffer"),
    "pandas.read_json": _path(READ, "path_or_buf"),
    "pandas.read_excel": _path(READ, "io"),
    "pandas.read_parquet": _path(READ), "pandas.read_feather": _path(READ),
}  # fmt: skip
# Arguments that determine the opened file otherwise than by its path.
_OTHERWISE = frozenset({None, "opener", "closefd", "dir_fd", "src_dir_fd", "dst_dir_fd"})
# Methods by their name; for methods of paths the receiver is the file.
_OF_PATHS: Mapping[str, tuple[str, ...]] = {
    "read_text": (READ,), "read_bytes": (READ,), "iterdir": (READ,),
    "write_text": (WRITE,), "write_bytes": (WRITE,), "touch": (WRITE,), "unlink": (WRITE,), "mkdir": (WRITE,),
    "rmdir": (WRITE,), "chmod": (WRITE,),
}  # fmt: skip
_METHODS = read_data(__name__, "known_methods.toml").table("files").names_by_key()
# The functions that Python's site module adds to the builtins read files of their own.
_BUILTINS = BUILTIN_NAMES - {"open", "license", "copyright", "credits"}
_MODE = re.compile(r"(?=[rwxa+bt]{1,4}\Z)[bt]?([rwxa])[bt]?(\+?)[bt]?")


def file_uses(reader: UsesReader, harmless: frozenset[str]) -> frozenset[FileUse]:
    """The files that the code names; raises Missing if it may open another file.

    ``harmless`` are names of functions, of modules as ``module.*`` and of methods as ``.name``, which open no
    file.
    """
    return _FileUses(reader, harmless).files()


class _FileUses:
    """Finds the files of one program."""

    def __init__(self, reader: UsesReader, harmless: frozenset[str]) -> None:
        self._reader = reader
        self._harmless = harmless

    def files(self) -> frozenset[FileUse]:
        for module in sorted(self._reader.code_uses.imports):
            top = module.partition(".")[0]
            if top not in STANDARD | CLOSED_MODULES and not self._is_harmless(f"{module}.*"):
                raise Missing(f"the code imports {module}, and which files that opens is not known")
        return frozenset[FileUse]().union(*map(self._of_use, self._reader.code_uses.uses))

    def _is_harmless(self, name: str) -> bool:
        parts = name.split(".")
        above = (".".join(parts[:size]) + ".*" for size in range(1, len(parts)))
        return name in self._harmless or any(wildcard in self._harmless for wildcard in above)

    def _of_use(self, use: NamedUse) -> frozenset[FileUse]:
        if self._is_harmless(use.name):
            return frozenset()
        if use.name.startswith("."):
            return self._of_method(use, use.name[1:])
        takes = _FUNCTIONS.get(use.name)
        if takes is not None:
            return self._opened(use, takes)
        self._check_known(use)
        return frozenset()

    def _check_known(self, use: NamedUse) -> None:
        """Raise Missing unless the function opens no file; what follows it in a path is a part of it."""
        name = use.name
        if name.partition(".")[0] in _BUILTINS or name in self._reader.code_uses.imports or name in STANDARD:
            return
        parts = name.split(".")
        if not any(".".join(parts[:size]) in CLOSED_FUNCTIONS for size in range(2, len(parts) + 1)):
            raise _not_known(use)
        if name.startswith("pathlib.") and len(parts) > 2 and parts[2] not in ("cwd", "home"):
            raise _not_known(use)
        for part in parts[1:]:
            if part in _METHODS["opening"] or part in _OF_PATHS or self._is_writing(part):
                raise _not_known(use)

    @staticmethod
    def _is_writing(method: str) -> bool:
        return method.startswith("to_") and method not in _METHODS["in_memory"]

    def _of_method(self, use: NamedUse, name: str) -> frozenset[FileUse]:
        receiver = use.node.value if isinstance(use.node, ast.Attribute) else None
        paths = None if receiver is None else self._reader.texts.of(receiver, paths=True)
        if name in _OF_PATHS or (name == "open" and self._is_path(receiver)):
            if paths is None or use.call is None:
                raise _not_known(use)
            ways = _OF_PATHS.get(name) or self._ways(use, use.call, 0)
            return frozenset(FileUse(path, way) for path in paths for way in ways)
        if name == "replace" and self._may_be_path(use.call):
            raise _not_known(use)
        if name in _METHODS["writing"] and use.call is not None:
            if (
                not use.call.args
                and {keyword.arg for keyword in use.call.keywords} <= _METHODS["plain_options"]
            ):
                # Without a path it gives a text.
                return frozenset()
            return self._opened(use, _Takes(((0, "path_or_buf", WRITE),)))
        if name in _METHODS["opening"] or self._is_writing(name):
            raise _not_known(use)
        return frozenset()

    def _is_path(self, receiver: ast.expr | None) -> bool:
        """Whether a receiver is a path, and not a text."""
        if receiver is None:
            return False
        return (
            self._reader.texts.of(receiver, paths=True) is not None
            and self._reader.texts.of(receiver) is None
        )

    def _may_be_path(self, call: ast.Call | None) -> bool:
        """Whether ``replace`` may be a path's: ``path.replace(target)`` has one argument, a text's two."""
        paths = any(module.partition(".")[0] == "pathlib" for module in self._reader.code_uses.imports)
        return paths and (call is None or len(call.args) < 2)

    def _opened(self, use: NamedUse, takes: _Takes) -> frozenset[FileUse]:
        call = use.call
        if call is None or any(isinstance(argument, ast.Starred) for argument in call.args):
            raise _not_known(use)
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if named.keys() & _OTHERWISE:
            raise _not_known(use)
        uses: set[FileUse] = set()
        for place, name, way in takes.places:
            node = call.args[place] if place < len(call.args) else named.get(name)
            texts = None if node is None else self._reader.texts.of(node, paths=True)
            if texts is None:
                raise Missing(
                    f"which file {use.name} opens in line {use.node.lineno} is only known when the code runs"
                )
            ways = (way,) if takes.mode is None else self._ways(use, call, takes.mode)
            uses |= {FileUse(path, file_way) for path in texts for file_way in ways}
        return frozenset(uses)

    def _ways(self, use: NamedUse, call: ast.Call, place: int) -> tuple[str, ...]:
        """The uses of a file by a call, from its mode."""
        if any(keyword.arg is None for keyword in call.keywords) or any(
            isinstance(argument, ast.Starred) for argument in call.args
        ):
            raise _not_known(use)
        named = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
        node = call.args[place] if place < len(call.args) else (named[0] if named else None)
        if node is None:
            return (READ,)
        modes = [_MODE.fullmatch(text) for text in self._reader.texts.of(node) or ("",)]
        if not all(modes):
            raise Missing(f"how {use.name} opens a file in line {use.node.lineno} is not known")
        return tuple(
            sorted(
                {READ for mode in modes if mode is not None and (mode[1] == "r" or mode[2])}
                | {WRITE for mode in modes if mode is not None and (mode[1] != "r" or mode[2])}
            )
        )


def _not_known(use: NamedUse) -> Missing:
    return Missing(f"which files {use.name} in line {use.node.lineno} opens is not known")

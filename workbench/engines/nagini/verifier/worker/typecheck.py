"""mypy inside the verifier's process, with the trees of the standard library kept in memory.

Nagini checks the types of every program with mypy and reads their types from its trees. A mypy build reads
its cache of some forty modules each time, which takes longer than checking a lowered program. ``keep_warm``
makes one build of a program that only imports the contracts, and lets each later one add its new module to
it. Nothing of an earlier program stays: its tree, its types and its messages are dropped before. If anything
unexpected happens, a full build is made.
"""

# mypy is the one that Nagini pins, which the project's own type checker does not read.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

MAIN = "__main__"
_EMPTY = "from nagini_contracts.contracts import *\n"


class WarmBuild:
    """Replaces ``mypy.build.build``."""

    def __init__(self) -> None:
        """Keep no build yet."""
        import mypy.build

        self._mypy: Any = mypy.build
        self._plain: Any = mypy.build.build
        self._find: Any = mypy.build.find_cache_meta
        self._kept_build: Any = None
        self._types: dict[Any, Any] = {}
        self.added = 0
        """How many programs were added to the build that is kept."""

    def keep_warm(self, folder: Path) -> None:
        """Build a program that only imports the contracts, in a folder, and keep the build.

        Raises:
            Exception: any error of mypy and Nagini; then every build is a full one.
        """
        from nagini_translation.lib.typeinfo import TypeInfo

        path = folder / "early.py"
        path.write_text(_EMPTY, encoding="ascii")
        self._mypy.build = self
        TypeInfo().check(str(path))

    def __call__(self, sources: list[Any], options: Any, *rest: Any, **settings: Any) -> Any:
        """Build ``sources``: as an addition to the kept build, if that is possible."""
        try:
            return self._added(sources, options) or self._full(sources, options, *rest, **settings)
        finally:
            # Nagini wraps this function again for every program.
            self._mypy.find_cache_meta = self._find

    def _full(self, sources: list[Any], options: Any, *rest: Any, **settings: Any) -> Any:
        result = self._plain(sources, options, *rest, **settings)
        if self._kept_build is None and options.strict_optional and not result.errors:
            self._kept_build, self._types = result, dict(result.manager.all_types)
        return result

    def _added(self, sources: list[Any], options: Any) -> Any:
        """The kept build with one module in place of its main one; None if that is impossible."""
        build = self._kept_build
        if build is None or not options.strict_optional or len(sources) != 1 or sources[0].module != MAIN:
            return None
        try:
            return self._with_main(build, sources[0].path)
        except Exception:
            # Errors that end a build may leave it incomplete; a full build reports them.
            self._kept_build = None
            return None

    def _with_main(self, build: Any, path: str) -> Any:
        manager = build.manager
        messages: list[str] = []
        manager.errors.reset()

        def note_messages(new_messages: list[str], _serious: bool) -> None:
            messages.extend(new_messages)

        manager.flush_errors = note_messages
        manager.options.cache_dir = os.devnull  # the program is not to be stored on disk
        manager.modules.pop(MAIN, None)
        manager.ast_cache.pop(MAIN, None)
        manager.all_types = dict(self._types)
        self._mypy.reset_global_state()
        graph = {name: state for name, state in build.graph.items() if name != MAIN}
        text = Path(path).read_text(encoding="utf-8")
        main = self._mypy.State(MAIN, path, text, manager, root_source=True)
        if main.suppressed or not all(name in graph for name in main.dependencies):
            raise LookupError("the program imports what the build that is kept does not have")
        graph = {MAIN: main, **graph}
        self._mypy.process_stale_scc(graph, [MAIN], manager)
        self._mypy.type_state.reset_all_subtype_caches()
        result = self._mypy.BuildResult(manager, graph)
        result.errors = messages
        self.added += 1
        return result

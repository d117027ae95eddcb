"""Names of agents and worlds: ``MODULE:NAME``, where a module may be the path of a file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import cast

from workbench.live.protocol import Agent, Task, World
from workbench.live.world_worker import error_text
from workbench.model import WorkbenchError


def agent_named(name: str) -> Agent:
    """The agent of this name; its module is imported and so runs. Raises WorkbenchError if it is missing."""
    agent = _named(name, "--agent")
    if not callable(agent):
        raise WorkbenchError(f"{name} is no function that takes a run.")
    return cast("Agent", agent)


def world_named(name: str) -> type[World]:
    """The class of the world of this name. Raises WorkbenchError if it is missing."""
    world = _named(name, "--world")
    missing = [method for method in ("tasks", "call", "judge") if not callable(getattr(world, method, None))]
    if not isinstance(world, type) or missing:
        raise WorkbenchError(
            f"{name} is no class of a world: it needs {', '.join(missing) or 'to be a class'}."
        )
    return cast("type[World]", world)


def tasks_of(world: Callable[[], object], task_names: tuple[str, ...] = ()) -> tuple[Task, ...]:
    """The tasks of a world, or those with the given ids. Raises WorkbenchError for an unknown id."""
    try:
        tasks = list(cast("Iterable[object]", world()))
    except (Exception, SystemExit) as error:  # a script that exits has not run the agent
        raise WorkbenchError(f"The world cannot say its tasks: {error_text(error)}") from error
    task_by_id = {task.id: task for task in tasks if isinstance(task, Task)}
    if len(task_by_id) < len(tasks):
        raise WorkbenchError("Each of the world's tasks has to be a Task, with an id of its own.")
    unknown = [id_ for id_ in task_names if id_ not in task_by_id]
    if unknown or not task_by_id:
        known_tasks = ", ".join(task_by_id) or "none"
        raise WorkbenchError(f"The world has no task {', '.join(unknown) or 'at all'}; it has {known_tasks}.")
    return tuple(task_by_id[id_] for id_ in task_names) if task_names else tuple(task_by_id.values())


def _named(name: str, option: str) -> object:
    module, colon, attribute = name.rpartition(":")
    if not colon or not module or not attribute:
        raise WorkbenchError(f"{option} {name!r} is no MODULE:NAME, such as shop.py:agent.")
    try:
        loaded = _file(Path(module)) if module.endswith(".py") else _module(module)
    except WorkbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise WorkbenchError(f"{module} cannot be imported: {error_text(error)}") from error
    if not hasattr(loaded, attribute):
        raise WorkbenchError(f"{module} has no {attribute}.")
    return getattr(loaded, attribute)


def _module(name: str) -> ModuleType:
    current_folder = str(Path.cwd())
    if current_folder not in sys.path:
        sys.path.insert(0, current_folder)
    return importlib.import_module(name)


def _file(path: Path) -> ModuleType:
    if not path.is_file():
        raise WorkbenchError(f"There is no file {path}.")
    whole = path.resolve()
    name = f"live_{whole.stem}_{hashlib.sha256(str(whole).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, whole)
    if spec is None or spec.loader is None:
        raise WorkbenchError(f"{path} is no file of Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

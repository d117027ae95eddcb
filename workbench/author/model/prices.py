"""Prices of tokens: the table of the workbench, and the table that a user writes.

A model in neither table has an unknown price; nothing is guessed from a similar name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.author.model.errors import shown_line
from workbench.author.model.progress import Usage
from workbench.files.bounded_text import load_toml
from workbench.files.private import data_folder
from workbench.model import WorkbenchError

SHIPPED = Path(__file__).with_name("prices.toml")
FILE = "prices.toml"
_VERSION = r"(?:-\d{4}-\d\d-\d\d|-\d{8}|-\d{3,4}|-latest)?"

type Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """The price of a million tokens: of the prompt, of the cached part of a prompt, of the reply."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: Amount
    reply: Amount
    cached: Amount | None = None

    def of(self, usage: Usage) -> float:
        """The price of tokens."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (fresh * self.prompt + usage.cached_tokens * cached + usage.reply_tokens * self.reply) / 1e6


class _Provider(BaseModel):
    model_config = ConfigDict(extra="forbid")

    hosts: list[str] = []
    models: dict[str, Price]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str = ""
    provider: list[_Provider] = []


@dataclass(frozen=True, slots=True)
class PriceFound:
    """A price and the file that has it."""

    price: Price
    source: str


def price_of(model: str, host: str, environment: Mapping[str, str] = os.environ) -> PriceFound | None:
    """The price of a model at a host; the user's table takes precedence over the workbench's.

    Raises WorkbenchError if the user's table cannot be read.
    """
    for path in (user_table(environment), SHIPPED):
        for provider in _read(path, _stamp(path)).provider:
            if provider.hosts and not any(_is_at(host, name) for name in provider.hosts):
                continue
            for name, price in provider.models.items():
                if re.fullmatch(re.escape(name) + _VERSION, model.removeprefix("models/")):
                    return PriceFound(price, str(path) if path != SHIPPED else "the workbench's table")
    return None


def user_table(environment: Mapping[str, str] = os.environ) -> Path:
    """The user's table: ``WORKBENCH_PRICES``, else ``prices.toml`` in the user's data folder."""
    named = environment.get("WORKBENCH_PRICES", "").strip()
    return Path(named).expanduser() if named else data_folder() / FILE


def _is_at(host: str, name: str) -> bool:
    return host == name or (name.startswith(".") and host.endswith(name))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read(path: Path, stamp: tuple[int, int]) -> _Table:
    """The table of a file with the modification ``stamp``; an empty one without a file."""
    if stamp == (0, 0):
        return _Table()
    try:
        return _Table.model_validate(load_toml(path.read_text(encoding="utf-8"), float))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise WorkbenchError(f"{path}: {shown_line(f'{where}: {first["msg"]}')}.") from None
    except (OSError, ValueError) as error:
        raise WorkbenchError(f"{path} cannot be read: {shown_line(error)}.") from None

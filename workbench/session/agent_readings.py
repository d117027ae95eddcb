"""Readings of ``agent.toml``: what policies of calls read out of texts, read strictly and written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import ConfigDict

from workbench.dialect.text_readings import METHODS, name_refused
from workbench.files.strict_reading import FileForm, TablePlace, nearest
from workbench.model import Extraction, TextReading
from workbench.session.agent_records import ArgumentTypeForm, declared_type, type_table
from workbench.session.toml_json import to_json, to_toml
from workbench.session.toml_text import Toml, compact


class ExtractForm(FileForm):
    """The way to obtain a value from a call or a text: a method, and its options."""

    model_config = ConfigDict(extra="allow")

    method: str


class ReadingForm(ArgumentTypeForm):
    """What is read out of a text: its type, the method, and the only texts that have it."""

    description: str = ""
    texts: tuple[str, ...] = ()
    extract: ExtractForm


def extraction_of(read: ExtractForm, place: TablePlace) -> Extraction:
    """The method and its options. Raises FileError for an option that JSON does not have."""
    options = {key: to_json(value, place, key) for key, value in (read.model_extra or {}).items()}
    return Extraction(read.method, options)


def read_readings(forms: Mapping[str, ReadingForm], place: TablePlace) -> tuple[TextReading, ...]:
    """The readings of a file. Raises FileError with the place of a mistake."""
    return tuple(_reading(name, form, place.below("readings", name)) for name, form in forms.items())


def _reading(name: str, form: ReadingForm, place: TablePlace) -> TextReading:
    if why := name_refused(name):
        raise place.error(None, why)
    if form.optional:
        raise place.error(
            "optional",
            f'the reading "{name}" cannot be optional: what is not read is not determinable.',
            "A list or set is empty where nothing is found.",
        )
    if form.extract.method not in METHODS:
        message = f'the reading "{name}" has the unknown method "{form.extract.method}".'
        raise place.below("extract").error("method", message, nearest(form.extract.method, METHODS))
    type_ = declared_type(name, form, {}, place)
    extraction = extraction_of(form.extract, place.below("extract"))
    return TextReading(name, type_, extraction, form.description, form.texts)


def reading_table(reading: TextReading) -> dict[str, Toml]:
    """The table of a reading."""
    table = type_table(replace(reading.type, optional=False), {})
    if reading.description:
        table["description"] = reading.description
    if reading.texts:
        table["texts"] = list(reading.texts)
    options = {key: to_toml(value) for key, value in reading.extraction.options.items()}
    table["extract"] = compact({"method": reading.extraction.method, **options})
    return table

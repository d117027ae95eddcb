"""Sources of ``agent.toml``: the origins of fields of elements, read strictly and written back.

The file has a form of its own, next to the noun, whose name is the key of the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from workbench.files.strict_reading import FileForm, Flag, TablePlace
from workbench.likeness import did_you_mean
from workbench.model import FieldSource, Kind, Record
from workbench.session.toml_json import table_of
from workbench.session.toml_text import Toml, compact

_KINDS = (Kind.STR, Kind.INT, Kind.ENUM)


class SourceForm(FileForm):
    """The source of a field of a list's element."""

    of: str
    text: tuple[str, ...] = FieldSource("", "").text
    names: dict[str, tuple[str, ...]] = Field({})
    exact: Flag = False


def read_sources(
    element: Record, forms: Mapping[str, SourceForm], place: TablePlace
) -> tuple[FieldSource, ...]:
    """The sources of an element of lists. Raises FileError with the place of a mistake."""
    fields = {field.name: field for field in element.fields}
    taken_names = {name for name, _ in element.type.fields}
    for name, form in forms.items():
        if not name.isidentifier() or not name.isascii() or name in taken_names:
            message = f'the source "{name}" needs a name of its own, of plain letters, digits and "_".'
            raise place.below("source").error(name, message)
        of = fields.get(form.of)
        if of is None or of.type.kind not in _KINDS or of.part:
            field_names = [
                field.name for field in element.fields if field.type.kind in _KINDS and not field.part
            ]
            raise place.below("source", name).error(
                "of",
                f'"{form.of}" is no field of the element that is a whole text or int.',
                did_you_mean(form.of, field_names, 'Did you mean "{}"?')
                or f"Known here: {', '.join(field_names)}.",
            )
        if not form.text:
            raise place.below("source", name).error("text", '"text" names the words of the user that count.')
    return tuple(
        FieldSource(name, form.of, form.text, form.names, form.exact) for name, form in forms.items()
    )


def source_table(source: FieldSource) -> Toml:
    """The table of a source."""
    return compact(table_of(source, without=("name",)))

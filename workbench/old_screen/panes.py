"""Where the panes lie: areas side by side or one over the other, with sizes that a person may change.

Pure arithmetic on rectangles; ``widgets.workspace`` draws it. An area is a pane, or is divided among
areas. An area without any pane to show takes no room, and its neighbours share what it leaves.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from textual.geometry import Region

LEAST_ACROSS = 12
LEAST_DOWN = 4

type Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Area:
    """A pane, or parts ``across`` or down. ``size`` is a weight, or cells where it is ``fixed``."""

    name: str
    size: int
    parts: tuple[Area, ...] = ()
    across: bool = False
    fixed: bool = False

    def shown(self, visible: Collection[str]) -> bool:
        """Whether any pane of the area is visible."""
        return any(part.shown(visible) for part in self.parts) if self.parts else self.name in visible


@dataclass(frozen=True, slots=True)
class Border:
    """The line between two neighbouring areas of one division."""

    division: Area
    before: str
    after: str
    region: Region


LARGE = Area(
    "large",
    1,
    (
        Area("question", 56, fixed=True),
        Area("rail", 34, fixed=True),
        Area(
            "main",
            1,
            (
                Area("top", 5, (Area("policy", 3), Area("cases", 2), Area("proof", 2)), across=True),
                Area("bottom", 4, (Area("replay", 7), Area("details", 3)), across=True),
            ),
        ),
    ),
    across=True,
)

MEDIUM = Area(
    "medium",
    1,
    (
        Area("question", 42, fixed=True),
        Area("rail", 26, fixed=True),
        Area("left", 11, (Area("policy", 7), Area("replay", 5))),
        Area("right", 10, (Area("cases", 3), Area("proof", 4), Area("details", 5))),
    ),
    across=True,
)


def extents(parts: Sequence[Area], total: int, sizes: Sizes) -> list[int]:
    """The cells of each part along a division: fixed ones first, the rest by weight, all of it used."""
    wanted = [max(sizes.get(part.name, part.size), 1) for part in parts]
    fixed = sum(size for size, part in zip(wanted, parts, strict=True) if part.fixed)
    weights = [0 if part.fixed else max(size, 1) for size, part in zip(wanted, parts, strict=True)]
    if fixed > total or not sum(weights):
        weights, fixed = [max(size, 1) for size in wanted], 0
    else:
        total -= fixed
    found: list[int] = []
    done = passed = 0
    for size, weight in zip(wanted, weights, strict=True):
        if not weight:
            found.append(size)
            continue
        passed += weight
        upto = total * passed // sum(weights)
        found.append(upto - done)
        done = upto
    return found


def laid_out(area: Area, region: Region, visible: Collection[str], sizes: Sizes) -> dict[str, Region]:
    """The region of every area that shows anything, panes and divisions alike."""
    found = {area.name: region}
    parts = [part for part in area.parts if part.shown(visible)]
    total = region.width if area.across else region.height
    at = region.x if area.across else region.y
    for part, extent in zip(parts, extents(parts, total, sizes), strict=True):
        place = (
            Region(at, region.y, extent, region.height)
            if area.across
            else Region(region.x, at, region.width, extent)
        )
        found |= laid_out(part, place, visible, sizes)
        at += extent
    return found


def borders(area: Area, places: Mapping[str, Region]) -> list[Border]:
    """The lines between neighbours: the last cells of the one and the first of the other."""
    found: list[Border] = []
    parts = [part for part in area.parts if part.name in places]
    for before, after in pairwise(parts):
        edge = places[after.name]
        line = (
            Region(edge.x - 1, edge.y, 2, edge.height)
            if area.across
            else Region(edge.x, edge.y - 1, edge.width, 2)
        )
        found.append(Border(area, before.name, after.name, line))
    for part in parts:
        found += borders(part, places)
    return found


def moved(border: Border, places: Mapping[str, Region], sizes: Sizes, by: int) -> dict[str, int]:
    """The sizes after a border was moved by some cells; neither neighbour becomes too small to read."""
    across = border.division.across
    least = LEAST_ACROSS if across else LEAST_DOWN
    extent = {
        part.name: places[part.name].width if across else places[part.name].height
        for part in border.division.parts
        if part.name in places
    }
    room = (min(least - extent[border.before], 0), max(extent[border.after] - least, 0))
    by = max(room[0], min(by, room[1]))
    extent[border.before] += by
    extent[border.after] -= by
    return {**sizes, **extent}


def border_of(pane: str, across: bool, found: Sequence[Border], area: Area) -> tuple[Border, int] | None:
    """The border that makes a pane wider or higher, and in which direction it moves for that."""
    path = _path(area, pane)
    for border in reversed(found):
        if border.division.across is across:
            if border.before in path:
                return border, 1
            if border.after in path:
                return border, -1
    return None


def _path(area: Area, pane: str) -> set[str]:
    if area.name == pane:
        return {pane}
    for part in area.parts:
        if inner := _path(part, pane):
            return {area.name, *inner}
    return set()

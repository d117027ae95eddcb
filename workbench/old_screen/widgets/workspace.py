"""The panes side by side; borders are moved with the mouse or by keys, and panes put away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events
from textual.geometry import Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.widget import Widget

from workbench.old_screen.panes import LARGE, MEDIUM, Area, Border, Sizes, border_of, borders, laid_out, moved
from workbench.old_screen.styles import style_sheet

STEP_ACROSS = 4
STEP_DOWN = 2


class PanesLayout(Layout):
    """Places the visible panes by the workspace's areas."""

    name = "panes"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """The places of the children. Called by Textual."""
        del greedy
        assert isinstance(parent, Workspace)
        parent.pre_layout(self)
        places = parent.place(size, {child.id or "" for child in children})
        nowhere = Region(0, 0, 0, 0)
        return [
            WidgetPlacement(
                places.get(child.id or "", nowhere),
                child.styles.offset.resolve(size, size),
                child.styles.margin,
                child,
            )
            for child in children
        ]


class Workspace(Widget):
    """Holds the panes. Where they do not fit side by side the style sheet shows one at a time."""

    DEFAULT_CSS = style_sheet(__file__)

    @dataclass
    class Resized(Message):
        """The person changed sizes; ``area`` names the layout that they belong to."""

        area: str
        sizes: Sizes

    def __init__(self, *panes: Widget, id: str | None = None) -> None:
        """Take the panes; their ids are the names of their areas."""
        super().__init__(*panes, id=id)
        self._default_layout = PanesLayout()
        self.sizes: dict[str, Sizes] = {}
        self.places: Mapping[str, Region] = {}
        self._held: tuple[Border, int] | None = None

    @property
    def area(self) -> Area:
        """The division in use."""
        return LARGE if self.screen.has_class("-large") else MEDIUM

    @property
    def single(self) -> bool:
        """Whether only one pane is shown, so that there is nothing to resize."""
        return self.styles.layout is not None

    def place(self, size: Size, visible: set[str]) -> Mapping[str, Region]:
        """The regions of the visible panes, and of the areas that they lie in."""
        sizes = self.sizes.get(self.area.name, {})
        self.places = laid_out(self.area, Region(0, 0, *size), visible, sizes)
        return self.places

    # --- moving borders

    def grow(self, pane: str, across: bool, direction: int) -> None:
        """Make a pane wider or higher, or with a negative direction the reverse."""
        found = None if self.single else border_of(pane, across, borders(self.area, self.places), self.area)
        if found is not None:
            border, sign = found
            self._move(border, sign * direction * (STEP_ACROSS if across else STEP_DOWN))

    def reset_sizes(self) -> None:
        """The usual sizes again."""
        self._take({})

    def _move(self, border: Border, by: int) -> None:
        self._take(moved(border, self.places, self.sizes.get(self.area.name, {}), by))

    def _take(self, sizes: Sizes) -> None:
        self.sizes = {**self.sizes, self.area.name: sizes}
        self._clear_arrangement_cache()  # Textual clears only those of the ancestors
        self.refresh(layout=True)
        self.post_message(self.Resized(self.area.name, sizes))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the border under the pointer."""
        x, y = event.screen_x - self.region.x, event.screen_y - self.region.y
        for border in () if self.single else borders(self.area, self.places):
            if border.region.contains(x, y):
                self._held = border, x if border.division.across else y
                self.capture_mouse()
                event.stop()
                return

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the border that is held."""
        if self._held is None:
            return
        border, before = self._held
        at = event.screen_x - self.region.x if border.division.across else event.screen_y - self.region.y
        if at != before:
            self._held = border, at
            self._move(border, at - before)
            self.places = self.place(self.size, {child.id or "" for child in self.children if child.display})

    def on_mouse_up(self) -> None:
        """Let go."""
        if self._held is not None:
            self._held = None
            self.release_mouse()


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample import CONTENTS, VERDICTS
    from workbench.old_screen.widgets.proof import ProofPane
    from workbench.old_screen.widgets.rail import Rail

    RAIL, PROOF = Rail(id="rail"), ProofPane(id="proof")

    def fill(workspace: Workspace) -> None:
        """Show two panes."""
        del workspace
        RAIL.show(CONTENTS)
        PROOF.show(VERDICTS, CONTENTS.requirements)

    run_alone(Workspace(RAIL, PROOF, id="workspace"), fill)

"""How a table fits a terminal: in columns where there is room, else each row by itself on as many lines as it takes.

Nothing is left out either way, and names, ids and times are never broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.text import Text

FLEXIBLE: Final = frozenset(
    ("when", "calls", "result", "error", "excludes", "description", "days", "state", "holiday")
)
"""Columns whose cells may take several lines."""
NARROWEST: Final = 20
"""Cells that a flexible column keeps at least, unless its text is shorter."""
MOST_LINES: Final = 3
"""Lines of a cell at most; with more a table is no table any more."""
GAP: Final = 2
INDENT: Final = "    "


def fitted(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, style: Callable[[str], str]
) -> Iterator[Text]:
    """Yield the lines of a table for a terminal of `width` cells; `style` names the style of a cell's text."""
    widths = _widths(columns, rows, width)
    if widths is None:
        for row in rows:
            yield from _stacked(columns, row, width, style)
        return
    yield _line([Text(name, "bold") for name in columns], widths)
    yield Text("─" * (sum(widths) + GAP * (len(widths) - 1)), "dim")
    for row in rows:
        cells = [[Text(line, style(cell)) for line in _wrapped(cell, room)]
                 for cell, room in zip(row, widths, strict=True)]  # fmt: skip
        for place in range(max(map(len, cells))):
            yield _line([cell[place] if place < len(cell) else Text() for cell in cells], widths)


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """The widths of the columns, or None where they cannot stand beside each other."""
    wide = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
    over = sum(wide) + GAP * (len(wide) - 1) - width
    while over > 0:
        # The widest gives first, down to the next one's width: so all that are long end equally long.
        soft = [place for place, name in enumerate(columns) if name in FLEXIBLE and wide[place] > NARROWEST]
        if not soft:
            return None
        place = max(soft, key=lambda one: wide[one])
        others = [wide[one] for one in soft if wide[one] < wide[place]]
        least = max([NARROWEST, *others])
        taken = min(over, max(1, wide[place] - least))
        wide[place] -= taken
        over -= taken
    tall = any(
        len(_wrapped(cell, room)) > MOST_LINES for row in rows for cell, room in zip(row, wide, strict=True)
    )
    return None if tall else wide


def _stacked(
    columns: Sequence[str], row: Sequence[str], width: int, style: Callable[[str], str]
) -> Iterator[Text]:
    """The lines of one row: its name, then what else there is, each under its heading."""
    line, used = Text(row[0], "bold"), cell_len(row[0])
    for name, cell in zip(columns[1:], row[1:], strict=True):
        if cell == "-":
            continue
        room = cell_len(name) + 1 + cell_len(cell)
        if used > len(INDENT) and used + GAP + room > width:
            yield line
            line, used = Text(INDENT), len(INDENT)
        if used > len(INDENT):
            line.append(" " * GAP)
            used += GAP
        line.append(f"{name} ", "dim")
        parts = _wrapped(cell, width - used - cell_len(name) - 1)
        for part in parts[:-1]:
            yield line + Text(part, style(cell))
            line = Text(" " * (used + cell_len(name) + 1))
        line.append(parts[-1], style(cell))
        used += cell_len(name) + 1 + cell_len(parts[-1])
    yield line


def _line(cells: Sequence[Text], widths: Sequence[int]) -> Text:
    line = Text()
    for cell, width in zip(cells, widths, strict=True):
        line.append_text(cell).append(" " * (width - cell.cell_len + GAP))
    line.rstrip()
    return line


def _wrapped(cell: str, width: int) -> list[str]:
    """A cell on lines of at most `width`, broken between words where there are any."""
    if cell_len(cell) <= width:
        return [cell]
    lines, line = [], ""
    for word in cell.split(" "):
        if line and cell_len(line) + 1 + cell_len(word) <= width:
            line += " " + word
            continue
        if line:
            lines.append(line)
        *whole, line = chop_cells(word, max(width, 2)) or [""]
        lines += whole
    return [*lines, line]

# SPDX-License-Identifier: Apache-2.0
"""Draws rows of a bench as SVG: one line per row, one dot per trial, on a logarithmic axis."""
import json
import math
from typing import Any, Dict, List
from xml.sax.saxutils import escape

LINE = 22
TOP = 26
LABEL_WIDTH = 330
PLOT_WIDTH = 520
STYLE = (
    "text{font:12px sans-serif;fill:#333}.grid{stroke:#ddd}.dot{fill:#2a6fb0;fill-opacity:.45}"
    ".median{stroke:#c0392b;stroke-width:2}.count{fill:#777}"
)


def label_of(row: Dict[str, Any], varying: List[str]) -> str:
    return " ".join(str(row["params"].get(key, "")) for key in varying) or row["name"]


def tick_text(value: float) -> str:
    return f"{value:g}"


def remark(row: Dict[str, Any]) -> str:
    """The text right of a row: the number of won trials, if counted."""
    counts = dict(row.get("counts", []))
    if "won" in counts and "trials" in counts:
        return f"{counts['won']} of {counts['trials']} won"
    return f"n={row['n']}"


def picture(rows: List[Dict[str, Any]]) -> str:
    """An SVG document; the same rows give the same text."""
    keys = list(dict.fromkeys(key for row in rows for key in row["params"]))
    varying = [key for key in keys if len({json.dumps(row["params"].get(key)) for row in rows}) > 1]
    # A logarithmic axis has no zero; results are rounded to three decimals.
    values = [max(sample, 0.001) for row in rows for sample in row.get("samples", [])]
    low = math.floor(math.log10(min(values))) if values else 0
    high = max(math.ceil(math.log10(max(values))) if values else 1, low + 1)
    height = TOP + LINE * len(rows) + 34

    def x_of(value: float) -> float:
        share = (math.log10(max(value, 0.001)) - low) / (high - low)
        return round(LABEL_WIDTH + share * PLOT_WIDTH, 1)

    bottom = TOP + LINE * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL_WIDTH + PLOT_WIDTH + 110}" height="{height}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for power in range(low, high + 1):
        x = x_of(10.0**power)
        lines.append(f'<line class="grid" x1="{x}" y1="{TOP - 6}" x2="{x}" y2="{bottom}"/>')
        lines.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{tick_text(10.0 ** power)}</text>')
    for number, row in enumerate(rows):
        y = TOP + LINE * number + LINE // 2
        label = escape(label_of(row, varying))
        lines.append(f'<text x="{LABEL_WIDTH - 10}" y="{y + 4}" text-anchor="end">{label}</text>')
        for sample in row.get("samples", []):
            lines.append(f'<circle class="dot" cx="{x_of(sample)}" cy="{y}" r="3.5"/>')
        if row.get("samples"):
            x = x_of(row["p50"])
            lines.append(f'<line class="median" x1="{x}" y1="{y - 8}" x2="{x}" y2="{y + 8}"/>')
        lines.append(f'<text class="count" x="{LABEL_WIDTH + PLOT_WIDTH + 10}" y="{y + 4}">{escape(remark(row))}</text>')
    unit = escape(" and ".join(sorted({row["unit"] for row in rows})))
    lines.append(f'<text x="{LABEL_WIDTH + PLOT_WIDTH / 2}" y="{bottom + 31}" text-anchor="middle">{unit}</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"

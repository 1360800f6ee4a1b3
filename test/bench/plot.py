# SPDX-License-Identifier: BSD-3-Clause
"""plot.py – the results as a picture (SVG, written by hand: no library is needed).

One line per row, logarithmic, left is better:

    measure          0.25    0.5     1      2      4
    latency  ████████████|   .       ○  ●                bar: Mend; | target; ○ MPICH ● Open MPI

Rows with peers: time relative to the better peer (where more is better: the inverse).  Rows of Mend
alone: relative to the limit, so the target is 1."""
import math
from html import escape

LEFT, RIGHT, TOP, ROW, WIDTH = 330, 90, 70, 17, 980
LEAST, MOST = 1 / 32, 8
GOOD, BAD, OPEN, MPICH, OPENMPI = "#2a7f4f", "#b5382a", "#9aa0a6", "#6b4fa0", "#d98a00"


def x_of(value):
    share = (math.log(min(MOST, max(LEAST, value))) - math.log(LEAST)) / \
        (math.log(MOST) - math.log(LEAST))
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def relative(result):
    """(Mend, target, {peer: value}) relative to the better peer or to the limit; None: no figure."""
    mend = result["figures"]["mend"]
    if not mend or result["limit"] is None:
        return None
    if result["against"] == "peers":
        peers = {k: result["figures"][k]["value"] for k in ("mpich", "openmpi")
                 if result["figures"][k]}
        best = (max if result["more"] else min)(peers.values())
        turn = (lambda v: best / v) if result["more"] else (lambda v: v / best)
        target = 1 / result["limit"] if result["more"] else result["limit"]
        return turn(mend["value"]), target, {k: turn(v) for k, v in peers.items()}
    in_unit = result["ratio"] is None or "+" in result["target"]
    return (mend["value"] if in_unit else result["ratio"]) / result["limit"], 1, {}


def text(x, y, words, anchor="start", size=11, colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}">{escape(words)}</text>')


def line(x1, y1, x2, y2, colour, width=1.0, dash=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"{f" stroke-dasharray={chr(34)}{dash}{chr(34)}" if dash else ""}/>')


def row_marks(result, y):
    found = relative(result)
    yield text(LEFT - 8, y + 4, result["title"], "end")
    if not found:
        yield text(LEFT + 4, y + 4, "no figure", colour=BAD)
        return
    mine, target, peers = found
    colour = GOOD if result["met"] else BAD if result["applies"] else OPEN
    yield (f'<rect x="{LEFT}" y="{y - 5}" width="{max(1, x_of(mine) - LEFT):.1f}" height="10" '
           f'fill="{colour}"/>')
    yield line(x_of(target), y - 8, x_of(target), y + 8, "#111", 2)
    for key, shade in (("mpich", MPICH), ("openmpi", OPENMPI)):
        if key in peers:
            yield (f'<circle cx="{x_of(peers[key]):.1f}" cy="{y}" r="4" fill="{shade}" '
                   f'fill-opacity="0.85"/>')
    yield text(WIDTH - RIGHT + 8, y + 4, f"{mine:.2f}" + (" !" if result["noisy"] else ""))


def axis(bottom):
    tick = LEAST
    while tick <= MOST:
        yield line(x_of(tick), TOP - 8, x_of(tick), bottom, "#111" if tick == 1 else "#ddd",
                   1, "" if tick == 1 else "2 3")
        label = f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}"
        yield text(x_of(tick), TOP - 14, label, "middle", 10, "#555")
        tick *= 2


def legend(about):
    yield text(12, 20, "Mend beside MPICH and Open MPI: time relative to the better of the two "
                       "(Mend alone: to the limit); left is better", size=13)
    x = 12
    for colour, words in ((GOOD, "Mend, target met"), (BAD, "missed"),
                          (OPEN, "condition of the target does not hold here"),
                          (MPICH, "MPICH"), (OPENMPI, "Open MPI")):
        yield f'<rect x="{x}" y="31" width="10" height="10" fill="{colour}"/>'
        yield text(x + 14, 40, words, size=10)
        x += 28 + 6 * len(words)
    yield line(x, 29, x, 43, "#111", 2)
    yield text(x + 6, 40, f"target      {about['cpu']}, {about['cores']} cores, {about['date']}", size=10)


def as_svg(results, about):
    bottom = TOP + ROW * len(results)
    marks = [*legend(about), *axis(bottom)]
    for i, result in enumerate(results):
        marks += row_marks(result, TOP + ROW * i + ROW / 2)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 12}" '
            f'font-family="sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(marks) + "\n</svg>\n")

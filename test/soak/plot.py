# SPDX-License-Identifier: BSD-3-Clause
"""plot.py – what a job holds over its cycles, as a picture: one small diagram per quantity (SVG,
written by hand: no library is needed).  Lines are rank 0 and rank 1, which live for ever; dots are the
members that come and go."""
from html import escape

WIDTH, HEIGHT, COLUMNS = 300, 130, 3
LEFT, TOP, GAP = 60, 70, 46
COLOURS = {0: "#2a7f4f", 1: "#6b4fa0"}
MEMBERS = [("own_kib", "own memory of a rank, KiB"), ("bytes", "memory of its library, bytes"),
           ("contexts", "communicators, with graves"), ("fds", "descriptors of a rank"),
           ("parked", "frames nobody took yet"), ("segment_kib", "the job's segment, KiB"),
           ("shared_kib", "of which a rank has looked at, KiB")]
LAUNCHER = [("launcher_kib", "memory of mpiexec, KiB"), ("launcher_fds", "descriptors of mpiexec")]


def text(x, y, words, anchor="start", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


def diagram(index, title, lines, dots, cycles):
    """lines: (colour, points)."""
    x0 = LEFT + index % COLUMNS * (WIDTH + GAP)
    y0 = TOP + index // COLUMNS * (HEIGHT + GAP)
    top = max([v for _, points in lines for _, v in points] + [v for _, v in dots] + [1]) * 1.15
    at = lambda c, v: (x0 + WIDTH * c / cycles, y0 + HEIGHT * (1 - v / top))  # noqa: E731
    yield f'<rect x="{x0}" y="{y0}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>'
    yield text(x0, y0 - 6, title, size=12)
    yield text(x0 - 4, y0 + 10, f"{top:,.0f}", "end", 9)
    yield text(x0 - 4, y0 + HEIGHT, "0", "end", 9)
    yield text(x0 + WIDTH, y0 + HEIGHT + 12, f"{cycles:,} cycles", "end", 9)
    for c, v in dots:
        x, y = at(c, v)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.1" fill="#bbb"/>'
    for colour, points in lines:
        path = " ".join("{:.1f},{:.1f}".format(*at(c, v)) for c, v in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>'


def marks(seen, cycles):
    index = 0
    for key, title in MEMBERS:
        dots = [(r["cycle"], r[key]) for r in seen.rows if r["rank"] > 1 and r[key] != ""]
        yield from diagram(index, title, [(COLOURS[r], seen.series(r, key)) for r in COLOURS], dots, cycles)
        index += 1
    for key, title in LAUNCHER:
        points = [(r["cycle"], r[key]) for r in seen.launcher]
        yield from diagram(index, title, [("#b5382a", points)], [], cycles)
        index += 1


def draw(path, seen, cycles):
    rows = -(-(len(MEMBERS) + len(LAUNCHER)) // COLUMNS)
    width, height = LEFT + COLUMNS * (WIDTH + GAP), TOP + rows * (HEIGHT + GAP) + 10
    with open(path, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'font-family="sans-serif">\n<rect width="100%" height="100%" fill="#fff"/>\n')
        f.write(text(LEFT, 26, f"One job that loses {cycles:,} ranks, one after the other, and is kept at size",
                     size=15) + "\n")
        f.write(text(LEFT, 42, "green and violet: rank 0 and rank 1, which live for ever; grey: those that "
                     "come and go; red: mpiexec") + "\n")
        f.write("\n".join(marks(seen, cycles)) + "\n</svg>\n")

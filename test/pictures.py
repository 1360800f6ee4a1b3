# SPDX-License-Identifier: BSD-3-Clause
"""pictures.py – saves a figure of matplotlib as a small SVG that is the same whenever its data is.
Numbers have one digit behind the point, a path is one line."""
import io
import re

import matplotlib


def save(figure, path):
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "mend", "font.sans-serif": ["DejaVu Sans"]})
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    short = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d\.\d)\d+", r"\1", tag.group()), text.getvalue())
    short = re.sub(r'(?<= d=")[^"]*', lambda path_: " ".join(path_.group().split()), short)
    short = re.sub(r"\n\s*(<!--.*?-->)?(?=\n)", "", short)
    with open(path, "w", encoding="utf-8") as f:
        f.write(short)

#!/usr/bin/env python3
"""Writes the notebook of a program in cells, with what each cell prints and draws.

    python make_notebook.py ../programs/compare_algorithms.py ../notebooks/compare_algorithms.ipynb

Cells begin at lines with `# %%`; those with `[markdown]` are comments. Needs repebble and matplotlib; no Jupyter.
"""

import base64
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile


def cells_of(text):
    """Pairs of a kind and a text."""
    for part in ("\n" + text).split("\n# %%")[1:]:
        head, _, body = part.partition("\n")
        is_prose = "[markdown]" in head
        lines = [line[2:] if is_prose else line for line in body.strip().split("\n")]
        yield "markdown" if is_prose else "code", "\n".join(lines)


def outputs_of(code, names):
    """Runs a cell: what it prints, and the figures that it leaves."""
    import matplotlib.pyplot as pyplot

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<cell>", "exec"), names)
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)}
    for number in pyplot.get_fignums():
        picture = io.BytesIO()
        pyplot.figure(number).savefig(picture, format="png", dpi=80, metadata={"Software": None})
        data = {"image/png": base64.b64encode(picture.getvalue()).decode()}
        yield {"output_type": "display_data", "data": data, "metadata": {}}
    pyplot.close("all")


def main(program, notebook):
    import matplotlib

    matplotlib.use("Agg")
    names, cells = {"__name__": "notebook"}, []
    text, target = pathlib.Path(program).read_text(encoding="utf-8"), pathlib.Path(notebook).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, (kind, source) in enumerate(cells_of(text), 1):
            cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
            if kind == "code":
                cell |= {"execution_count": None, "outputs": list(outputs_of(source, names))}
            cells.append(cell)
        os.chdir(target.parent)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    content = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

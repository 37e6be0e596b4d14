#!/usr/bin/env python3
"""Writes the handwritten digits that scikit-learn carries (1797 images of 8x8 pixels; Alpaydin, Kaynak 1998) as lines of
64 pixels from 0 to 16 and the digit, with commas between.

    digits.py OUT.csv

Takes them from scikit-learn where it is installed, else from its package on PyPI, of which nothing is installed.
"""
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile
import zipfile

INSIDE = "sklearn/datasets/data/digits.csv.gz"


def packed_digits() -> bytes:
    try:
        import sklearn

        return (pathlib.Path(sklearn.__file__).parent.parent / INSIDE).read_bytes()
    except ImportError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", folder]
        subprocess.run([*command, "scikit-learn"], check=True)
        wheel = next(pathlib.Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as files:
            return files.read(INSIDE)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    lines = []
    with gzip.open(io.BytesIO(packed_digits()), "rt") as text:
        for line in text:
            lines.append(",".join(str(int(float(field))) for field in line.strip().split(",")))
    pathlib.Path(sys.argv[1]).write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} images")
    return 0


if __name__ == "__main__":
    sys.exit(main())

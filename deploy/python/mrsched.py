"""Reads results of mrsched: a result directory, FILE.json or FILE.json.gz.

    import mrsched
    r = mrsched.read("results/etl/best")
    print(r.objective, r.lower_bound, r.metrics, r.bounds, r.schedule[0])

It needs Python 3.8 or newer and nothing else; frame() needs pandas. It only reads: `mrsched check` proves a result.
"""

import csv
import gzip
import hashlib
import io
import json
import os

# Columns of schedule.csv that are numbers; all others are texts.
NUMBERS = frozenset(["start", "end", "arrival", "bytes", "cost", "due", "read_across", "slot_cost"])

# A text that begins with apostrophes and then one of these has one apostrophe more in CSV files.
FORMULA_STARTS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


class Result:
    """One result.

    document    all of result.json
    schedule    a dict per task; a list without entries if there is no schedule
    metrics     measures of the schedule, by name, without bounds and run
    bounds      the proven lower bounds, by method
    objective, lower_bound    numbers, or None
    """

    def __init__(self, document, schedule):
        self.document = document
        self.schedule = schedule
        metrics = document.get("metrics", {})
        self.metrics = {name: value for name, value in metrics.items() if name not in ("bounds", "run")}
        self.bounds = {bound["method"]: bound["value"] for bound in metrics.get("bounds", [])}
        self.objective = document.get("objective", {}).get("value")
        self.lower_bound = document.get("lower_bound", {}).get("value")

    def frame(self):
        """The schedule as a pandas DataFrame."""
        import pandas  # only here: everything else works without it
        return pandas.DataFrame(self.schedule)


def read(path, number=float):
    """Reads a result. number makes numbers of their texts: float, or decimal.Decimal for exact values."""
    if not os.path.isdir(path):
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as file:
            document = _result(file.read(), path, number)
        rows = document.pop("schedule", None) or []
        return Result(document, [_row(_flat(row), number) for row in rows])
    several = [name for name in sorted(os.listdir(path)) if os.path.isfile(os.path.join(path, name, "result.json"))]
    if several and not os.path.exists(os.path.join(path, "result.json")):
        raise ValueError("%s: expected one result; read one of its folders: %s" % (path, ", ".join(several)))
    with open(os.path.join(path, "result.json"), "rb") as file:
        document = _result(file.read(), path, number)
    digest = document["sha256"].get("schedule.csv")
    if not digest:
        return Result(document, [])
    with open(os.path.join(path, "schedule.csv"), "rb") as file:
        text = file.read()
    if hashlib.sha256(text).hexdigest() != digest:
        raise ValueError("%s: schedule.csv is not the one that result.json states" % path)
    rows = csv.reader(io.StringIO(text.decode("utf-8"), newline=""))
    header = next(rows)
    return Result(document, [_row(zip(header, map(_bare, row)), number) for row in rows])


def _result(text, path, number):
    document = json.loads(text, parse_float=number)
    if not isinstance(document, dict) or document.get("format") != "mrsched-result/1":
        raise ValueError("%s: expected a result of mrsched, format mrsched-result/1" % path)
    return document


def _flat(row):
    own = row.pop("columns", {})
    return [*row.items(), *own.items()]


def _row(cells, number):
    return {name: _value(name, cell, number) for name, cell in cells}


def _value(name, cell, number):
    if name not in NUMBERS:
        return cell
    return None if cell == "" else number(cell)


def _bare(cell):
    if cell.startswith("'") and cell.lstrip("'")[:1] in FORMULA_STARTS:
        return cell[1:]
    return cell

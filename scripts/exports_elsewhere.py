"""What other tools read from Tare's exports in this folder, against Tare's own figures. Called by scripts/exports-elsewhere."""

import csv
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.compute
import pyarrow.parquet

faults = []


def hold(tool, what, found, wanted, within):
    right = abs(found - wanted) <= within * abs(wanted)
    print(f"{'ok   ' if right else 'WRONG'} {tool}: {what}: {found:.6g}, Tare's {wanted:.6g}")
    if not right:
        faults.append(f"{tool}: {what}")


def launches_of(text):
    """Calls and times of each line of the Go file, by name."""
    found = {}
    for line in text.splitlines():
        if line.startswith("Benchmark"):
            name, calls, time = line.split(" ")[:3]
            found.setdefault(name.removeprefix("Benchmark"), []).append((int(calls), float(time)))
    return found


document = json.loads(Path("exported.json").read_text())
cases = {" ".join(filter(None, [case["benchmark"], (case.get("parameters") or {}).get("name")])): case for case in document["cases"]}
assert len(cases) > 1, "nothing was exported"
launches = launches_of(Path("exported.benchstat").read_text())
spaced = {name.replace("/", " ").replace("_", " "): name for name in launches}
assert spaced.keys() == cases.keys(), (spaced, cases.keys())

# benchstat: medians of the launches, whose mean is Tare's time.
tables = Path("benchstat.csv").read_text().split("typical-sec/op")[0]
medians = {row[0]: float(row[1]) * 1e9 for row in csv.reader(tables.splitlines()) if row and row[0] in launches}
for title, case in cases.items():
    times = [time for _, time in launches[spaced[title]]]
    hold("benchstat", f"median of {title}", medians[spaced[title]], statistics.median(times), 1e-9)
    hold("benchstat's file", f"mean of {title}", statistics.mean(times), case["time"]["estimate"], 1e-9)

# pyperf prints three digits.
units = {"ns": 1.0, "us": 1e3, "ms": 1e6}
shown = re.findall(r"^(\S.*)\n-+\n(?:.*\n)*?Mean \+- std dev: (\S+) (\w+) ", Path("pyperf.txt").read_text(), re.M)
assert len(shown) == len(cases), shown
for title, mean, unit in shown:
    hold("pyperf", f"mean of {title}", float(mean) * units[unit], cases[title]["statistics"]["mean"], 5e-3)

# Raw samples: as many calls as the launches had, and the same sums for both readers.
calls = dict(
    duckdb.sql("select trim(benchmark || ' ' || coalesce(parameters, '')), sum(calls) from 'exported.parquet' where subject = 'case' group by 1").fetchall()
)
for title in cases:
    hold("duckdb", f"calls of {title}", int(calls[title]), sum(count for count, _ in launches[spaced[title]]), 0)
table = pyarrow.parquet.read_table("exported.parquet")
(number, total), = duckdb.sql("select count(*), sum(elapsed_ns) from 'exported.parquet'").fetchall()
hold("pyarrow", "rows", table.num_rows, number, 0)
hold("pyarrow", "sum of elapsed times", pyarrow.compute.sum(table["elapsed_ns"]).as_py(), int(total), 0)

if sys.argv[1]:
    script = Path(sys.argv[1]) / "advanced_statistics.py"
    said = subprocess.run([sys.executable, script, "--time-unit", "millisecond", "exported.hyperfine"], capture_output=True, text=True, check=True).stdout
    means = [float(mean) * 1e6 for mean in re.findall(r"mean:\s+([\d.e-]+)", said)]
    assert len(means) == len(cases), said
    for (title, case), mean in zip(cases.items(), means):
        if case["time"]["estimate"] > 1e6:
            hold("hyperfine's advanced_statistics.py", f"mean of {title}", mean, case["time"]["estimate"], 1e-3)
else:
    print("left out: hyperfine's scripts (HYPERFINE_SCRIPTS names their folder)")
sys.exit(1 if faults else 0)

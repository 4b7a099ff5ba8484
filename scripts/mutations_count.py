"""Counts what scripts/mutations wrote down: false proofs, and proofs of what can't matter."""

import collections
import json
import os
import re


class Count:
    """Mutations, and pairs of a mutation and a case."""

    def __init__(self):
        self.mutations, self.touching_mutations, self.touching, self.false, self.idle, self.proven = 0, 0, 0, 0, 0, 0

    def add(self, record):
        self.mutations += 1
        touched = sum(times for matters, *_, times in record["pairs"] if matters)
        self.touching_mutations += touched > 0
        self.touching += touched
        for matters, finding, _, times in record["pairs"]:
            if matters is False:
                self.idle += times
                self.proven += times * (finding == "unchanged")
            elif matters:
                self.false += times * (finding == "unchanged")

    def row(self, *names):
        share = " (%.1f %%)" % (100 * self.proven / self.idle) if self.idle else ""
        figures = self.mutations, self.touching_mutations, self.touching, self.false, self.idle
        return "| %s | %s | %d%s |" % (" | ".join(names), " | ".join("%d" % figure for figure in figures), self.proven, share)


def record_of(project, number, mutation, said):
    """What is written down of a mutation; `said` as Project.asked gives it."""
    findings, diff, digest = said
    entry = project.entry
    record = {"language": entry["language"], "project": entry["name"], "seed": project.options.seed, "number": number}
    if not mutation or not findings:
        return record
    pairs = collections.Counter((mutation.matters(name), case["finding"], case.get("why")) for name, case in findings.items())
    false = sorted(name for name, case in findings.items() if mutation.matters(name) and case["finding"] == "unchanged")
    record |= {"kind": mutation.kind, "path": mutation.path, "digest": digest, "pairs": [[*pair, times] for pair, times in pairs.items()]}
    return record | ({"false": false, "diff": diff} if false else {})


def read(paths):
    """Records of those files, each number of a project and seed once."""
    found = {}
    for path in paths:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    # The last line of a run that was ended may be half of one.
                    if line.endswith("\n"):
                        record = json.loads(line)
                        found[record["language"], record["project"], record["seed"], record["number"]] = record
    return found


def printed(records):
    """Prints tables, and each false proof; whether the counts are good."""
    by_kind, by_language, causes = collections.defaultdict(Count), collections.defaultdict(Count), collections.defaultdict(collections.Counter)
    seen = set()
    for record in records.values():
        # A change that was drawn twice is one.
        if "pairs" not in record or (record["project"], record["digest"]) in seen:
            continue
        seen.add((record["project"], record["digest"]))
        language = record["language"]
        by_kind[language, record["kind"]].add(record)
        by_language[language].add(record)
        for matters, finding, why, times in record["pairs"]:
            if matters is False and finding != "unchanged":
                causes[language][re.sub(r"`+[^`]*`+", "`…`", why or "")] += times
        if record.get("false"):
            print("false proof: %s: %s of %s: %s\n%s" % (record["project"], record["kind"], record["path"], ", ".join(record["false"][:5]), record["diff"]))
    head = "mutations | of those, touching a case | touched cases | of those `unchanged` | cases it can't matter to | of those `unchanged` |"
    print("| language | mutation | %s\n| --- | --- | --: | --: | --: | --: | --: | --: |" % head)
    for (language, kind), count in sorted(by_kind.items()):
        print(count.row(language, kind))
    for language, count in sorted(by_language.items()):
        print(count.row(language, "all"))
    for language, of in sorted(causes.items()):
        for why, times in of.most_common(3):
            print("%s: not proven in %d cases that it can't matter to: %s" % (language, times, why))
    return all(count.false == 0 and count.proven >= 0.9 * count.idle for count in by_language.values())

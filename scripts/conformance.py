#!/usr/bin/env python3
"""Serves the title cases over HTTP to the real binary and prints the agreement by class.

    scripts/conformance.py [--binary .build/release/pagewatch] [--cases ../shared/cases/titles]
                           [--failures N]

A case is a file of body bytes and, in cases.jsonl, its Content-Type and the title that browsers
show. Ends with 1 if one is wrong in a class that must be whole, or under 99.8 % of all are right.
"""
import argparse
import asyncio
import collections
import json
import pathlib
import subprocess
import sys

LEAST_RIGHT = 0.998
# Classes in which every answer must be right, or that begin like this.
WHOLE = ("real-", "encoding", "gen-encoding", "html5lib-", "charref", "rcdata", "xhtml-xml",
         "non-html", "template-foreign", "position")


def read_cases(folder):
    with open(folder / "cases.jsonl", encoding="utf-8") as lines:
        return {case["name"]: case for case in map(json.loads, lines)}


class Site:
    """Answers /NAME with that case's bytes and Content-Type; connections are kept."""

    def __init__(self, folder, cases):
        self.folder, self.cases = folder, cases

    async def handle(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                name = head.split(b" ", 2)[1].decode()[1:]
                body = (self.folder / self.cases[name]["file"]).read_bytes()
                kind = self.cases[name]["content_type"]
                line = b"" if kind is None else b"Content-Type: " + kind.encode() + b"\r\n"
                writer.write(
                    b"HTTP/1.1 200 OK\r\n" + line + b"Content-Length: %d\r\n\r\n" % len(body))
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def titles(binary, folder, cases):
    """The result object of each case, by its name."""
    server = await asyncio.start_server(Site(folder, cases).handle, "127.0.0.1", 0)
    base = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
    program = await asyncio.create_subprocess_exec(
        binary, "check", "--from", "-", "--json", "--title-limit", "0", "--no-refresh",
        "--no-progress", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    output, _ = await program.communicate("".join(f"{base}{name}\n" for name in cases).encode())
    server.close()
    results = map(json.loads, output.decode("utf-8").splitlines())
    return {result["initialURL"].rsplit("/", 1)[1]: result for result in results}


def is_right(case, result):
    title = (result or {}).get("title") or ""
    return result is not None and title in [case["expected_title"], *case.get("also_accept", [])]


def report(cases, results, most_failures):
    right, count = collections.Counter(), collections.Counter()
    failures = []
    for name, case in cases.items():
        count[case["class"]] += 1
        if is_right(case, results.get(name)):
            right[case["class"]] += 1
        else:
            failures.append((case, results.get(name)))
    print(f"{'class':<24}{'right':>7}{'cases':>7}")
    for kind in sorted(count):
        print(f"{kind:<24}{right[kind]:>7}{count[kind]:>7}")
    share = sum(right.values()) / max(1, len(cases))
    print(f"{'all':<24}{sum(right.values()):>7}{len(cases):>7}   {share:.2%}")
    for case, result in failures[:most_failures]:
        got = result and (result["title"] if result["outcome"] == "finished" else result["error"])
        print(f"wrong: {case['name']} ({case['class']})")
        print(f"    expected {case['expected_title'][:120]!r}\n    got      {str(got)[:120]!r}")
    is_whole = not any(case["class"].startswith(WHOLE) for case, _ in failures)
    return 0 if is_whole and share >= LEAST_RIGHT else 1


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", default=root / ".build/release/pagewatch")
    arguments.add_argument("--cases", type=pathlib.Path, default=root.parent / "shared/cases/titles")
    arguments.add_argument("--failures", type=int, default=40, help="how many to list")
    options = arguments.parse_args()
    if not (options.cases / "cases.jsonl").exists():
        print(f"there is nothing to compare with: no cases.jsonl in {options.cases}"
              " (with make, SHARED=FOLDER names another folder)", file=sys.stderr)
        return 2
    cases = read_cases(options.cases)
    results = asyncio.run(titles(str(options.binary), options.cases, cases))
    return report(cases, results, options.failures)


if __name__ == "__main__":
    sys.exit(main())

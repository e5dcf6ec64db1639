#!/usr/bin/env python3
"""Lets libFuzzer look for inputs that the readers of pages do not stand, and says what it found.

    scripts/fuzz.py --binary PROGRAM --folder FOLDER --seconds 60 [--shared CASES] [SUBJECT ...]
    scripts/fuzz.py --binary PROGRAM --folder FOLDER --replay FILE

The subjects are decoders, html, encoding and xml; without any, all have their turn, one after the
other, for so many seconds each. FOLDER/corpus keeps the inputs that reach new code, so that the next
run goes on where this one ends; FOLDER/findings/SUBJECT has what is wrong. Each begins with inputs
made of the pages in Tests/TitlesTests/Fixtures and, if they are there, of the CASES.

Ends with 1 if there is a finding. See docs/FUZZING.md.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent
TESTS = PROJECT / "Tests" / "TitlesTests"
DICTIONARY = TESTS / "Trials" / "Fuzz" / "titles.dict"
SUBJECTS = ("decoders", "html", "encoding", "xml")
# Longer than what is read at a time (2,048 bytes), and short enough for some hundred trials a second.
LONGEST = 3072
# Ways to cut that the seeds begin with; see Trials/Trial.swift.
CUTS = (bytes([0, 1, 2, 3, 4]), bytes([6, 6, 6, 6, 6]), bytes([63, 0, 127, 128, 0]))
# Text of many scripts, put into each encoding that has it.
TEXT = (
    "Title – “ABC” é €", "Привет, мир", "Γειά σου", "שלום", "مرحبا", "สวัสดี", "Xin chào",
    "日本語のタイトル・カナ", "ﾊﾝｶｸ", "简体中文标题", "繁體中文標題", "한국어 제목 똠", "😀𠀋",
)
# Python's names where they are not the standard's.
CODECS = {
    "ISO-8859-8-I": "iso-8859-8", "windows-874": "cp874", "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic", "GBK": "gb18030", "EUC-KR": "cp949", "Big5": "big5hkscs",
    "Shift_JIS": "cp932",
}


def trial(body, choice=0, options=0, repeated_from=0, cuts=CUTS[0]):
    """An input as Trials/Trial.swift reads it."""
    return bytes([choice, options, repeated_from]) + cuts + body


def encodings():
    """The standard's names in the order of the Swift type, which is what a choice counts."""
    source = (PROJECT / "Sources" / "Titles" / "Encoding" / "Encoding.swift").read_text()
    return re.findall(r'case \w+ = "([^"]+)"', source)


def decoder_seeds(_):
    for choice, name in enumerate(encodings()):
        codec = CODECS.get(name, name)
        for number, text in enumerate(TEXT):
            try:
                body = text.encode(codec, "ignore")
            except LookupError:
                body = bytes(range(0x78, 0x88)) + text.encode()
            cuts = CUTS[number % len(CUTS)]
            yield trial(body, choice, cuts=cuts)
            # The same with its last byte lost, and ASCII behind it.
            yield trial(body[:-1] + b"<a>" + body[:-1], choice, cuts=cuts)
        yield trial(bytes(range(256)), choice)


def pages(shared, *kinds):
    """The bodies of fixtures of that kind, and of the shared cases."""
    for path in sorted((TESTS / "Fixtures").iterdir()):
        if path.suffix[1:] in kinds:
            yield path.read_bytes()
    if shared and (shared / "cases.jsonl").is_file():
        for line in (shared / "cases.jsonl").read_text().splitlines():
            case = json.loads(line)
            is_xml = "xml" in (case.get("content_type") or "")
            if is_xml == ("xhtml" in kinds):
                yield (shared / case["file"]).read_bytes()


def html_seeds(shared):
    for number, body in enumerate(pages(shared, "html")):
        yield trial(body, options=number % 2, cuts=CUTS[number % len(CUTS)])


def xml_seeds(shared):
    for number, body in enumerate(pages(shared, "xhtml", "xml", "svg")):
        for choice in range(4):
            yield trial(body, choice, cuts=CUTS[(number + choice) % len(CUTS)])


def encoding_seeds(shared):
    types = (b"", b"", b"utf-8\n", b"", b"gb2312\n", b"application/xhtml+xml\n", b"charset=big5\n")
    for number, body in enumerate([*pages(shared, "html"), *pages(shared, "xhtml", "xml", "svg")]):
        choice = number % len(types)
        yield trial(types[choice] + body, choice, cuts=CUTS[number % len(CUTS)])
        label = encodings()[number % len(encodings())].encode()
        meta = b"<meta charset=%s>" % label
        yield trial(meta + body, 1, options=1, cuts=CUTS[number % len(CUTS)])


SEEDS = {
    "decoders": decoder_seeds, "html": html_seeds, "encoding": encoding_seeds, "xml": xml_seeds,
}


def regressions(subject):
    """Inputs of faults that were mended."""
    return [path.read_bytes() for path in sorted((TESTS / "Fixtures" / "Trials").glob(f"{subject}-*.trial"))]


def write_seeds(subject, folder, shared):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for seed in [*SEEDS[subject](shared), *regressions(subject)]:
        seed = seed[:LONGEST]
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


def environment(subject, **more):
    # The runtime's own crash report would outlive the program, and hold its output.
    return {
        **os.environ, "FUZZ_SUBJECT": subject, "SWIFT_BACKTRACE": "enable=no",
        "ASAN_OPTIONS": "malloc_context_size=8:quarantine_size_mb=64", **more,
    }


def fuzz(subject, options):
    """Runs one subject; returns whether nothing was found."""
    corpus = options.folder / "corpus" / subject
    seeds = options.folder / "seeds" / subject
    findings = options.folder / "findings" / subject
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    write_seeds(subject, seeds, options.shared)
    log = options.folder / f"{subject}.log"
    before = set(findings.iterdir())
    started = time.monotonic()
    with log.open("w") as output:
        code = subprocess.run(
            [options.binary, f"-max_total_time={options.seconds}", f"-max_len={LONGEST}",
             "-timeout=120", "-report_slow_units=120", "-rss_limit_mb=1536", "-print_final_stats=1", "-verbosity=1",
             f"-dict={DICTIONARY}", f"-artifact_prefix={findings}/", corpus, seeds],
            env=environment(subject), stdout=output, stderr=subprocess.STDOUT).returncode
    text = log.read_text(errors="replace")
    found = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
    peak = re.findall(r"stat::peak_rss_mb:\s*(\d+)", text)
    edges = re.findall(r"cov: (\d+)", text)
    print(f"{subject:9} {int(found[-1]) if found else 0:>12,} executions in "
          f"{time.monotonic() - started:.0f} s, {edges[-1] if edges else '?'} edges, "
          f"{peak[-1] if peak else '?'} MB", flush=True)
    new = sorted(set(findings.iterdir()) - before)
    if code == 0 and not new:
        return True
    for line in re.findall(r"^(?:fault of|.*Fatal error|SUMMARY|==\d+==ERROR).*(?:\n  .*)*", text, re.M):
        print(f"  {line[:2000]}")
    for path in new:
        print(f"  found: {path}\n  again with: make fuzz-replay FILE={path}")
    print(f"  the run's log: {log}", flush=True)
    return False


def replay(options):
    subject = options.replay.resolve().parent.name
    if subject not in SUBJECTS:
        subject = options.replay.name.split("-")[0]
    if subject not in SUBJECTS:
        sys.exit(f"{options.replay}: lies in no folder named for a subject, nor is named for one")
    return subprocess.run(
        [options.binary, "-timeout=120", options.replay],
        env=environment(subject, FUZZ_TIME="always")).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--shared", type=pathlib.Path)
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT")
    options = parser.parse_args()
    unknown = set(options.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"no such subject: {', '.join(unknown)} (there are {', '.join(SUBJECTS)})")
    if options.replay:
        sys.exit(0 if replay(options) else 1)
    results = [fuzz(subject, options) for subject in options.subjects or SUBJECTS]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()

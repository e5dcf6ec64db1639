#!/usr/bin/env python3
"""Checks that the binary decodes every byte and every pair as the Encoding standard says.

    scripts/check-encodings.py [--binary .build/release/pagewatch] [--data ../shared/data/encoding]

What is expected is computed by standard_decoders.py, from the standard's own index files;
nothing is shared with the program. The sequences go into titles, and through the real binary over
HTTP. Those that are valid are also compared with Python's codecs: every difference must be one of
those listed in python_codecs.py. Ends with 1 if any sequence is decoded otherwise, or if a
difference is not listed.
"""
import argparse
import asyncio
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from python_codecs import CODECS, listed  # noqa: E402
from standard_decoders import BAD, Indexes, decoder  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
# No encoding has this byte inside of a character.
SEPARATOR = "."
# The program keeps at most 1 MiB of a title.
MOST_BYTES = 1_000_000
# Those of ISO-2022-JP.
ESCAPES = [b"\x1b(B", b"\x1b(J", b"\x1b(I", b"\x1b$@", b"\x1b$B"]

SINGLES = [bytes([byte]) for byte in range(256)]
PAIRS = [bytes([first, second]) for first in range(256) for second in range(256)]


def sequences(name):
    """The byte sequences that are tried in an encoding; each is followed by the separator."""
    if name == "UTF-8":
        code_points = [*range(0xD800), *range(0xE000, 0x110000)]
        edges = (0x2E, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
        cut = [bytes([a, b, c]) for a in range(0xC0, 256) for b in range(256) for c in edges]
        longer = [bytes([a, b, c, d]) for a in range(0xE0, 256) for b in edges for c in edges
                  for d in edges]
        return SINGLES + PAIRS + [chr(c).encode() for c in code_points] + cut + longer
    if name.startswith("UTF-16"):
        codec = "utf-16-" + name[-2:].lower()
        units = [chr(unit).encode(codec, "surrogatepass") for unit in range(0x10000)]
        upper = [chr(code_point).encode(codec) for code_point in range(0x10000, 0x110000)]
        broken = [units[0xD800] + units[unit] for unit in range(0, 0x10000, 7)]
        return units + upper + broken
    if name == "ISO-2022-JP":
        in_state = [escape + sequence + ESCAPES[0] for escape in ESCAPES
                    for sequence in SINGLES + PAIRS]
        return SINGLES + in_state + [b"\x1b" + pair + ESCAPES[0] for pair in PAIRS]
    if name == "gb18030":
        second = range(0x30, 0x3A)
        fours = [bytes([a, b, c, d]) for a in range(0x81, 0xFF) for b in second
                 for c in range(0x81, 0xFF) for d in second]
        return SINGLES + PAIRS + fours
    if name == "EUC-JP":
        return SINGLES + PAIRS + [b"\x8f" + pair for pair in PAIRS]
    return SINGLES + PAIRS if name in ("GBK", "Big5", "Shift_JIS", "EUC-KR") else SINGLES


def pages(name, all_sequences):
    """Bodies of a page each, and the part of them that is the title."""
    def encoded(text):
        codec = "utf-16-" + name[-2:].lower() if name.startswith("UTF-16") else "ascii"
        return text.encode(codec)

    title, size = [], 0
    for number, sequence in enumerate(all_sequences, 1):
        title.append(sequence + encoded(SEPARATOR))
        # Three bytes of UTF-8 is the most that a byte can become.
        size += 3 * len(sequence) + 1
        if size > MOST_BYTES or number == len(all_sequences):
            text = b"".join(title)
            yield encoded("<title>.") + text + encoded("</title>"), encoded(".") + text
            title, size = [], 0


def as_title(text):
    """What HTML makes of a title's text."""
    text = text.replace("\0", BAD)
    return re.sub("[\t\n\f\r ]+", " ", text).strip(" ")


async def check(binary, served):
    """The result of each page; `served` has a label and a body for each."""
    async def handle(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                label, body = served[int(head.split(b" ", 2)[1][1:])]
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=%s\r\n"
                             b"Content-Length: %d\r\n\r\n" % (label.encode(), len(body)))
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    base = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
    program = await asyncio.create_subprocess_exec(
        binary, "check", "--from", "-", "--json", "--title-limit", "0", "--no-progress",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    urls = "".join(f"{base}{number}\n" for number in range(len(served)))
    output, _ = await program.communicate(urls.encode())
    server.close()
    results = {}
    for result in map(json.loads, output.decode("utf-8").splitlines()):
        assert result["outcome"] == "finished", result
        results[int(result["initialURL"].rsplit("/", 1)[1])] = result
    return [results[number] for number in range(len(served))]


def wrong(name, decode, binary, all_sequences):
    """How many separated parts of the titles are not as the standard says."""
    count = 0
    made = list(pages(name, all_sequences))
    results = asyncio.run(check(binary, [(name, body) for body, _ in made]))
    for (_, title), result in zip(made, results):
        assert result["encoding"] == name, result["encoding"]
        expected, got = as_title(decode(title)), result["title"] or ""
        if got != expected:
            parts = list(zip(expected.split(SEPARATOR), got.split(SEPARATOR)))
            differing = [pair for pair in parts if pair[0] != pair[1]] or [(expected, got)]
            count += len(differing)
            for pair in differing[:5]:
                print(f"  {name}: expected {pair[0][:40]!a}, got {pair[1][:40]!a}")
    return count


def wrong_labels(encodings, binary):
    """How many labels do not lead to their encoding."""
    labels = [(label, encoding["name"]) for encoding in encodings for label in encoding["labels"]]
    results = asyncio.run(check(binary, [(label, b"<p>") for label, _ in labels]))
    bad = [(label, name, result["encoding"]) for (label, name), result in zip(labels, results)
           if result["encoding"] != name]
    print(f"{'(labels)':<16}{len(labels):>10}{len(bad):>7}")
    for label, name, got in bad:
        print(f"  {label}: expected {name}, got {got}")
    return len(bad)


def unlike_python(name, decode, all_sequences):
    """How many valid characters Python decodes otherwise, and what of that the list does not say.

    A listed range of which nothing differs is a mistake as well.
    """
    codec = CODECS.get(name)
    if not codec:
        return None, []
    differing = set()
    for sequence in all_sequences:
        meant = decode(sequence)
        # Two characters side by side are told for each of them.
        if BAD in meant or sequence[0] < 0x80 and sequence[0] != 0x1B and len(sequence) == 2:
            continue
        if len(sequence) == 2 and meant == decode(sequence[:1]) + decode(sequence[1:]):
            continue
        if meant != decoded_by_python(sequence, codec):
            differing.add(sequence)
    ranges = listed(name)
    unlisted = differing - {sequence for named in ranges for sequence in named}
    idle = [named[0] for named in ranges if differing.isdisjoint(named)]
    return len(differing), sorted(unlisted) + idle


def decoded_by_python(sequence, codec):
    try:
        return sequence.decode(codec)
    except UnicodeDecodeError:
        return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", default=ROOT / ".build/release/pagewatch")
    arguments.add_argument(
        "--data", type=pathlib.Path, default=ROOT.parent / "shared/data/encoding")
    options = arguments.parse_args()
    if not (options.data / "encodings.json").exists():
        print(f"there is nothing to compare with: no encodings.json in {options.data}"
              " (with make, SHARED=FOLDER names another folder)", file=sys.stderr)
        return 2
    groups = json.loads((options.data / "encodings.json").read_text(encoding="utf-8"))
    encodings = [encoding for group in groups for encoding in group["encodings"]]
    indexes, binary = Indexes(options.data), str(options.binary)
    print(f"{'encoding':<16}{'sequences':>10}{'wrong':>7}  {'unlike Python':>14}{'unlisted':>10}")
    failures = wrong_labels(encodings, binary)
    for name in (encoding["name"] for encoding in encodings):
        if name == "replacement":
            continue  # The whole page becomes one U+FFFD.
        decode, tried = decoder(name, indexes), sequences(name)
        bad = wrong(name, decode, binary, tried)
        unlike, rest = unlike_python(name, decode, tried)
        failures += bad + len(rest)
        told = "-" if unlike is None else unlike
        print(f"{name:<16}{len(tried):>10}{bad:>7}  {told:>14}{len(rest):>10}", flush=True)
        for sequence in rest[:8]:
            print(f"  not listed: {sequence.hex(' ')}, here {decode(sequence)!a}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

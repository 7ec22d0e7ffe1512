#!/usr/bin/env python3
"""Checks what a compiler does not: who may include what, calls that are banned in the cores, and
the shape of the tree. Python 3 standard library only. Every finding says what to do instead.

    scripts/check_structure.py
    scripts/check_structure.py --graph    prints which room includes which, how often, and how many
                                          assertions each has, instead
    scripts/check_structure.py --tests-of FILE...  prints the tests of each source instead
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("MNEME_TREE", pathlib.Path(__file__).resolve().parent.parent))

# The rooms of the house, and those that each stands on: it may use them and all that they use.
# Reading (query) and writing (state) are wings of their own over the same ground; neither sees the
# other, and the actors join them.
STANDS_ON = {
    "include/mneme": [],
    "messages": ["include/mneme"],
    "network": ["messages"],
    "storage": ["messages"],
    "journal": ["storage"],
    "index": ["storage"],
    "views": ["index", "journal"],
    "state": ["views"],
    "query": ["views"],
    "postgres": ["journal"],
    "actors": ["state", "query"],
    "sim": ["actors"],
    "bench/workloads": ["actors"],
    "tools": ["sim", "network", "postgres", "bench/workloads"],
}
ROOMS = list(STANDS_ON)
# Pure code: everything that must give the same bytes on every run.
CORES = ["include/mneme", "messages", "storage", "journal", "index", "views", "state", "query"]
# What runs in a host, and how many assertions (ensure) it has in a thousand lines of code at least.
ENGINE = ["messages", "storage", "journal", "index", "views", "state", "query", "actors"]
LEAST_ASSERTIONS = 10
# May use any folder.
USERS = ["tests", "bench", "fuzz"]
# Use the installed headers only.
HOSTS = ["examples", "tests/install"]

# Third-party headers and the only places that may include them.
WRAPPED = {
    "caf/": ["actors/", "sim/", "include/mneme/caf.hpp", "tests/actors/",
             "tests/query/chroma/", "tests/query/search/", "tests/sim/", "tests/install/", "tests/tools/", "tests/cases/", "bench/", "examples/"],
    "wiredtiger.h": ["storage/wiredtiger_store.cpp", "storage/checksum.cpp", "bench/"],
    "hnswlib/": ["index/vectors/hnsw_", "bench/"],
    "sqlite3.h": ["bench/workloads/sqlite_"],
    "libstemmer.h": ["index/lexical/text_terms.cpp"],
    "openssl/": ["messages/hash.cpp", "messages/signature.cpp", "tools/server/access/api_keys.cpp",
                 "tools/protocol/base64.cpp"],
    "httplib.h": ["tools/server/http/http_connection.", "tools/server/http/http_server.cpp"],
    "msgpack": ["messages/codec/canonical_writer.cpp", "tests/messages/"],
    "roaring/": ["index/", "tests/index/"],
    "re2/": ["query/", "sim/", "tests/query/"],
    "curl/": ["network/http_client.cpp"],
    "libpq-fe.h": ["postgres/connection.cpp", "tests/postgres/"],
    "nlohmann/": ["network/embedding_json.cpp", "tools/", "tests/", "bench/", "examples/town/", "fuzz/"],
    "CLI/": ["tools/", "sim/", "bench/"],
    "git2": ["tools/", "tests/tools/"],
    "cmark": ["tools/"],
    "archive.h": ["tools/command/tar_stream.cpp"],
    "archive_entry.h": ["tools/command/tar_stream.cpp"],
    "histedit.h": ["tools/"],
    "editline/": ["tools/"],
    "catch2/": ["tests/", "examples/replay_test/"],
    "rapidcheck": ["tests/"],
    "benchmark/": ["bench/"],
    "iostream": ["tools/", "tests/", "bench/", "examples/", "fuzz/", "sim/"],
    "regex": [],
    "random": ["tests/", "bench/"],
}

# (what, pattern, instead, folders, files that may)
BANNED = [
    ("clock", r"\b(?:system_clock|steady_clock|high_resolution_clock)::now|\bclock_gettime\s*\(|"
     r"\bgettimeofday\s*\(|\bstd::time\s*\(",
     "take the time from the injected mneme::clock (or the stopwatch in find_context)",
     CORES, ["messages/seams/clock.cpp"]),
    ("randomness", r"\b(?:std::)?s?rand\s*\(\s*\)|\brandom_device\b|\bmt19937|\bgetrandom\s*\(|"
     r"\bgetentropy\s*\(|std::\w+_distribution\b",
     "draw from the injected mneme::random_source", CORES, ["messages/seams/random.cpp"]),
    ("environment", r"\b(?:secure_)?getenv\s*\(|\bsetenv\s*\(",
     "take it as an option", CORES + ["actors"], []),
    ("locale", r"\bsetlocale\s*\(|\bstd::locale\b|\bstd::(?:tolower|toupper|isalpha|isalnum|isspace|"
     r"isdigit|ispunct|isupper|islower|isxdigit)\s*\(",
     "use messages/utf8.hpp, or compare the bytes", CORES + ["actors"], []),
    ("locale", r"\b(?:std::)?(?:stod|stof|strtod|strtof|atof|strftime|localtime|gmtime|mktime)\s*\(",
     "use std::from_chars and messages/text/time_text.hpp", CORES + ["actors", "tools"], []),
    ("thread id", r"\bthis_thread::get_id\b|\bpthread_self\s*\(|\bgettid\s*\(",
     "let the owner of the data be an argument", CORES + ["actors", "sim"], []),
    ("sleeping", r"\bthis_thread::sleep_|\b(?:usleep|nanosleep)\s*\(",
     "wait for the message, future or condition itself", CORES + ["actors", "sim", "tests"], []),
    ("libm", r"\bstd::(?:exp2?|expm1|log|log2|log10|log1p|pow|sin|cos|tan|tanh|atan2?|hypot|cbrt)f?"
     r"\s*\(", "libm differs between machines: use messages/math.hpp (sqrt is exact and fine)",
     CORES + ["actors"], ["messages/math.cpp"]),
    ("exception", r"\bthrow\b(?! std::bad_alloc)",
     "return mneme::result<T>; a wrapped library's exceptions end in the file that wraps it",
     CORES + ["actors"], []),
    ("assert", r"(?<![\w.])assert\s*\(", "use ensure() of messages/ensure.hpp: it stays on",
     CORES + ["actors", "sim", "tools"], []),
    ("output", r"\bstd::(?:cout|cerr|clog)\b|(?<![\w.])(?:std::)?f?printf\s*\(|\bfmt::print\s*\(",
     "return the text; only tools/ talks to people", CORES + ["actors"],
     ["messages/ensure.cpp"]),
    ("fast math", r"-ffast-math|\bFP_CONTRACT\s+ON", "floats must give the same bits everywhere",
     ROOMS, []),
]

LEFTOVER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|farm|home|root)/|(?<![\w.])/tmp/mn\b")
VAGUE_NAME = re.compile(r"(?:^|_)(?:utils?|helpers?|common|managers?|misc)(?:_|\.|$)")
SOURCE = (".cpp", ".hpp")
TESTS = ("_test.cpp", "_test.py", ".case")
MAX_LINES = 600


def tree():
    """Every file that is, or may become, part of the project."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co",
                             "--exclude-standard"],
                            cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:  # an unpacked archive
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file()]
        names = [n for n in names if not n.startswith((".git/", "build/", ".cache/"))]
    return sorted(n for n in names if (ROOT / n).is_file())


def folder_of(name, folders):
    inside = [f for f in folders if name.startswith(f + "/")]
    return max(inside, key=len) if inside else None


def without_comments(text):
    """The same lines, with comments and string contents blanked out."""
    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return '""' + "\n" * token.count("\n")
    # A ' between digits separates them; it starts no character literal.
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, blank, text, flags=re.S)


class Report:
    def __init__(self):
        self.problems = []
        self.notes = []

    def problem(self, name, line, text):
        self.problems.append(f"{name}:{line}: {text}" if line else f"{name}: {text}")

    def note(self, name, text):
        self.notes.append(f"{name}: {text}")


def check_include(report, name, line_no, include, angled):
    if angled:
        for header, places in WRAPPED.items():
            if include == header or (header.endswith("/") and include.startswith(header)) or \
                    (header in ("msgpack", "git2", "cmark", "rapidcheck")
                     and include.startswith(header)):
                if not any(name.startswith(p) for p in places):
                    where = ", ".join(places) if places else "nothing"
                    report.problem(name, line_no, f"<{include}> may be included by {where} only")
        if (ROOT / include).exists() or include.startswith("mneme/"):
            if folder_of(name, HOSTS) is None:
                report.problem(name, line_no, f'ours is written "{include}", not <{include}>')
        return
    if include.startswith("mneme/"):
        target = "include/mneme"
        exists = (ROOT / "include" / include).exists()
    else:
        target = folder_of(include, ROOMS + USERS)
        exists = (ROOT / include).exists()
    if not exists:
        report.problem(name, line_no, f'"{include}" is not a path from the top of the tree')
        return
    if folder_of(name, HOSTS):
        if target != "include/mneme":
            report.problem(name, line_no, f'a host includes "mneme/…" only, not "{include}"')
        return
    here = folder_of(name, ROOMS)
    if here is None:
        return  # tests and benches see everything
    if target == here:
        return
    if target not in below(here):
        report.problem(name, line_no, f'{here} may not use {target} ("{include}"): it stands on '
                       f'{", ".join(STANDS_ON[here]) or "nothing"} alone, and on what these stand on')


def command_exceptions():
    """What docs/ARCHITECTURE.md lets the command include besides the public API: (header, file)."""
    document = ROOT / "docs/ARCHITECTURE.md"
    if not document.is_file():
        return set()
    found = set()
    for line in document.read_text().splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        header = re.fullmatch(r"`([\w/]+\.hpp)`", cells[0])
        if line.startswith("|") and len(cells) == 3 and header:
            found |= {(header.group(1), "tools/" + f) for f in re.findall(r"`([^`]+)`", cells[2])}
    return found


def check_command(report, names):
    """The command is a host: what it includes of the rooms is named, and what is named is used."""
    named = command_exceptions()
    used = set()
    for name in names:
        if not name.startswith("tools/") or not name.endswith(SOURCE):
            continue
        for line_no, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if m is None or m.group(1).startswith(("tools/", "mneme/")):
                continue
            used.add((m.group(1), name))
            if (m.group(1), name) not in named:
                report.problem(name, line_no, f'the command uses the public API: "{m.group(1)}" is '
                               "none, and docs/ARCHITECTURE.md names no exception")
    for header, name in sorted(named - used):
        report.problem("docs/ARCHITECTURE.md", 0, f"{name} does not include {header}: the "
                       "exception goes")


def below(room):
    """The rooms that a room may use."""
    found = set()
    for one in STANDS_ON[room]:
        found |= {one} | below(one)
    return found


def check_includes(report, name, text):
    own = name[:-4] + ".hpp" if name.endswith(".cpp") else None
    first = True
    for line_no, line in enumerate(text.splitlines(), 1):
        m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not m:
            continue
        if first and own and (ROOT / own).exists():
            wanted = own.removeprefix("include/")
            if m.group(2) != wanted:
                report.problem(name, line_no, f'its own header comes first: "{wanted}"')
        first = False
        check_include(report, name, line_no, m.group(2), m.group(1) == "<")


def check_calls(report, name, code):
    for what, pattern, instead, folders, exempt in BANNED:
        if name in exempt or folder_of(name, folders) is None:
            continue
        for m in re.finditer(pattern, code):
            line_no = code.count("\n", 0, m.start()) + 1
            report.problem(name, line_no, f"banned ({what}): {m.group(0).strip()} - {instead}")


def unordered_names(code):
    """Names declared as std::unordered_* in this code."""
    names = set()
    for m in re.finditer(r"\bstd::unordered_(?:map|set|multimap|multiset)\s*<", code):
        depth, i = 1, m.end()
        while i < len(code) and depth:
            depth += {"<": 1, ">": -1}.get(code[i], 0)
            i += 1
        declared = re.match(r"\s*&?\s*(\w+)\s*[;={,)]", code[i:])
        if declared:
            names.add(declared.group(1))
    return names


def check_unordered(report, name, code, declared):
    if folder_of(name, CORES + ["actors"]) is None:
        return
    for unordered in sorted(declared):
        for m in re.finditer(rf"for\s*\([^;()]*:\s*(?:\w+(?:\.|->))*{unordered}\s*\)|"
                             rf"\b{unordered}\s*\.\s*c?begin\s*\(", code):
            line_no = code.count("\n", 0, m.start()) + 1
            report.problem(name, line_no, f"iterates over the unordered container {unordered}: use "
                           "an ordered one, or sort what comes out")


def check_text(report, name, text):
    if name != "scripts/check_structure.py":
        for line_no, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line):
                report.problem(name, line_no, "a path of one machine")
            if LEFTOVER.search(line) and name.endswith(SOURCE):
                report.problem(name, line_no, "a leftover note: do it, or open an issue")
    if name.endswith(SOURCE):
        lines = text.count("\n")
        if lines > MAX_LINES:
            report.note(name, f"{lines} lines; is it still one concept? ({MAX_LINES} is the limit)")
        if VAGUE_NAME.search(pathlib.Path(name).name):
            report.problem(name, 0, "name the file after its concept, not util/helper/common/manager")
    if name.endswith(".hpp"):
        if not text.startswith("#pragma once"):
            report.problem(name, 1, "a header starts with #pragma once")
        for m in re.finditer(r"^\s*using namespace\b", text, flags=re.M):
            report.problem(name, text.count("\n", 0, m.start()) + 1, "using namespace in a header")


def count_assertions(code, rooms):
    """Assertions, and lines that hold code, in these rooms."""
    ours = {n: c for n, c in code.items()
            if folder_of(n, rooms) and not n.startswith("messages/ensure.")}
    lines = sum(1 for c in ours.values() for line in c.splitlines() if line.strip())
    return sum(len(re.findall(r"\bensure\(", c)) for c in ours.values()), lines


def per_thousand(assertions, lines):
    return 1000 * assertions / lines if lines else 0.0


def check_assertions(report, code):
    """Few lines say nothing of a habit."""
    assertions, lines = count_assertions(code, ENGINE)
    if lines >= 1000 and per_thousand(assertions, lines) < LEAST_ASSERTIONS:
        report.problem("engine", 0, f"{assertions} assertions in {lines} lines, fewer than "
                       f"{LEAST_ASSERTIONS} in a thousand: ensure() what must hold")


def check_folders(report, names):
    folders = {n.split("/", 1)[0] for n in names if n.count("/") and n.endswith(SOURCE)}
    for folder in sorted(folders):
        if not (ROOT / folder / "README.md").is_file():
            report.problem(folder, 0, "a folder has a README.md: what it owns, what it must never do")


def is_named(header, readme):
    """A README names a header by its name (`find_state`, `find_state.hpp`), by a pattern (`model*`) or
    by its folder (`records/`)."""
    stem = pathlib.Path(header).stem
    quoted = re.findall(r"`([^`\n]+)`", readme)
    return any(re.fullmatch(re.escape(q.rsplit("/", 1)[-1].removesuffix(".hpp").removesuffix(".cpp"))
                            .replace(r"\*", r"\w*"), stem)
               or q.endswith("/") and f"/{q}" in f"/{header}" for q in quoted)


def check_readmes(report, names):
    """What a folder has is in its README: every header is there by its name, or with its folder."""
    for name in names:
        folder = name.split("/", 1)[0]
        if not name.endswith(".hpp") or folder_of(name, ROOMS) is None:
            continue
        readme = ROOT / folder / "README.md"
        if readme.is_file() and not is_named(name, readme.read_text()):
            report.problem(f"{folder}/README.md", 0, f"says nothing of {name}: one line on what it is, "
                           "or on its folder")


def check_tests_mirror(report, names):
    """A test stands where its source does: tests/query/find/ beside query/find/, and a test of
    index/columns/attributes.cpp is tests/index/columns/attributes_test.cpp."""
    sources = [n for n in names if n.endswith(SOURCE) and folder_of(n, ROOMS)]
    folders = {n.rsplit("/", 1)[0] for n in sources}
    for name in names:
        mirrored = name.removeprefix("tests/").rsplit("/", 1)[0]
        room = folder_of(name.removeprefix("tests/"), ROOMS)
        if not name.startswith("tests/") or not name.endswith(SOURCE) or room is None:
            continue
        if mirrored not in folders:
            report.problem(name, 0, f"tests what stands in {mirrored}/, which is no folder")
        stem = pathlib.Path(name).stem.removesuffix("_test")
        homes = {n.rsplit("/", 1)[0] for n in sources
                 if folder_of(n, ROOMS) == room and pathlib.Path(n).stem == stem}
        if name.endswith("_test.cpp") and homes and mirrored not in homes:
            report.problem(name, 0, f"the test of {stem} belongs beside it: tests/{min(homes)}/")


def sources_named(text):
    """What the head of a test says that it tests: `// Of: query/find/find.cpp, views/asker.cpp`."""
    lines = re.findall(r"^(?://|#) Of: (.*)$", text, re.M)
    return [source for line in lines for source in re.split(r",\s*", line.strip())]


def tests_of_sources(names):
    """The tests of each source: those that have its name (a test may be in several files:
    find_near_test.cpp, find_random_test.cpp), and those that name it in their heads."""
    stems = {}
    for name in names:
        if name.endswith(SOURCE) and folder_of(name, ROOMS):
            folder, _, file = name.rpartition("/")
            stems.setdefault(folder, {}).setdefault(file.rsplit(".", 1)[0], []).append(name)
    found = {}
    for test in names:
        if not test.startswith("tests/") or not test.endswith(TESTS):
            continue
        folder, _, file = test.removeprefix("tests/").rpartition("/")
        stem = file.removesuffix("_test.cpp")
        of = [s for s in stems.get(folder, ()) if stem == s or stem.startswith(s + "_")]
        named = stems[folder][max(of, key=len)] if of else []
        for source in dict.fromkeys(named + sources_named((ROOT / test).read_text())):
            found.setdefault(source, []).append(test)
    return found


def check_tests(report, names):
    """Every source with code has a test that can be found from it."""
    tests = tests_of_sources(names)
    for name in names:
        if name.endswith(".cpp") and folder_of(name, ROOMS) and name not in tests:
            folder, _, file = name.rpartition("/")
            report.problem(name, 0, "no test is found by its name: write "
                           f"tests/{folder}/{file[:-4]}_test.cpp, or let the test that shows what it "
                           f"does say so in its head: // Of: {name}")
    known = set(names)
    for source in sorted(tests):
        if source not in known:
            report.problem(tests[source][0], 0, f"is said to be a test of {source}, which is no "
                           "file: name what has taken its place")


def print_tests(names, files):
    """The tests of each file; of a header those of its source."""
    tests = tests_of_sources(names)
    status = 0
    for file in files:
        path = pathlib.Path(file).resolve()
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else file
        found = dict.fromkeys(tests.get(name, []) + tests.get(name[:-4] + ".cpp", []))
        for test in found:
            print(test)
        if not found:
            print(f"{file}: no test names it", file=sys.stderr)
            status = 1
    return status


def print_graph(names):
    """Rooms in the order in which they stand on each other, each with what it includes."""
    counts = {}
    for name in names:
        here = folder_of(name, ROOMS)
        if here is None or not name.endswith(SOURCE):
            continue
        for include in re.findall(r'^\s*#\s*include\s*"([^"]+)"', (ROOT / name).read_text(), re.M):
            target = folder_of(include, ROOMS) or \
                ("include/mneme" if include.startswith("mneme/") else None)
            if target and target != here:
                counts[here, target] = counts.get((here, target), 0) + 1
    for here in ROOMS:
        used = [f"{target} {counts[here, target]}" for target in ROOMS if (here, target) in counts]
        print(f"{here:14} -> {', '.join(used) or '(none)'}")
    code = {n: without_comments((ROOT / n).read_text()) for n in names if n.endswith(SOURCE)}
    print("assertions in a thousand lines: " + ", ".join(
        f"{room} {per_thousand(*count_assertions(code, [room])):.1f}" for room in ENGINE)
        + f"; in all {per_thousand(*count_assertions(code, ENGINE)):.1f}")
    wrong = [f"{here} -> {target}" for here, target in counts if target not in below(here)]
    print("every arrow points down" if not wrong else "arrows that do not point down: "
          + ", ".join(wrong))


def main(arguments):
    if arguments == ["--graph"]:
        print_graph(tree())
        return 0
    if arguments[:1] == ["--tests-of"] and len(arguments) > 1:
        return print_tests(tree(), arguments[1:])
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report()
    names = tree()
    sources = [n for n in names if n.endswith(SOURCE)]
    code = {n: without_comments((ROOT / n).read_text()) for n in sources}
    for name in names:
        try:
            text = (ROOT / name).read_text()
        except UnicodeDecodeError:
            continue
        check_text(report, name, text)
    for name in sources:
        check_includes(report, name, (ROOT / name).read_text())
        check_calls(report, name, code[name])
        header = name[:-4] + ".hpp"
        declared = unordered_names(code[name]) | unordered_names(code.get(header, ""))
        check_unordered(report, name, code[name], declared)
    check_assertions(report, code)
    check_command(report, names)
    check_folders(report, names)
    check_readmes(report, names)
    check_tests_mirror(report, names)
    check_tests(report, names)

    for line in report.notes:
        print("note: " + line)
    for line in report.problems:
        print(line)
    density = per_thousand(*count_assertions(code, ENGINE))
    print(f"structure: {len(sources)} sources in {len(names)} files, {density:.1f} assertions in a "
          f"thousand lines of the engine: {len(report.problems)} problems, {len(report.notes)} notes")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Checks what no compiler does: layers, third-party headers, banned functions, sizes.

usage: tests/lint.py [ROOT]

Prints "file:line: what is wrong" and exits 1 where there is any. CONTRIBUTING.md has the rules.
"""
import pathlib
import re
import sys

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60

# What a layer may include of ours, besides itself. A module sees workload.h, its own files and what
# modules share, and nothing else.
BELOW = {
    "gate/core": [],
    "gate/verdict": ["gate/core"],
    "gate/wire": ["gate/verdict", "gate/core"],
    "sweeps": ["gate/wire", "gate/verdict", "gate/core"],
    "baselines": ["gate/wire", "gate/verdict", "gate/core"],
    "reporters": ["gate/wire", "gate/verdict", "gate/core"],
    "workloads": ["gate/wire", "gate/core"],
    "workloads/modules": ["workloads/workload.h"],
    "workloads/clients": ["batchgate.h"],
    "gate/cli": ["sweeps", "baselines", "reporters", "workloads/worker.h", "gate/wire",
                 "gate/verdict", "gate/core"],
}

CLIENTS = "workloads/clients"

# Where a library's headers may be included, and in how many files at most.
THIRD_PARTY = {
    r"git2": (r"baselines/\w+\.c", 99),
    r"libxml/": (r"(reporters/junit|tests/unit/test_junit)\.c", 2),
    r"yaml\.h": (r"sweeps/\w+\.c", 1),
    r"jansson\.h": (r"gate/wire/json\w*\.c", 1),
    r"cblas|openblas|blis": (r"workloads/modules/(openblas|blis)(/\w+)?\.c", 99),
    r"dnnl|oneapi/dnnl": (r"(workloads/modules/onednn|tests/fakes)/\w+\.c", 3),
    r"cmocka\.h": (r"tests/unit/\w+\.[ch]", 99),
}

ANYWHERE = "strcpy strcat stpcpy sprintf vsprintf strtok strtok_r atoi atol atoll atof gets rand " \
    "srand system popen alloca tmpnam tempnam mktemp sscanf".split()
PARSERS = "strtod strtof strtold strtol strtoul strtoll strtoull strtod_l".split()  # core/text.c
PRINTERS = "printf vprintf puts putchar perror".split()  # gate/cli


def call_of(names):
    return re.compile(r"(?<![\w.>])(" + "|".join(names) + r")\s*\(")


def code_of(text):
    """The text with comments and the insides of strings blanked, lines kept."""
    def blank(match):
        found = match.group(0)
        return '""' if found[0] == '"' else re.sub(r"[^\n]", " ", found)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text,
                  flags=re.DOTALL)


def layer_of(name):
    """The longest layer that holds the file; None for tests."""
    return max((layer for layer in BELOW if name.startswith(layer + "/")), key=len, default=None)


def module_of(name):
    """The folder of a module, or its one file; modules share one folder."""
    return name.removeprefix("workloads/modules/").split("/")[0]


def may_include(name, included):
    layer = layer_of(name)
    if layer is None:
        return True
    if layer == layer_of(included) == "workloads/modules":
        return module_of(included) in ("common", module_of(name))
    if included.startswith(layer + "/") and layer_of(included) == layer:
        return True
    return any(included == below or (included.startswith(below + "/") and
                                     layer_of(included) == below) for below in BELOW[layer])


def check_includes(name, text, seen):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        quote, included = match.groups()
        if quote == '"' and not may_include(name, included):
            yield number, f"{layer_of(name)}/ may not include {included}"
        if quote == '"' and "/" not in included and layer_of(name) != CLIENTS:
            yield number, f"write the path from the root: {included}"
        for library, (where, _) in THIRD_PARTY.items():
            if re.match(library, included):
                seen.setdefault(library, set()).add(name)
                if not re.fullmatch(where, name):
                    yield number, f"<{included}> belongs in {where}"


def check_calls(name, code):
    layer = layer_of(name)
    rules = [(call_of(ANYWHERE), "is banned; CONTRIBUTING.md says what replaces it")]
    if name != "gate/core/text.c" and layer and layer != CLIENTS:
        rules.append((call_of(PARSERS), "belongs in gate/core/text.c"))
    if layer and layer != "gate/cli":
        rules.append((call_of(PRINTERS), "prints: only gate/cli does"))
        rules.append((re.compile(r"(fprintf|fputs)\s*\((.*,)?\s*std(?:out|err)"),
                      "prints: only gate/cli does"))
        rules.append((call_of(["setlocale"]), "changes what numbers look like"))
        if name != "gate/core/guard.c":  # the end of the forked child that is its whole life
            rules.append((call_of(["exit"]), "exits: only gate/cli does"))
    rules.append((re.compile(r"(typedef\s+(?:struct|enum|union))"), "hides a type: write it out"))
    for number, line in enumerate(code.splitlines(), 1):
        for rule, why in rules:
            match = rule.search(line)
            if match:
                yield number, f"{match.group(1)} {why}"


def check_sizes(code):
    lines = code.splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield len(lines), f"{len(lines)} lines, at most {FILE_LINES_MAX}"
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":  # as clang-format leaves the start of a function
            start = number
        elif line.startswith("}") and start is not None:
            if number - start - 1 > FUNCTION_LINES_MAX:
                yield start, f"function of {number - start - 1} lines, " \
                    f"at most {FUNCTION_LINES_MAX}"
            start = None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    faults, seen = [], {}
    files = [path for top in ("gate", "workloads", "sweeps", "baselines", "reporters", "tests")
             for path in (root / top).rglob("*") if path.suffix in (".c", ".h", ".def")]
    for path in sorted(files):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        code = code_of(text)
        for check in (check_includes(name, text, seen), check_calls(name, code),
                      check_sizes(code)):
            faults += [f"{name}:{number}: {what}" for number, what in check]
    for library, names in seen.items():
        if len(names) > THIRD_PARTY[library][1]:
            faults.append(f"{library} is included by {len(names)} files: {', '.join(sorted(names))}")
    print("\n".join(faults) if faults else f"{len(files)} files, every include points down")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

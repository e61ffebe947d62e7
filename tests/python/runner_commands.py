"""What GitHub's runner makes of a step's output and files, from its documented rules.

Commands: a line, blanks at its start dropped, that begins with "::": name and properties end at the
next "::"; properties are split at commas, then at the first "=". Data has %25 %0D %0A turned back,
properties %3A and %2C too. Files of outputs: "name=value", or "name<<WORD", lines, "WORD".
"""
import collections

Command = collections.namedtuple("Command", "name properties data")


def unescape(text, more=()):
    for code, character in [*more, ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]:
        text = text.replace(code, character)
    return text


def parse_command(line):
    """None for a line that is no command."""
    line = line.lstrip()
    if not line.startswith("::"):
        return None
    end = line.find("::", 2)
    if end < 0:
        return None
    name, _, listed = line[2:end].partition(" ")
    properties = {}
    for entry in listed.split(","):
        key, equals, value = entry.partition("=")
        if equals and key.strip() and value:
            properties[key.strip()] = unescape(value, [("%3A", ":"), ("%2C", ",")])
    return Command(name, properties, unescape(line[end + 2:]))


def commands_of(output):
    """Of everything a step prints; .NET ends lines at LF, CR LF and CR."""
    lines = output.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [command for command in map(parse_command, lines) if command]


def outputs_of(text):
    """The outputs a file sets; ValueError where the runner would refuse it."""
    outputs, lines = {}, text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, value = line[:equals], line[equals + 1:]
        elif heredoc >= 0:
            name, word, value = line[:heredoc], line[heredoc + 2:], []
            if not word:
                raise ValueError(f"no delimiter: {line}")
            while index < len(lines) and lines[index] != word:
                value.append(lines[index])
                index += 1
            if index == len(lines):
                raise ValueError(f"matching delimiter not found: {word}")
            index += 1
            value = "\n".join(value)
        else:
            raise ValueError(f"invalid format: {line}")
        if not name:
            raise ValueError("empty name")
        outputs[name] = value
    return outputs

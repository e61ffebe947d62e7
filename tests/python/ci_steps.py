"""Runs the shell steps of a workflow or an action as GitHub's runner does, as far as that works on
one machine without it: inputs become environment, each step gets files of its own for outputs and
summary, a failed step ends the job but for those that run always()."""
import dataclasses
import pathlib
import re
import subprocess

import runner_commands

SHELLS = {None: ["bash", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
          "sh": ["sh", "-e"]}
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


@dataclasses.dataclass
class Step:
    name: str
    exit_code: int
    printed: str
    outputs: dict
    summary: str

    def annotations(self):
        return runner_commands.commands_of(self.printed)


class Runner:
    """workspace: the checkout; temp: a folder outside it; environment: what the service sets."""

    def __init__(self, workspace, temp, environment):
        self.workspace, self.temp = pathlib.Path(workspace), pathlib.Path(temp)
        self.environment = environment
        self.done, self.by_id = [], {}

    def value(self, name, context):
        if name.startswith("inputs."):
            return context[name.removeprefix("inputs.")]
        match = re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", name)
        if match:
            return self.by_id[match.group(1)].outputs.get(match.group(2), "")
        raise KeyError(name)

    def expand(self, text, context):
        return EXPRESSION.sub(lambda match: self.value(match.group(1), context), str(text))

    def run_step(self, step, context):
        number = len(self.done)
        files = {name: self.temp / f"{name.lower()}_{number}"
                 for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.touch()
        script = self.temp / f"step_{number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        environment = {**self.environment, **{name: str(path) for name, path in files.items()},
                       **{name: self.expand(value, context)
                          for name, value in step.get("env", {}).items()}}
        folder = self.workspace / self.expand(step.get("working-directory", "."), context)
        done = subprocess.run([*SHELLS[step.get("shell")], str(script)], cwd=folder,
                              env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, check=False)
        outputs = runner_commands.outputs_of(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
        result = Step(step.get("name", ""), done.returncode, done.stdout.decode(), outputs,
                      files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"))
        self.done.append(result)
        if "id" in step:
            self.by_id[step["id"]] = result
        return result

    def run_action(self, action, given):
        """Every run step of a composite action; returns its outputs."""
        inputs = {name: str(about.get("default", "")) for name, about in action["inputs"].items()}
        inputs.update(given)
        for step in action["runs"]["steps"]:
            if self.run_step(step, inputs).exit_code != 0:
                break
        return {name: self.expand(about["value"], inputs) if "gate" in self.by_id else ""
                for name, about in action["outputs"].items()}

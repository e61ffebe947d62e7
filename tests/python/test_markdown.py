"""The markdown report as a Markdown library reads it: nothing foreign becomes more than text."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

try:
    import markdown_it
except ImportError:
    markdown_it = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULT = pathlib.Path(os.environ.get("BUILD", ROOT / "build")) / "tests" / "bench" / "result"
HOSTILE = [
    "a|b <img src=x onerror=y> @team", "`", "``a`` | b", "\\", "\\|", "a\\|b\\", "a|", "|", "||",
    "[x](http://x)", "![x](y.png)", "<a href=x>y</a>", "http://x.y", "www.x.y", "a@b.c", "@org/team",
    "#123", "GH-12", "owner/repo#1", "0123456789abcdef0123456789abcdef01234567", ":smile:", "$x$",
    "<!-- x", "--> <b>x</b>", "</details>", "<script>x</script>", "&lt;b&gt;", "&#64;team",
    "# x", "- x", "1. x", "> x", "---", "===", "```", "~~~", "    x", "|---|", "*x*", "_x_", "~~x~~",
    "a\nb", "\r\n# x", "\x1b[31mx", "\x00x", "\u202ex", "\u200b@team", "\u00a0# x", "caf\u00e9", "",
    "x" * 10000, "`" * 10000, "|" * 10000, "[" * 10000, "<" * 10000, "\U0001f600", "[^1]",
    "[x]: http://y", "- [ ] x", "\u2028", "x\u0000",
]
HOSTILE = [text.replace("\x00", "\x01") for text in HOSTILE]
# What GitHub and GitLab make of text that is in no code span, after Markdown is done with it.
LIVE = re.compile(r"@\w|(?<!&)#\w|GH-\d|\b[0-9a-f]{7,}\b|://|www\.|:\w+:|\$|~\w|!\d|&\w|\[", re.I)
PLAIN = {"text", "code_inline", "strong_open", "strong_close"}
BLOCKS = {"heading", "paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th",
          "td"}


@unittest.skipUnless(markdown_it, "markdown-it-py is not installed (apt-get install python3-markdown-it)")
class Markdown(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "result.json")
        self.write(150)

    def write(self, cases):
        subprocess.run([RESULT, "write", self.path, str(cases), "24", "0"], check=True)

    def change(self, change):
        content = json.loads(self.path.read_text(encoding="utf-8"))
        change(content)
        self.path.write_text(json.dumps(content), encoding="utf-8")

    def report(self):
        return subprocess.run([RESULT, "report", "markdown", self.path], check=True,
                              capture_output=True).stdout.decode()

    def parse(self, text):
        reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
        return reader.parse(text)

    def make_hostile(self):
        def change(content):
            content["suite"] = HOSTILE[0] + " --> " + HOSTILE[6]
            content["command"] = "\n".join(HOSTILE[:20])
            content["machine"] = "".join(HOSTILE[:20])
            content["conditions"] = HOSTILE
            content["policy_changes"] = HOSTILE[::-1]
            content["head"]["subject"] = "- [x](y) `z` @team #12"
            states = ["failed", "incorrect", "missing", "skipped", "broken", "no_baseline", "new",
                      "removed", "mistrusted", "measured"]
            for index, case in enumerate(content["cases"]):
                text = HOSTILE[index % len(HOSTILE)]
                case["name"] = f"{index}{text}"
                state = states[index % len(states)]
                if state != "measured":
                    case.update(state=state, series=[], reason=text)
        self.change(change)

    def check_inert(self, tokens):
        html = []
        for token in tokens:
            if token.type == "inline":
                for child in token.children:
                    self.assertIn(child.type, PLAIN, child.content[:200])
                    if child.type == "text":
                        self.assertIsNone(LIVE.search(child.content), child.content[:200])
            elif token.type == "html_block":
                html.append(token.content.strip())
            elif token.type != "code_block":
                self.assertIn(re.sub("_(open|close)$", "", token.type), BLOCKS)
        self.assertRegex(html[0], r"\A<!-- batchgate:[A-Za-z0-9._+%-]+ -->\Z")
        self.assertNotIn("--", html[0][4:-3])
        for block in html[1:]:
            self.assertRegex(block, r"\A(<details><summary>\d+ cells more, worst first</summary>"
                                    r"|</details>)\Z")

    def rows(self, tokens):
        """Of all tables: lists of what their cells hold."""
        rows = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline" and rows is not None and token.level > 3 and rows:
                rows[-1].append(token)
        return rows

    def test_nothing_foreign_becomes_more_than_text(self):
        self.make_hostile()
        self.check_inert(self.parse(self.report()))

    def test_each_hostile_text_alone_is_inert(self):
        for text in HOSTILE:
            self.write(3)

            def change(content):
                content["conditions"] = [text]
                for case, state in zip(content["cases"], ["failed", "skipped", "new"]):
                    case.update(name=text + state, state=state, series=[], reason=text)
            self.change(change)
            self.check_inert(self.parse(self.report()))

    def test_every_row_has_all_its_cells(self):
        self.make_hostile()
        rows = [row for row in self.rows(self.parse(self.report())) if row]
        self.assertGreater(len(rows), 60)
        for row in rows:
            self.assertEqual(len(row), 8, [cell.content[:80] for cell in row])

    def test_names_read_back_from_the_table(self):
        names = ["a|b <img> @team", "gemm/m=1,n=2", "a\\b", "&amp;", "x*y*z", "a b", "\u00e9"]

        def change(content):
            for case, name in zip(content["cases"], names):
                case.update(name=name, state="failed", series=[], reason="because")
        self.change(change)
        found = [row[1].children[0].content for row in self.rows(self.parse(self.report()))
                 if len(row) == 8]
        for name in names:
            self.assertIn(name, found)

    def test_the_parts_are_there_in_their_order(self):
        self.make_hostile()
        headings = [tokens.content for tokens in self.parse(self.report())
                    if tokens.type == "inline" and tokens.level == 1]
        wanted = ["Not judged", "Against the build, worst first", "Not compared",
                  "Policy changes", "What was unusual", "How to repeat", "The run"]
        self.assertEqual([title for title in headings if title in wanted], wanted)

    def test_a_page_of_many_cells_keeps_its_bound(self):
        self.write(20000)
        text = self.report()
        self.assertLessEqual(len(text.encode()), 900000)
        self.assertGreater(len(text.encode()), 850000)
        tokens = self.parse(text)
        self.check_inert(tokens)
        rows = sum(1 for row in self.rows(tokens) if len(row) == 8) - 2
        left = sum(int(count) for count in re.findall(r"room: (\d+) more of these", text))
        self.assertEqual(rows + left, 20000)

    def test_the_same_result_gives_the_same_bytes(self):
        self.make_hostile()
        self.assertEqual(self.report(), self.report())


if __name__ == "__main__":
    unittest.main()

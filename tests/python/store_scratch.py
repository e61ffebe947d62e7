"""Repositories, results to record, and remotes for the tests of the store."""
import http.server
import json
import os
import pathlib
import shutil
import socketserver
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCHGATE = pathlib.Path(os.environ.get("BATCHGATE", ROOT / "build" / "batchgate"))
RESULT = ROOT / "tests" / "golden" / "record" / "result.json"
CLASS = "c1-test"
REF = f"refs/notes/batchgate/v1/{CLASS}"


def environment(home):
    """Nothing of this machine's git settings matters."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org", "TMPDIR": str(home)}


class Scratch:
    """A folder with "origin.git", a bare repository of a few commits, and clones of it."""

    def __init__(self, commits=3):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="batchgate-store-"))
        self.env = environment(self.path)
        self.origin = self.path / "origin.git"
        self.git("init", "-q", "--bare", "-b", "main", "origin.git", cwd=self.path)
        self.git("config", "http.receivepack", "true", cwd=self.origin)
        first = self.clone("first")
        for number in range(commits):
            self.commit(first, f"commit {number}")
        self.git("push", "-q", "origin", "HEAD:main", cwd=first)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def try_git(self, *words, cwd, **more):
        return subprocess.run(["git", *words], cwd=cwd, env=self.env, capture_output=True,
                              text=True, check=False, **more)

    def git(self, *words, cwd, **more):
        done = self.try_git(*words, cwd=cwd, **more)
        assert done.returncode == 0, f"git {words}: {done.stderr}"
        return done.stdout.strip()

    def commit(self, clone, text):
        (clone / "file").write_text(text)
        self.git("add", "file", cwd=clone)
        self.git("commit", "-q", "-m", text, cwd=clone)
        return self.git("rev-parse", "HEAD", cwd=clone)

    def clone(self, name, *options, url=None):
        self.git("clone", "-q", *options, url or f"file://{self.origin}", name, cwd=self.path)
        clone = self.path / name
        # Not a commit yet in the first one.
        self.git("symbolic-ref", "HEAD", "refs/heads/main", cwd=clone)
        return clone

    def start(self, clone, *words, env=None):
        return subprocess.Popen([str(BATCHGATE), *words], cwd=clone, env={**self.env, **(env or {})},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL)

    def run(self, clone, *words, env=None):
        process = self.start(clone, *words, env=env)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def write_result(self, clone, rev="HEAD", runner_class=CLASS, level=1.0, suite="smoke"):
        """A result.json of the revision; returns its path."""
        result = json.loads(RESULT.read_text())
        head = result["head"]
        head["commit"] = self.git("rev-parse", rev, cwd=clone)
        head["tree"] = self.git("rev-parse", rev + "^{tree}", cwd=clone)
        head["parent"] = self.try_git("rev-parse", rev + "^", cwd=clone).stdout.strip() or None
        if head["parent"] and len(head["parent"]) not in (40, 64):
            head["parent"] = None
        result["runner_class"] = runner_class
        result["suite"] = suite
        for case in result["cases"]:
            for series in case["series"]:
                series["judge"]["head"] = [x * level for x in series["judge"]["head"]]
        folder = clone / "batchgate-out"
        folder.mkdir(exist_ok=True)
        path = folder / f"result-{head['commit'][:8]}-{runner_class}.json"
        path.write_text(json.dumps(result))
        return path

    def record(self, clone, rev="HEAD", **more):
        """Records a result; returns the run id."""
        code, out, err = self.run(clone, "record", str(self.write_result(clone, rev, **more)))
        assert code == 0, err
        return out.split()[1]

    def spool(self, clone):
        common = self.git("rev-parse", "--git-common-dir", cwd=clone)
        return sorted(p.stem for p in (clone / common / "batchgate" / "spool").glob("*.json"))

    def notes(self, ref=REF):
        """Every line of the origin's notes: {commit: [records]}."""
        listing = self.try_git("ls-tree", "-r", ref, cwd=self.origin).stdout
        notes = {}
        for line in listing.splitlines():
            meta, path = line.split("\t")
            text = self.git("cat-file", "blob", meta.split()[2], cwd=self.origin)
            notes.setdefault(path.replace("/", ""), []).extend(text.splitlines())
        return notes

    def runs(self, ref=REF):
        """Run ids at the origin, sorted; one that is there twice comes twice."""
        lines = [line for lines in self.notes(ref).values() for line in lines]
        return sorted(json.loads(line)["run"] for line in lines if line.startswith("{\"branch"))


class Backend(http.server.BaseHTTPRequestHandler):
    """git http-backend as a CGI program; the server's `fault` may break an exchange."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        self.server.seen += str(self.headers)
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = self.read_chunks()
        is_push = path.endswith("git-receive-pack") or "git-receive-pack" in query
        fault = self.server.fault
        if fault == "403" and is_push:
            self.refuse(403)
            return
        if fault == "503 once":
            self.server.fault = None
            self.refuse(503)
            return
        env = {**self.server.env, "GIT_PROJECT_ROOT": str(self.server.root),
               "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
               "REQUEST_METHOD": self.command, "REMOTE_USER": "tester",
               "REMOTE_ADDR": "127.0.0.1", "CONTENT_TYPE": self.headers.get("Content-Type", ""),
               "CONTENT_LENGTH": str(len(body)),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
               "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True,
                              check=False)
        if fault == "cut after push" and path.endswith("git-receive-pack"):
            self.server.fault = None
            self.close_connection = True
            self.connection.close()  # the server has taken it; nobody hears
            return
        self.reply(done.stdout)

    def read_chunks(self):
        body = b""
        while True:
            size = int(self.rfile.readline().strip() or b"0", 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body

    def refuse(self, code):
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def reply(self, output):
        head, _, body = output.partition(b"\r\n\r\n")
        status, headers = 200, []
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "Status":
                status = int(value.split()[0])
            elif name:
                headers.append((name, value))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = answer
    do_POST = answer


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, scratch):
        super().__init__(("127.0.0.1", 0), Backend)
        self.root, self.env, self.fault = scratch.path, scratch.env, None
        self.seen = ""  # every header of every request
        self.url = f"http://127.0.0.1:{self.server_address[1]}/origin.git"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass

    def stop(self):
        self.shutdown()
        self.server_close()

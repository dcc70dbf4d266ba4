"""assay in pytest: docs/pytest.md describes the fixture, the items and the options."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

MODES = ("replay", "record", "new")
CONFIGURATION = re.compile(r"assay\.config\.(json|mjs|ts)")

INI = {
    "assay_command": "words that start assay: npx, docker run, or a path (default: npx --no assay)",
    "assay_base_url": "URL of the service that is recorded or judged",
    "assay_mode": "replay, record, or new: replay known requests and record the others (default: replay)",
    "assay_cassettes": "folder of the cassettes (default: cassettes)",
    "assay_record_args": "further flags of assay record",
    "assay_replay_args": "further flags of assay replay (default: --strict)",
    "assay_run_args": "further flags of assay run",
}
DEFAULTS = {
    "assay_command": "npx --no assay",
    "assay_mode": "replay",
    "assay_cassettes": "cassettes",
    "assay_replay_args": "--strict",
}
PASSED = pytest.StashKey()
#: Seconds that a command gets to end by itself, and again after a signal.
GRACE = 20


def pytest_addoption(parser):
    for name, says in INI.items():
        parser.addini(name, f"{says}; the variable {name.upper()} wins")
    group = parser.getgroup("assay")
    group.addoption("--assay-mode", choices=MODES, help=INI["assay_mode"])
    group.addoption(
        "--assay",
        action="store_true",
        help="collect every assay.config.json: a run of assay, with an item for each requirement",
    )


def setting(config, name):
    """The environment wins over the ini file."""
    return os.environ.get(name.upper()) or config.getini(name) or DEFAULTS.get(name, "")


class CannotStart(Exception):
    """The words that start assay do not. The message is one sentence."""


def words(config, name):
    value = setting(config, name)
    try:
        return shlex.split(value)
    except ValueError as error:
        raise CannotStart(f"{name} is {value!r}, which is not a command line: {error}.") from None


def cannot_start(command, error):
    return CannotStart(f"{shlex.join(command)} cannot be started: {error}. assay_command, or ASSAY_COMMAND, has the words that start assay.")


class Recorded:
    """assay record or assay replay, around one test."""

    def __init__(self, config, node_id, mode, base_url):
        self.mode = mode
        self._root = config.rootpath
        self._draft = None
        #: Relative to the root folder of pytest, which a container may see under another path.
        self.cassette = "/".join((setting(config, "assay_cassettes"), *cassette_names(node_id)))
        if mode == "replay":
            args = ["replay", self.cassette, *words(config, "assay_replay_args")]
        elif base_url:
            record_mode = "new" if mode == "new" else "record"
            if mode == "record":
                # A test that fails or is skipped leaves the cassette as it is.
                self._draft = f"{self.cassette}.recording"
                shutil.rmtree(Path(config.rootpath, self._draft), ignore_errors=True)
            args = ["record", "--base-url", base_url, "--cassette", self._draft or self.cassette, "--mode", record_mode]
            args += words(config, "assay_record_args")
        else:
            raise CannotStart("assay_base_url in pytest.ini, or ASSAY_BASE_URL, has to name the service to record.")
        self.again = f"pytest {shlex.quote(node_id)} --assay-mode=record"
        self._lines = []
        self._url = None
        self._started = threading.Event()
        # `cat` ends when its input does: npx and docker pass signals on in different ways, or twice. A killed pytest closes the input, too.
        command = [*words(config, "assay_command"), *args, "--", "cat"]
        try:
            self._process = subprocess.Popen(
                command,
                cwd=config.rootpath,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise cannot_start(command, error) from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._started.wait()
        if self._url is None:
            pytest.fail(f"{self.end()}\nRecord it: {self.again}", pytrace=False)

    def _read(self):
        for line in self._process.stderr:
            # npx and docker may print lines of their own before.
            if self._url is None and re.fullmatch(r"https?://\S+/v1\s*", line):
                self._url = line.strip()
                self._started.set()
            else:
                self._lines.append(line)
        self._started.set()

    @property
    def url(self):
        """Where the client of the test connects, with /v1."""
        return self._url

    def end(self):
        """Ends the command. Returns its words if it failed; else None."""
        self._process.stdin.close()
        code = None
        # A forked child of the test may still hold the input.
        for stop in (self._process.terminate, self._process.kill):
            try:
                code = self._process.wait(timeout=GRACE)
                break
            except subprocess.TimeoutExpired:
                stop()
        if code is None:
            code = self._process.wait()
        # A process that it has started may keep its output open.
        self._reader.join(timeout=GRACE)
        if not self._reader.is_alive():
            self._process.stderr.close()
        if code == 0:
            return None
        # The client of this command is `cat`; pytest has a command of its own.
        said = [line for line in self._lines if not re.match(r"\s+again\s", line)]
        return "".join(said).rstrip() or f"assay {self.mode} ended with {code}"


    def keep(self, passed):
        """Puts what a passed test has recorded in the place of its cassette."""
        if self._draft is None:
            return
        draft, cassette = Path(self._root, self._draft), Path(self._root, self.cassette)
        if passed and draft.exists():
            shutil.rmtree(cassette, ignore_errors=True)
            draft.rename(cassette)
        else:
            shutil.rmtree(draft, ignore_errors=True)


def cassette_names(node_id):
    """Names of folders for a test; those that lose characters get a digest, because others may lose the same."""
    path, *inner = node_id.split("::")
    names = []
    for name in (*re.sub(r"\.py$", "", path).split("/"), *inner):
        plain = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80]
        if plain != name:
            plain += "-" + hashlib.sha256(name.encode()).hexdigest()[:6]
        names.append(plain)
    return names


@pytest.fixture(scope="session")
def assay_base_url(pytestconfig):
    """URL of the service to record; override it to start one."""
    return setting(pytestconfig, "assay_base_url")


@pytest.fixture
def assay(request):
    """A recorded service for this test: url, cassette, mode."""
    config = request.config
    mode = config.getoption("assay_mode") or setting(config, "assay_mode")
    if mode not in MODES:
        pytest.fail(f"assay_mode is {mode!r}: it takes {', '.join(MODES)}.", pytrace=False)
    # A replay needs no service: a fixture that starts one is not asked for it.
    base_url = None if mode == "replay" else request.getfixturevalue("assay_base_url")
    problem = None
    try:
        recorded = Recorded(config, request.node.nodeid, mode, base_url)
    except CannotStart as error:
        problem = str(error)
    # Outside of the handler: pytest would print the exception with its traceback.
    if problem is not None:
        pytest.fail(problem, pytrace=False)
    yield recorded
    problem = recorded.end()
    passed = request.node.stash.get(PASSED, False)
    recorded.keep(passed and problem is None)
    if problem is None:
        return
    problem = f"{problem}\nRecord it again: {recorded.again}"
    if not passed:
        # Shown with the failure, of which it is a consequence or the cause; a skipped test need not send anything.
        sys.stderr.write(f"{problem}\n")
    else:
        pytest.fail(problem, pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        # An expected failure that did not happen passes, too.
        item.stash[PASSED] = report.passed


def pytest_collect_file(file_path, parent):
    named = parent.session.isinitpath(file_path)
    if CONFIGURATION.fullmatch(file_path.name) and (named or parent.config.getoption("assay")):
        return AssayRun.from_parent(parent, path=file_path)
    return None


class AssayWarning(pytest.PytestWarning):
    """A SHOULD is violated."""


class RequirementFailed(Exception):
    pass


class AssayRun(pytest.File):
    """assay run with this configuration file. It runs once, while pytest collects."""

    def collect(self):
        try:
            items, problem = self.judge()
        except CannotStart as error:
            items, problem = [], str(error)
        # An item, because an error of the collection would keep pytest from running the other tests.
        return items if problem is None else [*items, Verdict.from_parent(self, name="verdict", problem=problem)]

    def judge(self):
        """The items of the run, and why it has no verdict that they show; None if they show it."""
        if hasattr(self.config, "workerinput"):
            return [], "Each worker of pytest-xdist would run assay: collect this file with -p no:xdist."
        report_dir = os.environ.get("ASSAY_REPORT_DIR") or "assay-report"
        junit = Path(self.path.parent, report_dir, "junit.xml")
        # An earlier run may have left one.
        junit.unlink(missing_ok=True)
        base_url = setting(self.config, "assay_base_url")
        args = ["run", "--report", "json,junit,html", "--report-dir", report_dir]
        args += ["--base-url", base_url] if base_url else []
        command = [*words(self.config, "assay_command"), *args, *words(self.config, "assay_run_args")]
        try:
            run = subprocess.run(
                command,
                cwd=self.path.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise cannot_start(command, error) from None
        if not junit.exists():
            return [], f"{shlex.join(command)} ended with {run.returncode}:\n{run.stderr}{run.stdout}"
        items = [
            Requirement.from_parent(self, name=case.get("name"), case=case)
            for case in ElementTree.parse(junit).iter("testcase")
        ]
        broken = any(item.problem is not None for item in items)
        if run.returncode != 0 and not broken:
            return items, f"assay ended with {run.returncode}, but no requirement fails:\n{run.stderr}"
        return items, None


class Verdict(pytest.Item):
    """A run that failed for a reason that no requirement shows."""

    def __init__(self, *, problem, **rest):
        super().__init__(**rest)
        self.problem = problem

    def runtest(self):
        pytest.fail(self.problem, pytrace=False)

    def reportinfo(self):
        return self.path, 0, "verdict"


class Requirement(pytest.Item):
    """A requirement with its verdict, as in junit.xml."""

    def __init__(self, *, case, **rest):
        super().__init__(**rest)
        self.output = case.findtext("system-out") or ""
        problem = case.find("failure")
        self.problem = case.find("error") if problem is None else problem
        skipped = case.find("skipped")
        if skipped is not None:
            self.add_marker(pytest.mark.skip(reason=skipped.get("message")))

    def runtest(self):
        if self.problem is not None:
            raise RequirementFailed(self.problem.text or self.problem.get("message"))
        if self.output.startswith("WARN"):
            self.warn(AssayWarning(self.output))

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, RequirementFailed):
            return f"{excinfo.value}\n\n{self.output}"
        return super().repr_failure(excinfo)

    def reportinfo(self):
        # A name of its own: pytest would print the dots of an id as the end of a path.
        return self.path, 0, f"requirement {self.name}"

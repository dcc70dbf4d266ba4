import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { findCodeBlock, ROOT, readDocument } from '../scripts/testing/documents.ts';
import { environmentOf } from './testing/in-process.ts';

const python = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import pytest']).status === 0,
);
if (python === undefined) console.log('pytest is not installed: the tests of assay-pytest are skipped');

const root = mkdtempSync(join(tmpdir(), 'assay-pytest-'));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'project-'));
});
afterAll(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function runPytest(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = `'${process.execPath}' '${inject('main')}'`;
  const clean = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1', PY_COLORS: '0' };
  const flags = ['-m', 'pytest', '-p', 'assay_pytest', '-p', 'no:cacheprovider', ...args];
  const child = spawn(python ?? '', flags, {
    cwd: folder,
    env: environmentOf({ ...clean, ASSAY_COMMAND: command, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

const RUNNING_SERVER = `
import os, pytest
from types import SimpleNamespace

def start_server():
    return SimpleNamespace(port=os.environ["PORT"], close=lambda: print("closed"))
`;

const CASSETTE = 'cassettes/tests/test_models/test_models/cassette.jsonl';

const CLIENT = `
import json, urllib.request

def get(url):
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)
`;

const OPENAI = `${CLIENT}
from types import SimpleNamespace

class OpenAI:
    def __init__(self, base_url, api_key):
        self.models = SimpleNamespace(list=lambda: SimpleNamespace(**get(base_url + "/models")))
`;

const modelsTest = (statements: string) => `${CLIENT}
def test_models(assay):
    ${statements}
`;

describe.skipIf(python === undefined)('the fixture, for a recorded test', () => {
  const template = join(root, 'template');
  const TEST_FILE = 'tests/test_models.py';
  const readCassette = () => readFileSync(join(folder, CASSETTE), 'utf8');
  let recorded: Awaited<ReturnType<typeof runPytest>>;

  beforeAll(async () => {
    folder = template;
    const page = readDocument('docs/pytest.md');
    write({ [TEST_FILE]: findCodeBlock(page, 'python', '# test_models.py'), 'tests/openai.py': OPENAI });
    const reference = await startReference({});
    recorded = await runPytest(['--assay-mode=record'], { ASSAY_BASE_URL: reference.url });
    await reference.close();
  });
  beforeEach(() => cpSync(template, folder, { recursive: true }));

  test('writes one cassette', () => {
    expect(recorded).toMatchObject({ code: 0, output: expect.stringContaining('1 passed') });
    expect(readdirSync(join(folder, 'cassettes/tests/test_models'))).toEqual(['test_models']);
  });

  test('replays the cassette without the service', async () => {
    expect(await runPytest([])).toMatchObject({ code: 0, output: expect.stringContaining('1 passed') });
  });

  test('says how to record a test without a cassette', async () => {
    rmSync(join(folder, 'cassettes'), { recursive: true });
    expect(await runPytest([])).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /does not contain a cassette[\s\S]*Record it: pytest tests\/test_models\.py::test_models --assay-mode=record/,
      ),
    });
  });

  test.each(['assert False', 'import pytest; pytest.skip("later")', 'import pytest; pytest.xfail("known")'])(
    'keeps the cassette if the test ends with %s while it is recorded',
    async (end) => {
      const reference = await startReference({});
      const before = readCassette();
      write({ [TEST_FILE]: modelsTest(`get(assay.url + '/models/chat-large'); ${end}`) });
      const { output } = await runPytest(['--assay-mode=record'], { ASSAY_BASE_URL: reference.url });
      await reference.close();
      expect(output).toMatch(/= 1 (?:failed|skipped|xfailed) in /);
      expect(readCassette()).toBe(before);
    },
  );

  test('fails the test for a request without a recording, even if the client hides the error', async () => {
    const hidden = `
    try:
        get(assay.url + '/models/other')
    except OSError:
        pass`;
    write({ [TEST_FILE]: modelsTest(`get(assay.url + '/models')${hidden}`) });
    const { code, output } = await runPytest([]);
    expect(code).toBe(1);
    expect(output).toMatch(/GET \/v1\/models\/other[\s\S]*Record it again: pytest tests/);
    expect(output).not.toContain('-- cat');
  });

  test('fails the test for an unused recording', async () => {
    write({ [TEST_FILE]: modelsTest('assert assay.mode == "replay"') });
    const { code, output } = await runPytest([]);
    expect([code, output]).toEqual([1, expect.stringContaining('GET /v1/models')]);
  });

  test('fails a test without requests, however lenient the replay is', async () => {
    write({ [TEST_FILE]: modelsTest('assert assay.mode == "replay"') });
    expect((await runPytest([], { ASSAY_REPLAY_ARGS: '--no-strict' })).code).toBe(1);
  });

  test('does not fail a skipped test, which need not send anything', async () => {
    write({ [TEST_FILE]: modelsTest('import pytest; pytest.skip("not here")') });
    expect(await runPytest([])).toMatchObject({ code: 0, output: expect.stringMatching(/= 1 skipped in /) });
  });

  test('counts a failed test once, whatever recordings it left unused', async () => {
    write({ [TEST_FILE]: modelsTest('assert False') });
    expect((await runPytest([])).output).toMatch(/= 1 failed in /);
  });
});

describe.skipIf(python === undefined)('the fixture', () => {
  test('starts the service of a fixture only to record', async () => {
    const reference = await startReference({});
    write({
      'pytest.ini': '[pytest]\nassay_cassettes = recorded\n',
      'conftest.py': findCodeBlock(readDocument('docs/pytest.md'), 'python', 'def assay_base_url').replace(
        'import pytest',
        RUNNING_SERVER,
      ),
      'test_models.py': modelsTest('get(assay.url + "/models")'),
    });
    const recorded = await runPytest([], { ASSAY_MODE: 'record', PORT: new URL(reference.url).port });
    await reference.close();
    expect(recorded).toMatchObject({ code: 0, output: expect.stringContaining('1 passed') });
    // Without PORT, the fixture cannot start the service.
    expect(await runPytest([])).toMatchObject({ code: 0, output: expect.stringContaining('1 passed') });
  });

  test('distinguishes tests with similar names', async () => {
    const reference = await startReference({});
    write({
      'pytest.ini': '[pytest]\nassay_cassettes = recorded\n',
      'test_alike.py': `${CLIENT}
import pytest

@pytest.mark.parametrize("name", ["chat-large", "chat large", "chat/large"])
def test_model(assay, name):
    get(assay.url + "/models?name=" + name.encode().hex())
`,
    });
    const recorded = await runPytest([], { ASSAY_MODE: 'record', ASSAY_BASE_URL: reference.url });
    await reference.close();
    expect(recorded).toMatchObject({ code: 0, output: expect.stringContaining('3 passed') });
    expect(readdirSync(join(folder, 'recorded/test_alike'))).toHaveLength(3);
    expect(await runPytest([])).toMatchObject({ code: 0, output: expect.stringContaining('3 passed') });
  });
});

describe.skipIf(python === undefined)('the items', () => {
  const configuration = { 'assay.config.json': '{ "format": 1, "claim": ["models"] }' };

  test('are the requirements of one run, for a service that conforms and one that does not', async () => {
    write({ ...configuration, 'test_other.py': 'def test_other():\n    pass\n' });
    expect((await runPytest([])).output).toContain('1 passed');
    const conforming = await runPytest(['--assay', '-v']);
    expect(conforming.code, conforming.output).toBe(0);
    expect(conforming.output).toContain('assay.config.json::model:id#type PASSED');

    const faulty = await startReference({ fault: 'models-created-missing' });
    const failing = await runPytest(['assay.config.json', '-v'], { ASSAY_BASE_URL: faulty.url });
    await faulty.close();
    expect(failing.code).toBe(1);
    expect(failing.output).toMatch(/assay\.config\.json::model:created#required FAILED/);
    expect(failing.output).toMatch(
      /_ requirement model:created#required _+\nMUST[\s\S]*> GET \/v1\/models[\s\S]*again {2}npx assay run/,
    );
    expect(failing.output).not.toContain('assay_pytest.py');
  });

  const fakeAssay = (code: number, suite: string) =>
    `const { mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('assay-report', { recursive: true });
writeFileSync('assay-report/junit.xml', ${JSON.stringify(`<testsuites><testsuite>${suite}</testsuite></testsuites>`)});
process.exit(${code});`;

  function runItems(program: string, ...flags: readonly string[]) {
    write({ ...configuration, 'fake.cjs': program });
    const env = { ASSAY_COMMAND: `'${process.execPath}' fake.cjs` };
    return runPytest(['assay.config.json', ...flags], env);
  }

  describe('of a report with every outcome', () => {
    const cases = `<testcase name="a.pass"><system-out>level: MUST</system-out></testcase>
<testcase name="a.warn"><system-out>WARN  a SHOULD is broken</system-out></testcase>
<testcase name="a.fail"><failure message="It is so." type="MUST">MUST  It is so.</failure></testcase>
<testcase name="a.undecided"><error message="inconclusive: no evidence" type="inconclusive"/></testcase>
<testcase name="a.untested"><skipped message="untested: no call"/></testcase>
<testcase name="a.known"><skipped message="known failure: release 4"/></testcase>`;

    test('have the outcomes that the page describes', async () => {
      const { code, output } = await runItems(fakeAssay(1, cases), '-v', '-rs');
      expect(code).toBe(1);
      for (const line of [
        /a\.pass PASSED/,
        /a\.warn PASSED/,
        /AssayWarning: WARN {2}a SHOULD is broken/,
        /a\.fail FAILED/,
        /a\.undecided FAILED/,
        /_ requirement a\.undecided _+\ninconclusive: no evidence/,
        /a\.untested SKIPPED \(untested: no call\)/,
        /a\.known SKIPPED/,
        /2 failed, 2 passed, 2 skipped, 1 warning/,
      ])
        expect(output).toMatch(line);
    });

    test('fail for a broken SHOULD if pytest treats warnings as errors', async () => {
      expect((await runItems(fakeAssay(1, cases), '-W', 'error')).output).toContain('3 failed, 1 passed');
    });
  });

  test('include a failed verdict that no requirement shows', async () => {
    const { output } = await runItems(fakeAssay(2, '<testcase name="a.pass"/>'));
    expect(output).toContain('assay ended with 2, but no requirement fails');
    expect(output).toMatch(/= 1 failed, 1 passed/);
  });

  test('fail if assay writes no report', async () => {
    const { output } = await runItems('console.error("no such option"); process.exit(2);');
    expect(output).toMatch(/_ verdict _+\n.*ended with 2:\s+.*no such option/);
    expect(output).toMatch(/= 1 failed in/);
    expect(existsSync(join(folder, 'assay-report/junit.xml'))).toBe(false);
  });
});

describe.skipIf(python === undefined)('a mistake in the setup', () => {
  beforeEach(() =>
    write({
      'assay.config.json': '{ "format": 1, "claim": ["models"] }',
      'test_mine.py': 'def test_other():\n    pass\n\ndef test_recorded(assay):\n    pass\n',
    }),
  );
  const STACK = /Traceback|assay_pytest\.py/;

  test('in the command that starts assay is reported in one sentence, and other tests run', async () => {
    const { output } = await runPytest(['--assay'], { ASSAY_COMMAND: 'nope x' });
    expect(output).toMatch(/1 failed, 1 passed, 1 error/);
    expect(output.match(/nope x .*cannot be started/g)?.length).toBeGreaterThanOrEqual(2);
    expect(output).not.toMatch(STACK);
  });

  test('in the address of the service fails the verdict alone, also if there is an earlier report', async () => {
    // The port is closed.
    const run = () =>
      runPytest(['--assay', '-k', 'not recorded'], { ASSAY_BASE_URL: 'http://127.0.0.1:9/v1' });
    const first = await run();
    expect(existsSync(join(folder, 'assay-report/junit.xml'))).toBe(true);
    const second = await run();
    for (const { output } of [first, second]) {
      expect(output).toMatch(/_ (?:requirement )?verdict _/);
      expect(output).toMatch(/1 failed,.* 1 passed/);
    }
  });

  test('in the mode is reported with the modes that exist', async () => {
    const { output } = await runPytest([], { ASSAY_MODE: 'nope' });
    expect(output).toContain("assay_mode is 'nope': it takes replay, record, new.");
    expect(output).not.toMatch(STACK);
  });

  test('that leaves out the service to record is reported with its setting and variable', async () => {
    const { output } = await runPytest(['--assay-mode=record']);
    expect(output).toContain(
      'assay_base_url in pytest.ini, or ASSAY_BASE_URL, has to name the service to record.',
    );
    expect(output).not.toMatch(STACK);
  });
});

test.skipIf(python === undefined)(
  'the package has the version of assay, requires only pytest and declares the plugin',
  () => {
    const read = `import tomllib, json; print(json.dumps(tomllib.load(open("pyproject.toml", "rb"))))`;
    const { stdout } = spawnSync(python ?? '', ['-c', read], {
      cwd: join(ROOT, 'clients/python'),
      encoding: 'utf8',
    });
    const { project, tool } = JSON.parse(stdout);
    expect(project.dependencies).toEqual([expect.stringMatching(/^pytest>=/)]);
    expect(project.version).toBe(JSON.parse(readDocument('package.json')).version);
    expect(project['entry-points']).toEqual({ pytest11: { assay: tool.setuptools['py-modules'][0] } });
  },
);

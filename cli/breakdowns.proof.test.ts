import { mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { createAjv } from '../schemas/index.ts';
import type { OwnAnswer } from './testing/answering-proxy.ts';
import { copyWithErrors } from './testing/edited-cassette.ts';
import { readReportIn, setUpJudgedReference } from './testing/judged-reference.ts';
import { runAssay } from './testing/run-assay.ts';

const BUSY: OwnAnswer = { status: 503 };
const FLAGS = ['--model', 'chat=chat-large', '--model', 'vision=chat-large', '--claim', 'chat,listModels'];
const { judgeBehind } = setUpJudgedReference();

const ALL_REPORTS = 'terminal,json,junit,markdown,html';

function run(answer: Parameters<typeof judgeBehind>[0], ...flags: readonly string[]) {
  return judgeBehind(answer, [...FLAGS, '--report', 'terminal,json', ...flags]);
}

const listUndecided = ({ requirements }: Report) =>
  requirements.filter(({ verdict }) => verdict === 'inconclusive');

/** Number of undecided requirements by the ids of the faults that cause them; '' for other causes. */
function countUndecidedByFault(report: Report): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { cause } of listUndecided(report)) {
    const ids = cause?.kind === 'breakdown' ? cause.faults.map(({ id }) => id).join(' ') : '';
    counts.set(ids, (counts.get(ids) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

const STOP = 'createChatCompletion:accepts#body.stop';
const TEMPERATURE = 'createChatCompletion:accepts#body.temperature';
const WORDS =
  /answers 503 to stop: (\d+) of \1 requests with it, 0 of \d+ without: a fault of the service rather than a lack of capacity/;

/** Tests that need no live service judge edited copies of this cassette, which takes less time than a run. */
let recorded = '';
beforeAll(async () => {
  recorded = join((await run(() => null)).dir, 'cassette');
});

type ChooseError = (requestBody: string) => number | null;

function copyEdited(choose: ChooseError): string {
  const dir = mkdtempSync(join(dirname(dirname(recorded)), 'edited-'));
  copyWithErrors(recorded, join(dir, 'cassette'), choose);
  return dir;
}

async function judgeEdited(choose: ChooseError, ...flags: readonly string[]) {
  const dir = copyEdited(choose);
  const outputs = ['--report', 'terminal,json', '--report-dir', dir];
  return { ...(await runAssay(['check', join(dir, 'cassette'), ...outputs, ...flags])), dir };
}

const bodyHas = (body: string, ...names: readonly string[]) =>
  names.some((name) => body.includes(`"${name}":`));

function expectValid(report: Report): void {
  const validate = createAjv().compile(JSON.parse(readFileSync('reports/report.schema.json', 'utf8')));
  expect([validate(report), validate.errors]).toEqual([true, null]);
}

function expectStopBlamed({ code, stdout, dir }: Awaited<ReturnType<typeof judgeEdited>>): void {
  const report = readReportIn(dir);
  const open = listUndecided(report);
  expect(open.length).toBeGreaterThan(5);
  expect(countUndecidedByFault(report)).toEqual({ [STOP]: open.length });
  const broken = report.requirements.filter(({ verdict }) => verdict === 'fail');
  expect(broken.map(({ id, findings }) => [id, findings.map(({ causeId }) => causeId)])).toEqual([
    ['createChatCompletion:accepts', [STOP]],
  ]);
  expectValid(report);
  expect([code, report.summary.verdict, report.diagnoses]).toEqual([1, 'does-not-conform', []]);
  expect(stdout).toMatch(new RegExp(`^${open.length} requirements inconclusive: ${WORDS.source}$`, 'm'));
  expect(stdout).toMatch(/^ {2}1 MUST is broken$/m);
  expect(stdout).toMatch(
    new RegExp(
      `^ {2}${open.length} MUSTs could not be decided, all because the service answers 503 to stop$`,
      'm',
    ),
  );
  for (const file of ['junit.xml', 'summary.md', 'report.html'])
    expect(readFileSync(join(dir, file), 'utf8')).toMatch(WORDS);
}

test('503 for one parameter is a fault of the service, for which show and explain give evidence', async () => {
  const result = await run(
    ({ body }) => (bodyHas(body, 'stop') ? BUSY : null),
    ...['--concurrency', '16', '--report', ALL_REPORTS],
  );
  expectStopBlamed(result);
  const { stdout, dir } = result;
  const show = /^ +whole +npx assay show (\S+) (e\d+)$/m.exec(stdout);
  const shown = await runAssay(['show', show?.[1] ?? '', show?.[2] ?? '']);
  expect(shown.stdout).toContain('"stop"');
  const explained = await runAssay([
    'explain',
    'chat.reply.nothing-after-stop',
    '--no-example',
    '--report',
    dir,
  ]);
  expect(explained.stdout).toMatch(/inconclusive: answers 503 to stop/);
  expect(explained.stdout).toMatch(/look +npx assay show \S+ e\d+/);
});

test('503 for one parameter is a fault of the service in recorded traffic without retries', async () => {
  expectStopBlamed(
    await judgeEdited((body) => (bodyHas(body, 'stop') ? 503 : null), '--report', ALL_REPORTS),
  );
});

test('a baseline accepts a fault by its name with all that it leaves undecided, and nothing else', async () => {
  const dir = copyEdited((body) => (bodyHas(body, 'stop') ? 503 : null));
  const [cassette, baseline] = [join(dir, 'cassette'), join(dir, 'baseline.json')];
  const written = await runAssay([
    'check',
    cassette,
    '--baseline-write',
    baseline,
    '--baseline-reason',
    'no room',
    '--report-dir',
    dir,
  ]);
  expect([written.code, written.stderr]).toEqual([0, expect.stringContaining('wrote 1 entry')]);
  expect(JSON.parse(readFileSync(baseline, 'utf8'))).toEqual({
    format: 1,
    known: [{ id: STOP, signatures: [expect.any(String)], reason: 'no room', link: null, expires: null }],
    choices: expect.objectContaining({ 'chat.finish-reason.at-limit': 'length' }),
  });
  const gate = (choose: ChooseError) => judgeEdited(choose, '--baseline', baseline);
  const same = await gate((body) => (bodyHas(body, 'stop') ? 503 : null));
  expect([same.code, same.stdout]).toEqual([
    0,
    expect.stringMatching(/MUSTs could not be decided, which is accepted/),
  ]);
  const more = await gate((body) => (bodyHas(body, 'stop', 'temperature') ? 503 : null));
  expect(more.code).toBe(1);
  const refused = await gate((body) => (bodyHas(body, 'stop') ? 400 : null));
  expect(refused.code).toBe(1);
  const mended = await gate(() => null);
  expect([mended.code, mended.stdout]).toEqual([0, expect.stringContaining(`the baseline lists ${STOP}`)]);
});

test('503 for each of two parameters gives two faults, and one requirement that names both', async () => {
  const { code, dir } = await judgeEdited((body) => (bodyHas(body, 'stop', 'temperature') ? 503 : null));
  const faults = countUndecidedByFault(readReportIn(dir));
  expect([code, Object.keys(faults).toSorted()]).toEqual([
    1,
    [STOP, TEMPERATURE, `${TEMPERATURE} ${STOP}`].toSorted(),
  ]);
  const accepts = readReportIn(dir).requirements.find(({ id }) => id === 'createChatCompletion:accepts');
  expect(accepts?.findings.map(({ causeId }) => causeId).toSorted()).toEqual([STOP, TEMPERATURE]);
});

// Retries determine how much stays undecided, so the number depends on the load of the machine.
test('503 under load is not a fault of the service', async () => {
  let inFlight = 0;
  let refusedCount = 0;
  const refuseAboveTwo: Parameters<typeof judgeBehind>[0] = (_, outgoing) => {
    inFlight += 1;
    outgoing.once('close', () => {
      inFlight -= 1;
    });
    if (inFlight <= 2) return null;
    refusedCount += 1;
    return BUSY;
  };
  const { stdout, dir } = await run(refuseAboveTwo, '--concurrency', '8');
  expect(refusedCount).toBeGreaterThan(0);
  const report = readReportIn(dir);
  expect(report.requirements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(report.summary.requirements.pass).toBeGreaterThan(100);
  expect(stdout).not.toContain('a fault of the service');
});

test.each<readonly [string, () => Parameters<typeof judgeBehind>[0]]>([
  [
    'for one of three requests at random',
    () => {
      let state = 7;
      return () => {
        state = (state * 48_271) % 2_147_483_647;
        return state % 3 === 0 ? BUSY : null;
      };
    },
  ],
  ['to everything', () => () => BUSY],
  [
    'for a time',
    () => {
      let count = 0;
      return () => {
        count += 1;
        return count > 90 && count < 115 ? BUSY : null;
      };
    },
  ],
  [
    'from one request on',
    () => {
      let count = 0;
      return () => {
        count += 1;
        return count > 120 ? BUSY : null;
      };
    },
  ],
])(
  '503 %s has no cause, and the report advises another run for all requirements that lacked capacity',
  async (_, makeAnswer) => {
    const { code, stdout, dir } = await run(makeAnswer(), '--concurrency', '8');
    const report = readReportIn(dir);
    expect([code, Object.keys(countUndecidedByFault(report))]).toEqual([2, ['']]);
    expect(stdout).not.toContain('a fault of the service');
    const open = report.summary.causes.find(({ kind }) => kind === 'inconclusive');
    const count = open !== undefined && 'count' in open ? open.count : 0;
    expect(count).toBeGreaterThan(1);
    expect(stdout).toMatch(
      new RegExp(
        `^next: run it again when the service is healthy: ${count} MUSTs could not be decided because`,
        'm',
      ),
    );
  },
);

test('if requests that must be accepted get 500, the shared cause of all failures comes first and is in the verdict', async () => {
  const { code, stdout, dir } = await judgeEdited(
    (body) => (bodyHas(body, 'tools') ? 500 : null),
    ...['--report', 'terminal,json,markdown,html'],
  );
  const report = readReportIn(dir);
  const failing = report.requirements.filter(({ verdict }) => verdict === 'fail');
  expect([code, failing.length > 10]).toEqual([1, true]);
  const cause = /the service answers 500 to tools: (\d+) of \1 requests with it, 0 of \d+ without/.source;
  expect(stdout).toMatch(
    new RegExp(`^all ${failing.length} MUST failures share one cause: ${cause}\n\nFAIL `, 'm'),
  );
  expect(stdout).toMatch(
    new RegExp(`^ {2}${failing.length} MUSTs are broken, all for one cause: ${cause}$`, 'm'),
  );
  expect(stdout).toMatch(
    /^ {2}\d+ MUSTs could not be decided, all because the service answers 500 to tools$/m,
  );
  expect(stdout).toMatch(
    new RegExp(
      `^next: ${failing.length} requirements fail because the service answers 500 to tools; fix it`,
      'm',
    ),
  );
  for (const file of ['summary.md', 'report.html'])
    expect(readFileSync(join(dir, file), 'utf8')).toMatch(new RegExp(`all for one cause: ${cause}`));
  expectValid(report);
});

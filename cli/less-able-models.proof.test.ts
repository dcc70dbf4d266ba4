import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelRoles } from '../reference/model/catalogue.ts';
import { serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { escapePattern } from '../schemas/escape-pattern.ts';
import { copyWithErrors } from './testing/edited-cassette.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-less-able-'));
afterAll(() => rmSync(folder, { recursive: true }));

const roles = Object.entries(modelRoles).flatMap(([role, model]) => ['--model', `${role}=${model}`]);

/** The fault that is tested by a run; the others are tested by changed responses. */
const LIVE_FAULT = 'model-without-images';
const LIVE_CLAIM = 'chat,completions,files,moderations';

interface RequestFields {
  readonly tools?: unknown;
  readonly response_format?: unknown;
  readonly messages?: readonly { readonly content?: unknown }[];
  readonly logprobs?: unknown;
  readonly n?: number;
}

/**
 * Folder of a run against the reference, whose responses the tests turn into refusals. Judging it again takes a
 * fraction of the time of another run.
 */
const recordedDir = join(folder, 'recorded');
beforeAll(async () => {
  const reference = await serveReference({ pace: 5 });
  const target = ['--base-url', reference.url, '--claim', 'chat,completions', ...roles];
  await runAssay(['run', ...target, '--report', 'json', '--report-dir', recordedDir]);
  await reference.close();
});

function judgeRefusing(isRefused: (body: RequestFields) => boolean, claim: string, dir: string) {
  mkdirSync(dir);
  copyWithErrors(join(recordedDir, 'cassette'), join(dir, 'cassette'), (line) =>
    isRefused(JSON.parse(line).json ?? {}) ? 400 : null,
  );
  const outputs = ['--report', 'terminal,json,html', '--report-dir', dir];
  return runAssay(['check', join(dir, 'cassette'), '--claim', claim, ...outputs]);
}

async function runAgainst(fault: string, dir: string) {
  const reference = await serveReference({ fault, pace: 5 });
  const outputs = ['--report', 'terminal,json,html', '--report-dir', dir];
  const target = ['--base-url', reference.url, '--claim', LIVE_CLAIM, ...roles];
  try {
    return await runAssay(['run', ...target, ...outputs]);
  } finally {
    await reference.close();
  }
}

const hasImage = ({ messages = [] }: RequestFields) => JSON.stringify(messages).includes('"image_url"');

test.for<readonly [string, string, string, string, (body: RequestFields) => boolean]>([
  ['model-without-tools', 'chat', 'body.tools', 'tools', ({ tools }) => tools !== undefined],
  // No other format is ever requested, so its presence explains as much as its value.
  [
    'model-without-json-mode',
    'chat',
    'body.response_format',
    'response_format',
    ({ response_format: format }) => format !== undefined,
  ],
  [
    LIVE_FAULT,
    'chat',
    'body.messages[].content(array)[image_url]',
    'messages[].content(array)[image_url]',
    hasImage,
  ],
  [
    'model-without-logprobs',
    'chat',
    'body.logprobs=true',
    'logprobs = true',
    ({ logprobs }) => logprobs === true,
  ],
  ['model-without-n', 'chat,completions', 'body.n>1', 'n > 1', ({ n = 1 }) => n > 1],
])(
  '%s is diagnosed as one cause, in report.json, on the terminal and on the page',
  async ([fault, claim, feature, words, isRefused]) => {
    const dir = join(folder, fault);
    const { code, stdout } = await (fault === LIVE_FAULT
      ? runAgainst(fault, dir)
      : judgeRefusing(isRefused, claim, dir));
    const read = (name: string) => readFileSync(join(dir, name), 'utf8');
    const report = JSON.parse(read('report.json')) as Report; // as: its schema is tested elsewhere

    expect(report.diagnoses?.map((one) => one.feature)).toEqual([feature]);
    const [{ message, operations = [], consequences = [], withoutEvidence = [] } = {}] =
      report.diagnoses ?? [];
    expect(message).toMatch(
      new RegExp(`^refuses ${escapePattern(words)}: (\\d+) of \\1 requests with it, 0 of \\d+ without$`),
    );
    expect(operations.map(({ id }) => id)).toEqual(
      claim
        .split(',')
        .map((family) => `create${family === 'chat' ? 'ChatCompletion' : 'Completion'}:accepts#${feature}`),
    );

    const failing = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(failing.toSorted()).toEqual(
      [...operations.map(({ requirement }) => requirement), ...consequences].toSorted(),
    );
    const undecided = report.requirements.filter(({ verdict }) => verdict === 'inconclusive');
    const consequenceField = failing.length > 1 && { consequences: failing.length - 1 };
    expect(report.summary.causes).toEqual([{ kind: 'broken', level: 'MUST', count: 1, ...consequenceField }]);
    // Requirements that only the refused requests would show cannot be judged: a consequence, not another cause.
    expect(undecided.filter(({ cause }) => !lacksEvidence(cause))).toEqual([]);
    expect(undecided.filter(({ id }) => !withoutEvidence.includes(id))).toEqual([]);
    expect(stdout.includes('could not be judged because of this cause')).toBe(withoutEvidence.length > 0);
    expect(code).toBe(1);

    expect(stdout.match(/^FAIL {2}\S+$/gm)).toEqual([`FAIL  ${operations[0]?.id}`]);
    expect(stdout).toContain(`      actual    ${message}`);
    const page = read('report.html');
    expect(page.match(/<details class="finding fail" id="c:/g)).toHaveLength(1);
    expect(page.match(/<details class="finding fail" id="r:/g)).toBeNull();
    const folded = [consequences, withoutEvidence].filter(({ length }) => length > 0);
    expect(page.match(/<details class="consequences">/g) ?? []).toHaveLength(folded.length);
  },
);

function lacksEvidence(cause: Report['requirements'][number]['cause']): boolean {
  return (
    cause?.kind === 'no-evidence' &&
    cause.expected?.received.some(({ statuses }) => (statuses['400'] ?? 0) > 0) === true
  );
}

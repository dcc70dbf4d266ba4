import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestAPI } from 'vitest';
import type { Quarantined } from '../../exchange/cassette/quarantine.ts';
import { importOptionalPeer } from '../../exchange/optional-peer.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { escapePattern } from '../../schemas/escape-pattern.ts';
import { startRecorder } from '../record/record.ts';
import { quarantineWords } from '../record/recorder-words.ts';
import { staleText } from '../replay/age.ts';
import { missText } from '../replay/miss-text.ts';
import type { MatchOptions } from '../replay/recordings.ts';
import { type ReplayOptions, startReplayer } from '../replay/replay.ts';
import type { ReplayReport } from '../replay/replay-statistics.ts';

const { test: base } = await importOptionalPeer('vitest', 'assay/vitest', () => import('vitest'));

export interface CassetteTestOptions extends MatchOptions, Pick<ReplayOptions, 'maxAge' | 'now'> {
  /** Folder of the cassettes. A test has the subfolder that the base name of its file, its suites and its name give. */
  readonly dir: string;
  /** Base URL of the service to record. */
  readonly baseUrl: string;
  /** Key that the recorder sends to the service instead of the client's. */
  readonly key?: string | null;
}

export interface CassetteService {
  /** Base URL for the client of the test, with `/v1`. */
  readonly url: string;
  /** The folder of the test's cassette. */
  readonly cassette: string;
  /** Whether the test records or replays. */
  readonly mode: 'record' | 'replay';
}

/**
 * Creates a `test` of vitest with a fixture `service`, which records if `ASSAY_RECORD` is 1, and otherwise replays. The
 * replay fails a test that sends a request whose recording is missing or unreadable, or whose cassette has stale or
 * unused recordings. The failure names the command that records the test again, and the nearest recording to a miss.
 *
 *     const test = cassetteTest({ dir: 'cassettes', baseUrl: 'https://service.example/v1' });
 *     test('lists models', async ({ service }) => { … new OpenAI({ baseURL: service.url }) … });
 */
export function cassetteTest(options: CassetteTestOptions): TestAPI<{ service: CassetteService }> {
  return base.extend<{ service: CassetteService }>({
    service: async ({ task }, use) => {
      const names = [basename(task.file.name), ...suiteNames(task), task.name];
      const cassette = join(options.dir, ...names.map(pathSegment));
      const again = `ASSAY_RECORD=1 npx vitest run ${shellQuote(task.file.name)} -t ${shellQuote(namePattern(task))}`;
      const hasFailed = () => task.result?.state === 'fail';
      if (process.env['ASSAY_RECORD'] === '1') await recordTest(cassette, options, use);
      else await replayTest({ ...options, cassette, again, use, hasFailed });
    },
  });
}

type Use = (service: CassetteService) => Promise<void>;

/** Records while the test runs. The cassette is finished even if the test fails, so its traffic can be examined. */
async function recordTest(cassette: string, options: CassetteTestOptions, use: Use): Promise<void> {
  const { baseUrl, key = null, redaction = {} } = options;
  const recorder = await startRecorder({ baseUrl, cassette, key, redaction });
  let quarantined: Quarantined | null;
  try {
    await use({ url: recorder.url, cassette, mode: 'record' });
  } finally {
    ({ quarantined } = await recorder.close());
  }
  if (quarantined !== null) throw new Error(quarantineWords(quarantined));
}

interface ReplayedTest extends CassetteTestOptions {
  readonly cassette: string;
  readonly again: string;
  readonly use: Use;
  readonly hasFailed: () => boolean;
}

async function replayTest({ cassette, again, use, hasFailed, ...options }: ReplayedTest): Promise<void> {
  if (!existsSync(cassette) && !existsSync(`${cassette}.recording`))
    throw new Error(`The cassette does not exist: ${cassette}. Record it: ${again}`);
  const replayer = await startReplayer({ ...options, cassettes: [cassette], strict: true });
  let report: ReplayReport;
  try {
    await use({ url: replayer.url, cassette, mode: 'replay' });
  } finally {
    report = await replayer.close();
  }
  // A failed test may leave recordings unused, so these are reported only with other failures of the replay.
  if (
    report.misses.length + report.unreadable > 0 ||
    report.stale !== null ||
    (report.failed && !hasFailed())
  )
    throw new Error(failureMessage(report, cassette, again));
}

/** The message of a failed replay. Misses come before unused recordings, which are often their counterparts. */
function failureMessage(
  { misses, stale, unreadable, unusedRecordings: unused, leftoverCount }: ReplayReport,
  cassette: string,
  again: string,
): string {
  // A client may retry after a miss, so equal texts are shown once.
  const missTexts = new Set(misses.map((miss) => missText({ ...miss, again })));
  const unusedLines = unused.map(
    ({ exchange, method, target }) => `Never requested  ${exchange}  ${method} ${target}`,
  );
  const omittedLine = leftoverCount > unused.length ? [`… and ${leftoverCount - unused.length} more`] : [];
  const commandLine = missTexts.size === 0 ? [`Record it again: ${again}`] : [];
  const unreadableLine = unreadable === 0 ? [] : [`Requests whose recording cannot be read: ${unreadable}`];
  const staleLines = stale === null ? [] : [staleText({ ...stale, again })];
  if (missTexts.size + unusedLines.length + unreadable === 0) return staleLines.join('\n');
  const lines = [
    ...staleLines,
    ...missTexts,
    ...unreadableLine,
    ...unusedLines,
    ...omittedLine,
    ...commandLine,
  ];
  return [`The test and ${cassette} differ:`, ...lines].join('\n');
}

interface NamedTask {
  readonly name: string;
  readonly suite?: NamedTask | undefined;
}

function suiteNames(task: NamedTask): string[] {
  const { suite } = task;
  return suite === undefined || suite.name === '' ? [] : [...suiteNames(suite), suite.name];
}

/** Letters and digits of any script, and hyphens; at most 80 UTF-16 units; empty for a name of other characters. */
function pathSegment(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.(?:test|spec)?\.?[cm]?[jt]sx?$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
}

function namePattern(task: NamedTask): string {
  return escapePattern([...suiteNames(task), task.name].join(' '));
}

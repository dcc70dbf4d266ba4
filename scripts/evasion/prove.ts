// `npm run prove:evasion` tries, in two processes, every way in which the service of a recorded run could refuse a
// valid request or show less; options limit it to some of them. Exits with 1 if such a service conforms although
// neither a choice nor an entry of `unstated*` permits it, if `--live` marks a run with FAIL, or if a proof without
// these options leaves an entry of `unstated*` unused; with 2 on errors.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { catalogue } from '../../suites/index.ts';
import { changedFiles } from '../changed-files.ts';
import { seedOf } from '../sample-seed.ts';
import { parseScriptArguments } from '../script-arguments.ts';
import { runAllShares, runShareOrWhole, SHARES } from '../shares.ts';
import { affectedOperations } from './affected-operations.ts';
import { EvasionJudge } from './evasion-judge.ts';
import {
  type Evasion,
  type EvasionReport,
  evasionReport,
  hidingEvasions,
  refusalEvasions,
  type TriedEvasion,
} from './evasions.ts';
import { compareLiveRuns, selectRequests, toOneLine } from './live-runs.ts';
import { interpretRun } from './recorded-run.ts';
import { UNSTATED_CONTENT, UNSTATED_REQUESTS } from './unstated.ts';

const options = {
  out: { type: 'string' },
  /** Seed of the sample: any text. */
  sample: { type: 'string' },
  /** Tries some of the evasions that changes since this revision affect. */
  'changed-since': { type: 'string' },
  /** Tries only refused requests. */
  refusals: { type: 'boolean' },
  /** Number of refusals that are also tried in live runs. */
  live: { type: 'string' },
  /** Internal, for child processes: the index of the share to try; the result is printed as JSON. */
  share: { type: 'string' },
} as const;
const { values, positionals } = parseScriptArguments(
  options,
  'npm run prove:evasion -- [CASSETTE] [--sample SEED] [--changed-since REVISION] [--refusals] [--live COUNT] [--out FILE]',
);
const [cassette = 'assay-report/cassette'] = positionals;
/** `--sample` tries one of this many parts. */
const PARTS = values.sample === undefined ? { refusals: 1, hidden: 1 } : { refusals: 40, hidden: 20 };
/** Maximum number of affected evasions that `--changed-since` tries, spread over all of them. */
const MAX_AFFECTED = { refusals: 12, hidden: 30 } as const;
const PROGRESS_STEP = 50;
const since = values['changed-since'];
/** Operations that the changes affect; null without `--changed-since`. */
const changedOperations = since === undefined ? null : affectedOperations(changedFiles(since));

await runShareOrWhole(values.share, tryShare, proveAll);

async function tryShare(index: number): Promise<readonly TriedEvasion[]> {
  const { judge, run } = await openRun();
  const hidden = values.refusals === true ? [] : hidingEvasions(judge, run);
  const evasions = [
    ...evasionsOfShare('refusals', refusalEvasions(judge, run), index),
    ...evasionsOfShare('hidden', hidden, index),
  ];
  const triedEvasions: TriedEvasion[] = [];
  for (const { kind, name, findVerdict } of evasions) {
    const verdict = findVerdict();
    if (verdict === null) continue;
    triedEvasions.push({ kind, name, verdict });
    if (triedEvasions.length % PROGRESS_STEP === 0)
      console.error(`share ${index + 1} of ${SHARES}: ${triedEvasions.length} evasions tried`);
  }
  return triedEvasions;
}

function evasionsOfShare(
  kind: 'refusals' | 'hidden',
  all: readonly Evasion[],
  index: number,
): readonly Evasion[] {
  const affected = all.filter(({ operation }) => changedOperations?.has(operation) ?? true);
  const parts =
    changedOperations === null ? PARTS[kind] : Math.max(1, Math.ceil(affected.length / MAX_AFFECTED[kind]));
  const remainder = (seedOf(values.sample ?? revision()) % parts) * SHARES + index;
  return affected.filter((_, n) => n % (parts * SHARES) === remainder);
}

async function openRun() {
  const { header, items } = await readTrace(cassette);
  const run = interpretRun(header, items);
  return { judge: new EvasionJudge(await catalogue(), run), run };
}

async function proveAll(): Promise<void> {
  const liveRuns = Number(values.live ?? 0);
  if (!Number.isSafeInteger(liveRuns) || liveRuns < 0)
    throw new Error(`--live needs a number of runs, not ${values.live}.`);
  const began = performance.now();
  if (changedOperations?.size === 0) {
    console.log('no evasion is affected by the changes');
    return;
  }
  const shares = await runAllShares<readonly TriedEvasion[]>('all');
  if (shares === null) return;
  const report = evasionReport(shares.flat());
  console.log(summarize(report).join('\n'));
  const live = await compareLive(liveRuns);
  if (values.out !== undefined)
    writeFileSync(values.out, `${JSON.stringify({ format: 2, ...report, live }, null, 2)}\n`);
  const unstatedEntries = [...UNSTATED_CONTENT, ...UNSTATED_REQUESTS];
  const isWhole = values.sample === undefined && values.refusals !== true && changedOperations === null;
  const stale = isWhole ? unstatedEntries.filter(({ id }) => report.unstated[id] === undefined) : [];
  for (const { id } of stale)
    console.log(`stale   ${id} permits nothing: remove it from scripts/evasion/unstated*`);
  console.log(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = report.green.length + live.different + stale.length === 0 ? 0 : 1;
}

async function compareLive(count: number) {
  if (count === 0) return { runs: 0, equal: 0, different: 0, refusals: [] };
  const { judge, run } = await openRun();
  const requests = selectRequests(run, seedOf(values.sample ?? 'live'), count);
  const comparison = await compareLiveRuns(judge, run, requests, (line) => console.log(line));
  console.log(
    `${comparison.runs} live runs: ${comparison.equal} with the outcome of their edited trace, ${comparison.different} marked FAIL`,
  );
  return comparison;
}

function summarize({ kinds, choices, unstated, green }: EvasionReport): string[] {
  return [
    ...green.map((name) => `green   ${toOneLine(name)}`),
    ...Object.entries(choices).map(([name, count]) => `choice  ${name} (${count})`),
    ...Object.entries(unstated).map(([name, count]) => `open    ${name} (${count})`),
    ...Object.entries(kinds).map(([kind, counts]) => {
      const parts = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
      return `${kind}: ${parts.join(', ')}`;
    }),
  ];
}

function revision(): string {
  if (since === undefined) return '';
  return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
}

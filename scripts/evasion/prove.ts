// `npm run prove:evasion` tries every way in which the service of a recorded run could refuse a valid request or show less, in two
// processes. Exits with 1 if such a service conforms although no choice permits it, or if a live run and its edited trace get
// different verdicts; with 2 if nothing can be proved.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { catalogue } from '../../suites/index.ts';
import { changedFiles } from '../changed.ts';
import { scriptArguments, seedOf } from '../script-arguments.ts';
import { allShares, SHARES, shareOrWhole } from '../shares.ts';
import { compareLiveRuns, oneLine, seededRequests } from './live-runs.ts';
import {
  type Evasion,
  EvasionJudge,
  type EvasionReport,
  evasionReport,
  hidingsIn,
  operationsConcernedBy,
  refusalsIn,
  type TriedEvasion,
} from './proof.ts';
import { recordedRun } from './recorded-run.ts';
import { UNSTATED_CONTENT, UNSTATED_REQUESTS } from './unstated.ts';

const options = {
  out: { type: 'string' },
  /** Seed of the sample: any text. */
  sample: { type: 'string' },
  /** Tries some of the evasions that changes since this revision affect. */
  'changed-since': { type: 'string' },
  refusals: { type: 'boolean' },
  /** How many live runs are compared with their edited traces. */
  live: { type: 'string' },
  /** Internal, for child processes: the index of the share to try; the result is printed as JSON. */
  share: { type: 'string' },
} as const;
const { values, positionals } = scriptArguments(
  options,
  'npm run prove:evasion -- [CASSETTE] [--sample SEED] [--changed-since REVISION] [--refusals] [--live COUNT] [--out FILE]',
);
const [cassette = 'assay-report/cassette'] = positionals;
/** `--sample` tries one of this many parts, which takes two cores half a minute. */
const PARTS = values.sample === undefined ? { refusals: 1, hidden: 1 } : { refusals: 40, hidden: 20 };
/** Maximum number of affected evasions that `--changed-since` tries, spread over all of them: half a minute on two cores. */
const MAX_AFFECTED = { refusals: 12, hidden: 30 } as const;
const PROGRESS_STEP = 50;
const since = values['changed-since'];
const concerned = since === undefined ? null : operationsConcernedBy(changedFiles(since));

await shareOrWhole(values.share, tryShare, proveAll);

async function tryShare(index: number): Promise<readonly TriedEvasion[]> {
  const { judge, run } = await openRun();
  const hidden = values.refusals === true ? [] : hidingsIn(judge, run);
  const own = [
    ...evasionsOfShare('refusals', refusalsIn(judge, run), index),
    ...evasionsOfShare('hidden', hidden, index),
  ];
  const tried: TriedEvasion[] = [];
  for (const { kind, name, verdict } of own) {
    const found = verdict();
    if (found !== null && tried.push({ kind, name, verdict: found }) % PROGRESS_STEP === 0)
      console.error(`share ${index + 1} of ${SHARES}: ${tried.length} evasions tried`);
  }
  return tried;
}

/** The evasions that a process tries, among those that the changes affect. */
function evasionsOfShare(
  kind: 'refusals' | 'hidden',
  all: readonly Evasion[],
  index: number,
): readonly Evasion[] {
  const affected = all.filter(({ operation }) => concerned === null || concerned.has(operation));
  const parts =
    concerned === null ? PARTS[kind] : Math.max(1, Math.ceil(affected.length / MAX_AFFECTED[kind]));
  const own = (seedOf(values.sample ?? revision()) % parts) * SHARES + index;
  return affected.filter((_, n) => n % (parts * SHARES) === own);
}

async function openRun() {
  const { header, items } = await readTrace(cassette);
  const run = recordedRun(header, items);
  return { judge: new EvasionJudge(await catalogue(), run), run };
}

async function proveAll(): Promise<void> {
  const began = performance.now();
  if (concerned?.size === 0) {
    console.log('no evasion is affected by the changes');
    return;
  }
  const shares = await allShares<readonly TriedEvasion[]>('of all');
  if (shares === null) return;
  const report = evasionReport(shares.flat());
  console.log(summary(report).join('\n'));
  const live = await compareLive(Number(values.live ?? 0));
  if (values.out !== undefined)
    writeFileSync(values.out, `${JSON.stringify({ format: 2, ...report, live }, null, 2)}\n`);
  const named = [...UNSTATED_CONTENT, ...UNSTATED_REQUESTS];
  const isWhole = values.sample === undefined && values.refusals !== true && concerned === null;
  const stale = isWhole ? named.filter(({ id }) => report.unstated[id] === undefined) : [];
  for (const { id } of stale)
    console.log(`stale   ${id} permits nothing: remove it from scripts/evasion/unstated*`);
  console.log(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = report.green.length + live.different + stale.length === 0 ? 0 : 1;
}

async function compareLive(count: number) {
  if (count === 0) return { runs: 0, equal: 0, different: 0, refusals: [] };
  const { judge, run } = await openRun();
  const requests = seededRequests(run, seedOf(values.sample ?? 'live'), count);
  const found = await compareLiveRuns(judge, run, requests, (line) => console.log(line));
  console.log(
    `${found.runs} live runs: ${found.equal} with the outcome of their edited trace, ${found.different} judged in another way`,
  );
  return found;
}

/** Lines for the terminal: uncaught evasions first, counts last. */
function summary({ kinds, choices, unstated, green }: EvasionReport): string[] {
  return [
    ...green.map((name) => `green   ${oneLine(name)}`),
    ...Object.entries(choices).map(([name, times]) => `choice  ${name} (${times})`),
    ...Object.entries(unstated).map(([name, times]) => `open    ${name} (${times})`),
    ...Object.entries(kinds).map(([kind, counts]) => {
      const parts = Object.entries(counts).map(([outcome, times]) => `${times} ${outcome}`);
      return `${kind}: ${parts.join(', ')}`;
    }),
  ];
}

/** The current revision, which selects the part to try; empty without `--changed-since`. */
function revision(): string {
  if (values['changed-since'] === undefined) return '';
  return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
}

// npm run prove:evasion [-- CASSETTE] [--sample SEED] [--changed-since REVISION] [--refusals] [--live COUNT] [--out FILE]: tries every way in which
// the service of a run could refuse a valid request or show less, in two processes. Exits with 1 if one of them conforms and no choice permits
// it, or if a live run is judged in another way than the edited trace; with 2 where nothing can be proved.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readTrace } from '../../exchange/cassette/read/cassette.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { catalogue } from '../../suites/index.ts';
import { changedFiles } from '../changed.ts';
import { scriptArguments } from '../words.ts';
import { compareLiveRuns, oneLine, seededRequests } from './live-runs.ts';
import {
  EvasionJudge,
  type EvasionReport,
  type EvasionShares,
  joinEvasionReports,
  operationsConcernedBy,
  proveEvasions,
  sizesOf,
} from './proof.ts';
import { recordedRun } from './recorded-run.ts';
import { UNSTATED_CONTENT, UNSTATED_REQUESTS } from './unstated.ts';

const options = {
  out: { type: 'string' },
  /** Any text: which sample of the evasions is tried. */
  sample: { type: 'string' },
  /** Tries some of the evasions that changes since this revision concern, and nothing where they concern none. */
  'changed-since': { type: 'string' },
  /** Tries refused requests alone. */
  refusals: { type: 'boolean' },
  /** How many live runs are compared with their edited traces. */
  live: { type: 'string' },
  /** For the processes started here: the index of the share to try, printed as JSON. */
  share: { type: 'string' },
} as const;
const { values, positionals } = scriptArguments(
  options,
  'npm run prove:evasion -- [CASSETTE] [--sample SEED] [--changed-since REVISION] [--refusals] [--live COUNT] [--out FILE]',
);
const [cassette = 'assay-report/cassette'] = positionals;
/** Processes beside each other: as many as a small machine has cores. */
const SHARES = 2;
/** Parts of the evasions of which `--sample` tries one: a minute of two cores together. */
const PARTS = values.sample === undefined ? { refusals: 1, hidden: 1 } : { refusals: 20, hidden: 10 };
/** So many of the evasions that a change concerns are tried, spread over all of them: half a minute of two cores. */
const CHANGED = { refusals: 12, hidden: 30 } as const;
/** Evasions from one line of progress to the next. */
const STEP = 50;
/** The operations that a change concerns; null without `--changed-since`. */
const concerned = concernedOperations();

try {
  if (values.share !== undefined) await oneShare(Number(values.share));
  else await whole();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}

/** Tries one share in this process. */
async function oneShare(index: number): Promise<void> {
  const { judge, run } = await opened();
  const share = (parts: number) => ({
    index: (seedOf(values.sample ?? revision()) % parts) * SHARES + index,
    of: parts * SHARES,
  });
  const only = concerned === null ? {} : { operations: concerned };
  const sizes = sizesOf(run, only);
  const parts = concerned === null ? PARTS : partsOf(sizes);
  const shares: EvasionShares = {
    refusals: share(parts.refusals),
    hidden: values.refusals === true ? null : share(parts.hidden),
    ...only,
  };
  const onTried = (count: number): void => {
    if (count % STEP === 0) console.error(`share ${index + 1} of ${SHARES}: ${count} evasions tried`);
  };
  process.stdout.write(JSON.stringify(proveEvasions(judge, run, shares, onTried)));
}

/** Parts of so many evasions of which one is small enough. */
function partsOf({ refusals, hidden }: ReturnType<typeof sizesOf>): typeof PARTS {
  return {
    refusals: Math.max(1, Math.ceil(refusals / CHANGED.refusals)),
    hidden: Math.max(1, Math.ceil(hidden / CHANGED.hidden)),
  };
}

/** The operations whose evasions a change concerns. */
function concernedOperations(): ReadonlySet<string> | null {
  const since = values['changed-since'];
  return since === undefined ? null : operationsConcernedBy(changedFiles(since));
}

/** The run and its judge. Throws where the cassette cannot be read or does not conform. */
async function opened() {
  const { header, items } = await readTrace(cassette);
  const run = recordedRun(header, items);
  return { judge: new EvasionJudge(await catalogue(), run), run };
}

/** Tries all shares, prints the summary and sets the exit code. */
async function whole(): Promise<void> {
  const began = performance.now();
  if (concerned?.size === 0) {
    console.log('no evasion is concerned by what has changed');
    return;
  }
  const shares = await Promise.all(Array.from({ length: SHARES }, (_, index) => inProcess(index)));
  const reports = shares.filter((share) => share !== null);
  // The failed process has printed its reason.
  if (reports.length < SHARES) {
    process.exitCode = 2;
    return;
  }
  const report = joinEvasionReports(reports);
  console.log(summary(report).join('\n'));
  const live = await compared(Number(values.live ?? 0));
  if (values.out !== undefined)
    writeFileSync(values.out, `${JSON.stringify({ format: 2, ...report, live }, null, 2)}\n`);
  const named = [...UNSTATED_CONTENT, ...UNSTATED_REQUESTS];
  const stale = isWhole() ? named.filter(({ id }) => report.unstated[id] === undefined) : [];
  for (const { id } of stale) console.log(`stale   ${id} of unstated-content.ts permits nothing: remove it`);
  console.log(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = report.green.length + live.different + stale.length === 0 ? 0 : 1;
}

/** Whether all evasions are tried. */
function isWhole(): boolean {
  return values.sample === undefined && values.refusals !== true && concerned === null;
}

/** Live runs of a seeded sample of refusals. */
async function compared(count: number) {
  if (count === 0) return { runs: 0, equal: 0, different: 0, refusals: [] };
  const { judge, run } = await opened();
  const requests = seededRequests(run, seedOf(values.sample ?? 'live'), count);
  const found = await compareLiveRuns(judge, run, requests, (line) => console.log(line));
  console.log(
    `${found.runs} live runs: ${found.equal} with the outcome of their edited trace, ${found.different} judged in another way`,
  );
  return found;
}

/** A share tried by a separate process; null if that failed, after it printed the reason. */
async function inProcess(index: number): Promise<EvasionReport | null> {
  const args = [...process.execArgv, ...process.argv.slice(1), '--share', `${index}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) return null;
  const report: EvasionReport = JSON.parse(output);
  return report;
}

/** The lines for a terminal: what escaped first, the counts last. */
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

/** The revision that is tried, so that each change tries other parts; empty where all is tried. */
function revision(): string {
  if (values['changed-since'] === undefined) return '';
  return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
}

/** A number from any text. */
function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

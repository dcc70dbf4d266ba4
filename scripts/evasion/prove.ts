// npm run prove:evasion [-- CASSETTE] [--sample SEED] [--refusals] [--live COUNT] [--out FILE]: tries every way in which the service of a run could
// refuse a valid request or show less, in two processes. Exits with 1 if one of them conforms and no choice permits it, or if a live
// run is judged in another way than the edited trace; with 2 where nothing can be proved.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readTrace } from '../../exchange/cassette/read/cassette.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { catalogue } from '../../suites/index.ts';
import { scriptArguments } from '../words.ts';
import { EvasionJudge } from './evasion-judge.ts';
import { liveVerdict } from './live-runs.ts';
import { type EvasionReport, joinEvasionReports, proveEvasions, verdictOfRefusal } from './proof.ts';
import { distinctRequests, recordedRun } from './recorded-run.ts';

const options = {
  out: { type: 'string' },
  /** Any text: which sample of the evasions is tried. */
  sample: { type: 'string' },
  /** Tries refused requests alone. */
  refusals: { type: 'boolean' },
  /** How many live runs are compared with their edited traces. */
  live: { type: 'string' },
  /** For the processes started here: the index of the share to try, printed as JSON. */
  share: { type: 'string' },
} as const;
const { values, positionals } = scriptArguments(
  options,
  'npm run prove:evasion -- [CASSETTE] [--sample SEED] [--refusals] [--live COUNT] [--out FILE]',
);
const [cassette = 'assay-report/cassette'] = positionals;
/** Processes beside each other: as many as a small machine has cores. */
const SHARES = 2;
/** Parts of the evasions of which `--sample` tries one: a minute of two cores together. */
const PARTS = values.sample === undefined ? { refusals: 1, hidden: 1 } : { refusals: 20, hidden: 10 };

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
    index: (seedOf(values.sample ?? '') % parts) * SHARES + index,
    of: parts * SHARES,
  });
  const report = proveEvasions(judge, run, {
    refusals: share(PARTS.refusals),
    hidden: values.refusals === true ? null : share(PARTS.hidden),
  });
  process.stdout.write(JSON.stringify(report));
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
    writeFileSync(values.out, `${JSON.stringify({ format: 1, ...report, live }, null, 2)}\n`);
  console.log(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = report.green.length === 0 && live.different === 0 ? 0 : 1;
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

/** Compares live runs with the edited traces of the same refusals: what catches one has to catch the other. */
async function compared(count: number): Promise<{ readonly runs: number; readonly different: number }> {
  if (count === 0) return { runs: 0, different: 0 };
  const { judge, run } = await opened();
  const all = distinctRequests(run);
  const seed = seedOf(values.sample ?? 'live');
  let different = 0;
  for (let n = 0; n < count; n += 1) {
    const request = all[(seed + n * Math.ceil(all.length / count)) % all.length];
    if (request === undefined) continue;
    const edited = verdictOfRefusal(judge, run, request);
    const live = await liveVerdict(judge, request, run.header.betaHeader);
    const isAlike = (edited.outcome === 'choice') === (live.outcome === 'choice') && live.outcome !== 'green';
    if (!isAlike) different += 1;
    const words = `${edited.outcome}, live ${live.outcome} (${live.by[0] ?? 'nothing'})`;
    console.log(`${isAlike ? 'ok  ' : 'FAIL'}  ${words}: ${oneLine(request.identity)}`);
  }
  console.log(`${count} live runs, ${different} judged in another way than their edited traces`);
  return { runs: count, different };
}

/** The lines for a terminal: what escaped first, the counts last. */
function summary({ kinds, choices, green }: EvasionReport): string[] {
  return [
    ...green.map((name) => `green   ${oneLine(name)}`),
    ...Object.entries(choices).map(([name, times]) => `choice  ${name} (${times})`),
    ...Object.entries(kinds).map(([kind, counts]) => {
      const parts = Object.entries(counts).map(([outcome, times]) => `${times} ${outcome}`);
      return `${kind}: ${parts.join(', ')}`;
    }),
  ];
}

/** A name as a line of a terminal, 240 characters at most. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 240 ? `${line.slice(0, 240)}…` : line;
}

/** A number from any text. */
function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

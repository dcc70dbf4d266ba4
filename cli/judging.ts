import { readFileSync, writeFileSync } from 'node:fs';
import type { Settings } from '../drive/configuration.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import {
  applyBaseline,
  type Baseline,
  breakGate,
  makeBaseline,
  readBaseline,
  UNFILLED,
} from '../judge/baseline.ts';
import { openJudge } from '../judge/court.ts';
import { gate } from '../judge/gate.ts';
import type { Judgement } from '../judge/verdict.ts';
import { quote } from '../reports/again.ts';
import type { Evidence } from '../reports/failure.ts';
import { makeReport, type Report } from '../reports/report.ts';
import { catalogue } from '../suites/index.ts';
import type { Recorded } from './cassettes.ts';

export interface Judged {
  readonly report: Report;
  readonly evidence: Omit<Evidence, 'width'>;
}

export interface JudgingOptions {
  readonly settings: Pick<Settings, 'failOn' | 'allowInconclusive' | 'baseline'>;
  /** Laid over what the traffic itself claims. */
  readonly claims?: TraceHeader['claims'];
  readonly baselineWrite: string | null;
  /** When the run began, by the clock of `performance`; null where nobody measured. */
  readonly began: number | null;
  /** Where the cassette lies, for people and seen from the report. */
  readonly cassette: { readonly shown: string; readonly relative: string | null };
}

/** Judges recorded traffic. `run` and `check` both come here, so live and offline verdicts are the same. */
export async function judgeRecorded(recorded: Recorded, options: JudgingOptions): Promise<Judged> {
  const suites = await catalogue();
  const header = { ...recorded.header, claims: options.claims ?? recorded.header.claims };
  const judge = openJudge({ catalogue: suites, header });
  let traces = 0;
  for (const trace of recorded.traces()) {
    if (traces > 0) judge.next();
    for await (const item of trace) judge.feed(item);
    traces += 1;
  }
  const { judgement, problems } = overlay(judge.finish(), options);
  const report = makeReport({
    header,
    judgement,
    gate: breakGate(
      gate(judgement, { ...options.settings, traffic: isRun(recorded) ? 'run' : 'any' }),
      problems,
    ),
    exclusions: suites.exclusions,
    seconds: options.began === null ? null : Math.round(performance.now() - options.began) / 1000,
    cassette: options.cassette.relative,
  });
  return { report, evidence: evidenceOf(recorded, options.cassette.shown) };
}

/** A run of ours says what it claims; a recording proxy claims nothing. */
function isRun({ header }: Recorded): boolean {
  return header.claims.families.length > 0 || header.claims.how !== 'default';
}

/** Reads and writes the baseline files that are named. */
function overlay(judgement: Judgement, { settings, baselineWrite }: JudgingOptions) {
  const before = settings.baseline === null ? null : baselineOf(settings.baseline);
  if (baselineWrite !== null) {
    const made = makeBaseline(judgement, before);
    writeFileSync(baselineWrite, `${JSON.stringify(made, null, 2)}\n`);
    const open = made.known.filter(({ reason }) => reason === UNFILLED).length;
    process.stderr.write(
      `${baselineWrite}: ${made.known.length} known failures, ${open} reasons to be filled in\n`,
    );
  }
  if (before === null) return { judgement, problems: [] };
  return applyBaseline(judgement, before, new Date().toISOString().slice(0, 10));
}

function baselineOf(path: string): Baseline {
  return readBaseline(readFileSync(path, 'utf8'), path);
}

function evidenceOf(recorded: Recorded, cassette: string): Judged['evidence'] {
  const { baseUrl, name } = recorded.header.target;
  const target = name === 'reference' ? '' : `--base-url ${quote(baseUrl)} `;
  return {
    exchange: (id) => recorded.exchange(id),
    again: (id) => `npx assay run ${target}--only ${quote(id)}`,
    baseUrl,
    keyVariable: 'ASSAY_API_KEY',
    cassette,
  };
}

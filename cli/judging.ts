import { setImmediate } from 'node:timers/promises';
import type { Settings } from '../drive/configuration.ts';
import { keyNames } from '../drive/settings.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { breakGate } from '../judge/baseline.ts';
import type { Catalogue } from '../judge/catalogue.ts';
import { openJudge } from '../judge/court.ts';
import type { Dialect } from '../judge/dialect.ts';
import { gate } from '../judge/gate.ts';
import { matchesAny } from '../judge/glob.ts';
import type { Judgement } from '../judge/verdict.ts';
import { quote } from '../reports/again.ts';
import type { Evidence } from '../reports/failure.ts';
import { refusals } from '../reports/refusals.ts';
import { makeReport, type Report } from '../reports/report.ts';
import type { WrittenFile } from '../reports/summary.ts';
import { catalogue } from '../suites/index.ts';
import { againFlags } from './again-flags.ts';
import type { Recorded } from './cassettes.ts';
import { under } from './dialect.ts';
import { type KnownFailures, overlay } from './known-failures.ts';
import { proofScore } from './proof-score.ts';

export interface Judged {
  readonly report: Report;
  readonly evidence: Omit<Evidence, 'width'>;
  /** Files that judging itself wrote: a baseline. */
  readonly written: readonly WrittenFile[];
}

export interface JudgingOptions {
  readonly settings: Pick<Settings, 'failOn' | 'allowInconclusive' | 'headers' | 'keyVariable'>;
  /** Laid over what the traffic itself claims. */
  readonly claims?: TraceHeader['claims'];
  readonly known: KnownFailures;
  /** The one that the traffic was driven under, or is to be judged under. */
  readonly dialect: Dialect | null;
  /** When the run began, by the clock of `performance`; null where nobody measured. */
  readonly began: number | null;
  /** Where the cassette lies, for people and seen from the report. */
  readonly cassette: { readonly shown: string; readonly relative: string | null };
}

/** Loads and compiles what judging needs, in small steps between other work, until told to stop: then judging does the rest. */
export function prepareJudging(stop: AbortSignal): void {
  const prepare = async (): Promise<void> => {
    for (const section of (await catalogue()).sections) {
      for (const _ of section.prepare?.() ?? []) {
        if (stop.aborted) return;
        await setImmediate();
      }
    }
  };
  // Judging meets the same error, and tells it.
  prepare().catch(() => {});
}

/** Judges recorded traffic. `run` and `check` both come here, so live and offline verdicts are the same. */
export async function judgeRecorded(recorded: Recorded, options: JudgingOptions): Promise<Judged> {
  const suites = await catalogue();
  const { dialect, claims = recorded.header.claims } = options;
  const header = { ...under(recorded.header, dialect), claims };
  const judge = openJudge({ catalogue: suites, header, dialect });
  let traces = 0;
  for (const trace of recorded.traces()) {
    if (traces > 0) judge.next();
    for await (const item of trace) judge.feed(item);
    traces += 1;
  }
  return conclude(judge.finish(), recorded, header, options);
}

/** The report of a judgement, with what its failures need to be told. */
export async function conclude(
  judged: Judgement,
  recorded: Recorded,
  header: TraceHeader,
  options: Omit<JudgingOptions, 'claims' | 'dialect'>,
): Promise<Judged> {
  const suites = await catalogue();
  const refused = await refusals(header, judged, recorded);
  const told = { ...judged, hints: [...(judged.hints ?? []), ...refused] };
  const { judgement, problems } = overlay(told, options.known);
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
    proof: proofScore(),
  });
  const { write } = options.known;
  return {
    report,
    evidence: evidenceOf(recorded, header, suites, options),
    written: write === null ? [] : [{ format: 'baseline', path: write }],
  };
}

/** A run of ours says what it claims; a recording proxy claims nothing. */
function isRun({ header }: Recorded): boolean {
  return header.claims.families.length > 0 || header.claims.how !== 'default';
}

function evidenceOf(
  recorded: Recorded,
  header: TraceHeader,
  { scenarios }: Catalogue,
  { cassette, settings }: Pick<JudgingOptions, 'cassette' | 'settings'>,
): Judged['evidence'] {
  // What the fields said may be secret.
  const fields = settings.headers.map(([name]) => ` --header ${quote(`${name}: …`)}`).join('');
  const { keyVariable } = settings;
  const isNamed = header.key && !keyNames.includes(keyVariable);
  const key = isNamed ? ` --api-key-env ${quote(keyVariable)}` : '';
  const command = (exchange?: Exchange) => `npx assay run${againFlags(header, exchange)}${key}${fields}`;
  const shown = new Map(scenarios.map(({ name, shows }) => [name, shows]));
  return {
    exchange: (id) => recorded.exchange(id),
    again: (id, exchange) => {
      // --only runs the scenarios that are meant to show it; what another one met by the way is met only there.
      const scenario = exchange?.scenario ?? null;
      const isMeant = scenario === null || matchesAny(shown.get(scenario) ?? [], id);
      const alone = `--only ${quote(id)}${isMeant ? '' : ` --scenario ${quote(scenario)}`}`;
      // The report that it stands in is still wanted.
      return `${command(exchange)} ${alone} --report-dir assay-again`;
    },
    claiming: (families) => `${command()} --claim ${families.join(',')}`,
    baseUrl: recorded.header.target.baseUrl,
    keyVariable,
    cassette: cassette.shown,
  };
}

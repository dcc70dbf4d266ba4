import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Settings } from '../drive/configuration/configuration.ts';
import { makeDirectory } from '../exchange/directory.ts';
import { writeNamedFile } from '../exchange/replace-file.ts';
import { shellQuote } from '../exchange/shell-quote.ts';
import { TOOL } from '../exchange/tool.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { JudgedSide } from '../judge/requirements/requirement.ts';
import type { Report } from '../reports/report.ts';
import { catalogue } from '../suites/index.ts';
import { type CheckOptions, claimsOf, prepareReport, writeCheckReports } from './check.ts';
import {
  type JudgeRecordedOptions,
  judgePartOfRecorded,
  type TrafficToJudge,
} from './judging/judge-recorded.ts';
import { type TracePart, TrafficJudge } from './judging/traffic-judge.ts';
import { isPartOfPartition, openPart } from './partial/partition.ts';
import { readValidated } from './report/read-report.ts';
import type { TrafficLookup } from './report/report-options.ts';
import { dialectOfTraffic } from './setup/dialects.ts';
import { UsageError } from './setup/usage-error.ts';
import { joinHeaders } from './traffic/join-headers.ts';
import { type RecordedTraffic, withRecordedTraffic } from './traffic/recorded-traffic.ts';

/** The contribution of one part of recorded traffic to a report, as a file of bounded size. */
interface PartialVerdict extends TracePart {
  readonly format: 1;
  /** The version of assay, because other versions may have other requirements. */
  readonly version: string;
  readonly side: JudgedSide;
  readonly finds: 'stated' | 'called';
  /** Claims that the traffic itself states, as only a run of assay does; a run must exercise what it claims. */
  readonly recorded: TraceHeader['claims'];
  readonly sources: RecordedTraffic['sources'];
  /** When the traffic began, as Unix time in milliseconds; null if unknown. */
  readonly began: number | null;
  /** The part of a partition, from 0; absent for whole cassettes. */
  readonly cut?: { readonly index: number; readonly parts: number };
}

interface PartialOptions {
  readonly out: string;
  readonly side: JudgedSide;
  readonly disturbed?: true | undefined;
  readonly apiRoot?: string | undefined;
  readonly before: number;
  readonly onOpened: (traffic: RecordedTraffic) => void;
}

export async function judgePartially(
  paths: readonly string[],
  settings: Settings,
  { out, side, disturbed, apiRoot, before, onOpened }: PartialOptions,
): Promise<void> {
  const folder = paths.find(isPartOfPartition);
  if (folder !== undefined) {
    if (disturbed !== undefined)
      throw new UsageError(
        'A part of a partition records whether answers were disturbed: leave --disturbed out.',
      );
    if (apiRoot !== undefined)
      throw new UsageError(
        `${folder} is a part of a partition, with the paths as recorded: --api-root is for files of other recorders. Leave it out.`,
      );
    if (paths.length > 1 || before > 0)
      throw new UsageError(`${folder} is a part of a partition. Judge it alone, and without --before.`);
    const part = await openPart(folder);
    try {
      const { index, parts, sources, began } = part.file;
      const facts = { sources, began, cut: { index, parts } };
      await judgePart(part, settings, { side, share: part.share }, { out, ...facts });
    } finally {
      part.close();
    }
    return;
  }
  const judge = async (recorded: RecordedTraffic): Promise<void> => {
    onOpened(recorded);
    const sources = recorded.sources.map((source) => ({ ...source, before: source.before + before }));
    await judgePart(recorded, settings, { side, before }, { out, sources, began: recorded.began });
  };
  await withRecordedTraffic(paths, judge, { ...(disturbed !== undefined && { disturbed }), apiRoot });
}

async function judgePart(
  traffic: TrafficToJudge,
  settings: Settings,
  judging: { readonly side: JudgedSide } & Pick<JudgeRecordedOptions, 'before' | 'share'>,
  { out, ...facts }: { readonly out: string } & Pick<PartialVerdict, 'sources' | 'began' | 'cut'>,
): Promise<void> {
  const { header } = traffic;
  const dialect = await dialectOfTraffic(header, settings.dialect);
  if (facts.cut !== undefined && dialect?.hasModes)
    throw new UsageError(
      `Traffic under the dialect ${dialect.name} cannot be judged in parts of one cassette. Judge whole cassettes.`,
    );
  const claims = claimsOf(traffic, settings.claim);
  const part = await judgePartOfRecorded(traffic, { dialect, ...judging, ...claims });
  const verdict: PartialVerdict = {
    format: 1,
    version: TOOL.version,
    ...part,
    side: judging.side,
    finds: claims.finds ?? 'stated',
    recorded: header.claims,
    ...facts,
  };
  makeDirectory(dirname(out));
  writeNamedFile(out, `${JSON.stringify(verdict)}\n`);
}

interface NamedPartial extends PartialVerdict {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

function readPartial(file: string): NamedPartial {
  if (!existsSync(file))
    throw new UsageError(`${file} does not exist. Name a file that assay check --partial wrote.`);
  const partial = readValidated<PartialVerdict>(file, 'partial verdict');
  if (partial.version !== TOOL.version)
    throw new UsageError(
      `${file} was written by assay ${partial.version}, but this is ${TOOL.version}. Judge its traffic again, or merge it with the version that wrote it.`,
    );
  const [first, last] = [partial.sources[0], partial.sources.at(-1)];
  const end = last === undefined ? 0 : last.before + last.size;
  return { ...partial, file, start: first?.before ?? 0, end };
}

export async function mergePartials(
  files: readonly string[],
  settings: Settings,
  options: Omit<CheckOptions, 'side' | 'onOpened'>,
): Promise<Report> {
  const earlierReport = prepareReport(settings);
  const partials = sortPartials(files.map(readPartial));
  const [first] = partials;
  if (first === undefined) throw new UsageError('Name a partial verdict.');
  const { side, finds } = first;
  const header = joinHeaders(partials.map((one) => ({ path: one.file, header: one.header })));
  const dialect = await dialectOfTraffic(header, settings.dialect);
  const judge = new TrafficJudge({ catalogue: await catalogue(side), header, dialect, finds });
  // The traffic itself is not available, so printed commands name the files of the partial verdicts.
  const words = files.map(shellQuote).join(' ');
  const reportOptions = { ...options, side, words, earlierReport };
  return writeCheckReports(judge.merge(partials), lookupOf(partials), settings, reportOptions);
}

/**
 * Sorts partial verdicts by their traffic. Throws UsageError if two overlap or were judged differently, or if a part
 * of a partition is missing.
 */
function sortPartials(partials: readonly NamedPartial[]): readonly NamedPartial[] {
  const sorted = partials.toSorted((a, b) => a.start - b.start || (a.cut?.index ?? 0) - (b.cut?.index ?? 0));
  refuseIncomplete(sorted);
  for (const [n, partial] of sorted.entries()) {
    const earlier = sorted[n - 1];
    if (earlier === undefined) continue;
    const files = `${earlier.file} and ${partial.file}`;
    if (earlier.side !== partial.side || earlier.finds !== partial.finds)
      throw new UsageError(`${files} were judged for different sides or claims. Judge both alike.`);
    if (earlier.end > partial.start && !isSamePartition(earlier, partial))
      throw new UsageError(
        `${files} number the same exchanges. Judge the second with --before ${earlier.end}.`,
      );
  }
  return sorted;
}

function isSamePartition(a: PartialVerdict, b: PartialVerdict): boolean {
  const isCutAlike = a.cut !== undefined && a.cut.parts === b.cut?.parts;
  return isCutAlike && JSON.stringify(a.sources) === JSON.stringify(b.sources);
}

/** Throws UsageError if a part is missing or duplicated: its evidence would be lost, or counted twice. */
function refuseIncomplete(partials: readonly NamedPartial[]): void {
  for (const partial of partials) {
    const { file, cut } = partial;
    if (cut === undefined) continue;
    const partition = partials.filter((other) => isSamePartition(other, partial));
    const indexes = partition.map((other) => other.cut?.index);
    const wrongIndex = Array.from({ length: cut.parts }, (_, index) => index).find(
      (index) => indexes.filter((other) => other === index).length !== 1,
    );
    if (wrongIndex === undefined) continue;
    const problem = indexes.includes(wrongIndex)
      ? 'given more than once. Name it once.'
      : 'missing. Name it as well.';
    throw new UsageError(`${file} is one of ${cut.parts} parts, of which part ${wrongIndex} is ${problem}`);
  }
}

function lookupOf(partials: readonly NamedPartial[]): TrafficLookup {
  const sources = partials.flatMap((partial) => ((partial.cut?.index ?? 0) === 0 ? partial.sources : []));
  const times = partials.flatMap(({ began }) => began ?? []);
  return {
    header: joinHeaders(
      partials.map(({ file, header, recorded }) => ({ path: file, header: { ...header, claims: recorded } })),
    ),
    size: Math.max(0, ...partials.map(({ end }) => end)),
    began: times.length === 0 ? null : Math.min(...times),
    exchange: () => undefined,
    beganAt: () => 0,
    source: (id: string) => {
      const n = Number(id.slice(1));
      const source = sources.length < 2 ? undefined : sources.findLast(({ before }) => n > before);
      return source === undefined ? null : { path: source.path, id: `e${n - source.before}` };
    },
  };
}

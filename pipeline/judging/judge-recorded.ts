import { isNote, type TraceHeader } from '../../exchange/trace.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import {
  makeCut,
  makeSeenFilter,
  type TrafficCut,
  type TrafficPlaces,
} from '../../judge/partial/traffic-plan.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { catalogue } from '../../suites/index.ts';
import { withDialect } from '../setup/dialects.ts';
import { refuseMissingExtensions } from '../setup/extensions-in-effect.ts';
import { type RecordedTraffic, renumberItem } from '../traffic/recorded-traffic.ts';
import { type JudgedTrace, type TracePart, TrafficJudge, type TrafficJudgeOptions } from './traffic-judge.ts';

export interface JudgeRecordedOptions {
  readonly dialect: Dialect | null;
  readonly claims?: TraceHeader['claims'];
  readonly side?: JudgedSide;
  /** How many exchanges came before this traffic. Default: 0. */
  readonly before?: number;
  readonly finds?: TrafficJudgeOptions['finds'];
  readonly share?: TrafficShare | null;
}

export type TrafficShare = CassetteSpan | ResourceShare;

export interface CassetteSpan {
  readonly from: number;
  /** Index after that of the last cassette. */
  readonly to: number;
}

export interface ResourceShare {
  readonly places: TrafficPlaces;
  readonly index: number;
}

export async function judgeRecorded(
  traffic: TrafficToJudge,
  options: JudgeRecordedOptions,
): Promise<JudgedTrace> {
  return (await feedTraffic(traffic, options)).judge.finish();
}

export async function judgePartOfRecorded(
  traffic: TrafficToJudge,
  options: JudgeRecordedOptions,
): Promise<TracePart> {
  const { judge, total } = await feedTraffic(traffic, options);
  return judge.part(total);
}

export async function openTrafficJudge(
  original: TraceHeader,
  { dialect, claims = original.claims, finds = 'stated', side = 'server', before = 0 }: JudgeRecordedOptions,
  cut: TrafficCut | null = null,
): Promise<TrafficJudge> {
  const header = { ...withDialect(original, dialect), claims };
  return new TrafficJudge({ catalogue: await catalogue(side), header, dialect, finds, before, cut });
}

async function feedTraffic(
  traffic: TrafficToJudge,
  options: JudgeRecordedOptions,
): Promise<{ readonly judge: TrafficJudge; readonly total: number }> {
  refuseMissingExtensions(traffic.header);
  const { before = 0, share = null } = options;
  const { from = 0, to = traffic.sources.length } = share !== null && 'from' in share ? share : {};
  const resources = share !== null && 'places' in share ? share : null;
  const cut = resources && makeCut(resources.places, resources.index);
  const isSeen = resources === null ? undefined : makeSeenFilter(resources.places, resources.index);
  let total = before + (traffic.sources[from]?.before ?? 0);
  const judge = await openTrafficJudge(traffic.header, { ...options, before: total }, cut);
  for (const [n, trace] of [...traffic.traces(isSeen)].slice(from, to).entries()) {
    // Ordinals start again in each cassette, so each one is a trace of its own.
    if (n > 0) judge.next(total);
    for await (const item of trace) {
      // A note counts once, so only the first share reads it.
      if (isNote(item) && (resources?.index ?? 0) > 0) continue;
      judge.feed(before === 0 ? item : renumberItem(item, before));
    }
    total += traffic.sources[from + n]?.size ?? 0;
  }
  return { judge, total };
}

export type TrafficToJudge = Pick<RecordedTraffic, 'header' | 'traces' | 'sources'>;

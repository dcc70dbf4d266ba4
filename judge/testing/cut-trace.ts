import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { combineParts, openJudge } from '../../explain/judge.ts';
import type { JudgementPart } from '../judged-traffic.ts';
import {
  createPlanColumns,
  makeCut,
  makeSeenFilter,
  type TrafficPlaces,
  TrafficPlan,
} from '../partial/traffic-plan.ts';
import type { Catalogue } from '../requirements/catalogue.ts';
import { numberOf } from '../trace/timed.ts';
import type { Judgement } from '../verdict/verdict.ts';

interface JudgeInput {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
}

/** Several traces of one run: `after` and `ended` restart in each, and ids continue. */
export type Traces = readonly (readonly TraceItem[])[];

export function judgeWhole({ catalogue, header }: JudgeInput, traces: Traces): Judgement {
  const judge = openJudge({ catalogue, header });
  let before = 0;
  for (const [n, trace] of traces.entries()) {
    if (n > 0) judge.next(before);
    before += countExchangesIn(trace);
    for (const item of trace) judge.feed(item);
  }
  return judge.finish();
}

export function judgeInParts(input: JudgeInput, traces: Traces, places: TrafficPlaces): Judgement {
  const parts = Array.from({ length: places.parts }, (_, index) => judgePart(input, traces, places, index));
  return combineParts(input, parts);
}

/** Judges each trace with a judge of its own, and combines the parts. */
export function judgeOneByOne({ catalogue, header }: JudgeInput, traces: Traces): Judgement {
  let before = 0;
  const parts = traces.map((trace) => {
    const judge = openJudge({ catalogue, header, before });
    for (const item of trace) judge.feed(item);
    before += countExchangesIn(trace);
    return copyByJson(judge.part(before));
  });
  return combineParts({ catalogue, header }, parts);
}

/** Ids continue in the second trace. */
export function cutInTime(trace: readonly Exchange[], first: number): readonly (readonly Exchange[])[] {
  return [renumber(trace.slice(0, first), 0), renumber(trace.slice(first), first)];
}

function renumber(trace: readonly Exchange[], before: number): readonly Exchange[] {
  const byBegin = trace.toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
  const numbers = new Map(byBegin.map(({ id }, n) => [id, before + n + 1]));
  return trace.map((exchange, n) => ({
    ...exchange,
    id: `e${numbers.get(exchange.id)}`,
    after: Math.max(0, exchange.after - before),
    ended: n + 1,
  }));
}

export function cutByResource(trace: readonly TraceItem[], parts: number): TrafficPlaces {
  const exchanges = trace.flatMap((item) => (isNote(item) ? [] : [item]));
  const plan = new TrafficPlan(createPlanColumns(exchanges.length));
  for (const exchange of exchanges) plan.add(exchange);
  return plan.assignPlaces(parts);
}

function judgePart(
  { catalogue, header }: JudgeInput,
  traces: Traces,
  places: TrafficPlaces,
  index: number,
): JudgementPart {
  const judge = openJudge({ catalogue, header, cut: makeCut(places, index) });
  const isSeen = makeSeenFilter(places, index);
  let before = 0;
  for (const [n, trace] of traces.entries()) {
    if (n > 0) judge.next(before);
    before += countExchangesIn(trace);
    for (const item of trace) {
      // A note counts once, so only the first part gets it.
      if (isNote(item) ? index === 0 : isSeen(numberOf(item.id))) judge.feed(item);
    }
  }
  return copyByJson(judge.part(before));
}

function copyByJson(part: JudgementPart): JudgementPart {
  return JSON.parse(JSON.stringify(part)) as JudgementPart; // as: a part consists of JSON values
}

function countExchangesIn(trace: readonly TraceItem[]): number {
  return trace.filter((item) => !isNote(item)).length;
}

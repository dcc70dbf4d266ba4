import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { judgementOf, openJudge } from '../../explain/judge.ts';
import type { JudgementPart } from '../judged-traffic.ts';
import { cutOf, isSeenBy, planColumns, type TrafficPlaces, TrafficPlan } from '../partial/traffic-plan.ts';
import type { Catalogue } from '../requirements/catalogue.ts';
import { numberOf } from '../trace/timed.ts';
import type { Judgement } from '../verdict/verdict.ts';

/** The catalogue and options for judging a trace. */
interface JudgedBy {
  readonly catalogue: Catalogue;
  readonly header: TraceHeader;
}

/** Several traces of one run: ordinals restart in each, numbers continue. */
export type Traces = readonly (readonly TraceItem[])[];

/** The judgement of all traces in one pass. */
export function judgeWhole({ catalogue, header }: JudgedBy, traces: Traces): Judgement {
  const judge = openJudge({ catalogue, header });
  let before = 0;
  for (const [n, trace] of traces.entries()) {
    if (n > 0) judge.next(before);
    before += exchangesIn(trace);
    for (const item of trace) judge.feed(item);
  }
  return judge.finish();
}

/** The judgement assembled from parts, each judged separately and serialized. */
export function judgeInParts(by: JudgedBy, traces: Traces, places: TrafficPlaces): Judgement {
  const found = Array.from({ length: places.parts }, (_, index) => partOf(by, traces, { places, index }));
  return judgementOf(by, found);
}

/** The judgement of traces that are judged separately. */
export function judgeOneByOne({ catalogue, header }: JudgedBy, traces: Traces): Judgement {
  let before = 0;
  const found = traces.map((trace) => {
    const judge = openJudge({ catalogue, header, before });
    for (const item of trace) judge.feed(item);
    before += exchangesIn(trace);
    return throughText(judge.part(before));
  });
  return judgementOf({ catalogue, header }, found);
}

/**
 * Splits a trace after the given number of exchanges have ended; ids in the second trace continue those of the first.
 */
export function cutInTime(trace: readonly Exchange[], first: number): readonly (readonly Exchange[])[] {
  return [numbered(trace.slice(0, first), 0), numbered(trace.slice(first), first)];
}

/** A separate trace: numbers and ordinals restart, ids continue after the exchanges before it. */
function numbered(trace: readonly Exchange[], before: number): readonly Exchange[] {
  const byBegin = trace.toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
  const numbers = new Map(byBegin.map(({ id }, n) => [id, before + n + 1]));
  return trace.map((exchange, n) => ({
    ...exchange,
    id: `e${numbers.get(exchange.id)}`,
    after: Math.max(0, exchange.after - before),
    ended: n + 1,
  }));
}

/** A cut by the resources that exchanges are about. */
export function cutByResource(trace: readonly TraceItem[], parts: number): TrafficPlaces {
  const exchanges = trace.flatMap((item) => (isNote(item) ? [] : [item]));
  const plan = new TrafficPlan(planColumns(exchanges.length));
  for (const exchange of exchanges) plan.add(exchange);
  return plan.places(parts);
}

function partOf(
  { catalogue, header }: JudgedBy,
  traces: Traces,
  { places, index }: { readonly places: TrafficPlaces; readonly index: number },
): JudgementPart {
  const judge = openJudge({ catalogue, header, cut: cutOf(places, index) });
  const isSeen = isSeenBy(places, index);
  let before = 0;
  for (const [n, trace] of traces.entries()) {
    if (n > 0) judge.next(before);
    before += exchangesIn(trace);
    for (const item of trace) {
      // Notes concern the run, not an exchange, so the first part gets them.
      if (isNote(item) ? index === 0 : isSeen(numberOf(item.id))) judge.feed(item);
    }
  }
  return throughText(judge.part(before));
}

function throughText(part: JudgementPart): JudgementPart {
  return JSON.parse(JSON.stringify(part)) as JudgementPart; // as: what was a part before is one afterwards
}

function exchangesIn(trace: readonly TraceItem[]): number {
  return trace.filter((item) => !isNote(item)).length;
}

import type { Exchange } from '../exchange/exchange.ts';
import type { TraceHeader, TraceItem } from '../exchange/trace.ts';
import { type JudgeOptions, TraceJudge } from '../judge/judge.ts';
import type { JudgementPart } from '../judge/judged-traffic.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import type { Call } from '../judge/trace/call.ts';
import type { Judgement } from '../judge/verdict/verdict.ts';
import { explainer } from './explainer.ts';

/** Opens a judge with explained verdicts. Throws if two requirements of the catalogue share an id. */
export function openJudge(options: Omit<JudgeOptions, 'explainer'>): TraceJudge {
  return new TraceJudge({ ...options, explainer });
}

/** Judges traffic in parts, in order; the result equals that of the whole. */
export function judgementOf(
  options: Pick<JudgeOptions, 'catalogue' | 'header' | 'dialect'>,
  parts: Iterable<JudgementPart>,
): Judgement {
  const judge = openJudge(options);
  for (const part of parts) judge.absorb(part);
  return judge.judgement();
}

/** Judges a complete trace without a dialect. `knownCalls`: calls that are already parsed. */
export function judgeTrace(
  catalogue: Catalogue,
  header: TraceHeader,
  items: Iterable<TraceItem>,
  knownCalls: ReadonlyMap<Exchange, Call> = new Map(),
): Judgement {
  const judge = openJudge({ catalogue, header, knownCalls });
  for (const item of items) judge.feed(item);
  return judge.finish();
}

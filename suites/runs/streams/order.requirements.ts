// The order of the events of a run, by the table in grammar.json.
import {
  concerns,
  concernsInWords,
  type EventSequence,
  type OrderRule,
  orderRules,
  orderViolations,
} from '../../generate/streams.ts';
import { textAt } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section } from '../../vocabulary/statements.ts';
import type { BehaviourRequirement } from '../../vocabulary/types.ts';
import { orderMutations } from './order-mutations.ts';
import { type RunStream, runStreams } from './run-stream.ts';

export const runsStreamOrder = orderRules('runs').map(orderRequirement);

/** The requirement of one row. */
function orderRequirement(rule: OrderRule): BehaviourRequirement<RunStream> {
  const { id, basis, spec, says } = rule;
  return section(spec)[basis](id, {
    says,
    selector: where(
      runStreams,
      that('that was not interrupted, and went beyond a state that leaves its end open', (stream) =>
        isJudged(rule, stream),
      ),
      that(concernsInWords(rule), (stream) =>
        sequencesOf(rule, stream).some((sequence) => concerns(rule, sequence)),
      ),
    ),
    check: (stream) => sequencesOf(rule, stream).flatMap((sequence) => orderViolations(rule, sequence)),
    mutations: orderMutations(rule),
  });
}

/** The end is judged where the stream ended by itself, and not after a state that leaves it open. */
function isJudged(rule: OrderRule, { ended, runs, unlisted }: RunStream): boolean {
  if (!('end' in rule)) return true;
  const last = runs.at(-1);
  const later = unlisted.some(({ n, data }) => n > (last?.n ?? 0) && textAt(data, 'object') === 'thread.run');
  return ended && (last?.name !== rule.openAfter || later);
}

/** All events of the stream, or those of each object; what comes before an event of the run is ordered with it. */
function sequencesOf(rule: OrderRule, stream: RunStream): readonly EventSequence[] {
  const { events, unlisted, runs } = stream;
  const unlistedObjects = unlisted.map(({ data }) => textAt(data, 'object'));
  if (rule.each === undefined) return [{ events, unlisted, unlistedObjects }];
  const objects = { step: stream.steps, message: stream.messages };
  return Object.entries(objects).flatMap(([kind, all]) =>
    rule.each?.includes(kind) === true
      ? all.map(({ id, events: own }) => ({
          events: 'before' in rule ? [...own, ...runs].toSorted((a, b) => a.n - b.n) : own,
          unlisted: [],
          unlistedObjects: unlisted
            .filter(({ data }) => textAt(data, 'id') === id)
            .map(({ data }) => textAt(data, 'object')),
        }))
      : [],
  );
}

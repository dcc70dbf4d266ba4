// Rules about the order of events, as rows of `suites/<family>/grammar.json`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import { dataFiles, SUITES } from '../data/family-data.ts';
import { callsOperation, inEvents } from '../vocabulary/changes.ts';
import { frameWithData, withBody, withHeader, withStatus } from '../vocabulary/exchanges.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { asks, requests, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation, StreamEvent, Violation } from '../vocabulary/types.ts';

/** One rule: its requirement, the events that it orders, and one of four forms. Event names may contain `*`. */
export type OrderRule = {
  readonly id: string;
  readonly basis: 'stated' | 'implied';
  readonly spec: string;
  readonly says: string;
  /** Orders the events of each object of these kinds separately; absent: all events of the stream. */
  readonly each?: readonly string[];
} & (
  | {
      /** None of these events occurs before one of `comes`. */
      readonly before: readonly string[];
      readonly comes: readonly string[];
      /** The rule is open after an unlisted event about one of these objects. */
      readonly open?: readonly string[];
    }
  | { readonly once: string }
  | {
      readonly last: string;
      /** Except these; `?` is any event that the specification does not name. */
      readonly but?: readonly string[];
    }
  | {
      /** The last event of a stream that was not interrupted. */
      readonly end: string;
      /** After this event of the run the end is left open. */
      readonly openAfter: string;
    }
);

export function orderRules(family: string): readonly OrderRule[] {
  const path = join(SUITES, family, 'grammar.json');
  if (!dataFiles('grammar.json').includes(path)) throw new Error(`suites/${family} has no grammar.json.`);
  const file: { readonly rules: readonly OrderRule[] } = JSON.parse(readFileSync(path, 'utf8'));
  return file.rules;
}

export interface OrderedEvent {
  readonly name: string;
  readonly at: string;
  readonly n: number;
}

export interface EventSequence {
  readonly events: readonly OrderedEvent[];
  readonly unlisted: readonly OrderedEvent[];
  readonly unlistedObjects: readonly (string | undefined)[];
}

export function concerns(rule: OrderRule, { events }: EventSequence): boolean {
  if ('end' in rule) return events.length > 0;
  return events.some(isOneOf(triggersOf(rule)));
}

export function orderViolations(rule: OrderRule, sequence: EventSequence): readonly Violation[] {
  const { events, unlisted } = sequence;
  const first = events.find(isOneOf(triggersOf(rule)));
  if ('end' in rule) {
    const final = events.at(-1);
    return final?.name === rule.end
      ? []
      : [violation(final?.at ?? 'stream', `${rule.end} as the last event`, final?.name)];
  }
  if (first === undefined) return [];
  if ('once' in rule)
    return events
      .filter(({ name }) => name === rule.once)
      .slice(1)
      .map(unexpected);
  if ('last' in rule) {
    const { but = [] } = rule;
    const others = but.includes('?') ? [] : unlisted;
    return [...events.filter(({ name }) => !matchesAnyGlob(but, name)), ...others]
      .filter(({ n }) => n > first.n)
      .map(unexpected);
  }
  const came = events.find(isOneOf(rule.comes));
  const isLeftOpen = sequence.unlistedObjects.some((object) => rule.open?.includes(object ?? '') === true);
  if ((came !== undefined && came.n <= first.n) || isLeftOpen) return [];
  return [violation(first.at, `${rule.comes.join(' or ')} before it`, first.name)];
}

export function concernsInWords(rule: OrderRule): string {
  return 'end' in rule ? 'with an event' : `with ${triggersOf(rule).join(' or ')}`;
}

function triggersOf(rule: OrderRule): readonly string[] {
  if ('before' in rule) return rule.before;
  if ('once' in rule) return [rule.once];
  return 'last' in rule ? [rule.last] : [rule.end];
}

function isOneOf(names: readonly string[]): (event: OrderedEvent) => boolean {
  return ({ name }) => matchesAnyGlob(names, name);
}

function unexpected({ at, name }: OrderedEvent): Violation {
  return violation(at, 'no such event here', name);
}

// Server-sent events may spread data over several `data:` lines; the specification requires one line per event.

export function severalLines(events: readonly StreamEvent[]): Violation[] {
  return events
    .filter(({ text }) => text.includes('\n'))
    .map(({ at, text }) => violation(at, 'one line of data', `${text.split('\n').length} lines`));
}

export function overSeveralLines(operation: string, which: 'all' | 'first' = 'all'): Mutation {
  return inEvents(operation, (frames) =>
    frames.map((frame, i) => {
      if (!frame.data.startsWith('{') || (which === 'first' && i > 0)) return frame;
      return frameWithData(frame.event, JSON.stringify(JSON.parse(frame.data), null, 1));
    }),
  );
}

// Only the status can refuse a request for a stream before its first event.

const ERROR = '{"error":{"message":"Not accepted.","type":"invalid_request_error","param":null,"code":null}}';

interface RefusedStreams {
  readonly id: string;
  readonly spec: string;
  readonly operations: readonly string[];
}

export function refusedStreamRequirement({ id, spec, operations }: RefusedStreams) {
  const inRefusals = (edit: (exchange: Exchange) => Exchange): Mutation => refusedStreams(operations, edit);
  return section(spec).implied(id, {
    says: 'A request for a stream that is refused is not answered as a success.',
    selector: where(
      requests(operations),
      asks('stream', true),
      that('that was rejected', ({ call }) => call.responseClass === 'rejected'),
    ),
    check: ({ call: { status } }) =>
      status !== null && status < 300
        ? [violation('status', '4xx, as the only event is an error', status)]
        : [],
    mutations: {
      'the error as data': inRefusals((exchange) => streaming(exchange, `data: ${ERROR}\n\n`)),
      'the error as an event': inRefusals((exchange) =>
        streaming(exchange, `event: error\ndata: ${ERROR}\n\n`),
      ),
      'the error, then [DONE]': inRefusals((exchange) =>
        streaming(exchange, `data: ${ERROR}\n\ndata: [DONE]\n\n`),
      ),
    },
  });
}

function refusedStreams(operations: readonly string[], edit: (exchange: Exchange) => Exchange): Mutation {
  return (trace) => {
    const changed = trace.map((exchange) =>
      operations.some((operation) => callsOperation(exchange, operation)) && isRefusedStream(exchange)
        ? edit(exchange)
        : exchange,
    );
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

function isRefusedStream({ request, response }: Exchange): boolean {
  const status = response?.status ?? 0;
  return valueAtPath(request.body.json?.value, 'stream') === true && (status === 400 || status === 422);
}

function streaming(exchange: Exchange, text: string): Exchange {
  return withStatus(withHeader(withBody(exchange, text), 'content-type', 'text/event-stream'), 200);
}

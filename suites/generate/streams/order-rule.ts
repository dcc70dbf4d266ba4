// Rules about the order of events, as rows of `suites/<family>/streams/grammar.json`, and their interpreter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { matchesAnyGlob } from '../../../exchange/glob.ts';
import { dataFiles, SUITES } from '../../data/family-data.ts';
import { violation } from '../../vocabulary/statements.ts';
import type { Violation } from '../../vocabulary/types.ts';

/** One rule: its requirement, whose events it orders, and one of four forms. Names of events may have `*`. */
export type OrderRule = {
  readonly id: string;
  readonly basis: 'stated' | 'implied';
  /** Part and section. */
  readonly spec: string;
  readonly says: string;
  /** Kinds of objects whose own events it orders, each object for itself; all events of the stream where absent. */
  readonly each?: readonly string[];
} & (
  | {
      /** None of these events occurs until one of `comes` has occurred. */
      readonly before: readonly string[];
      readonly comes: readonly string[];
      /** Values of `object` for which events of names that the specification does not state leave the rule open. */
      readonly open?: readonly string[];
    }
  | { readonly once: string }
  | {
      /** After this event comes nothing. */
      readonly last: string;
      /** But these; `?` stands for events of names that the specification does not state. */
      readonly but?: readonly string[];
    }
  | {
      /** The last event of a stream that ended by itself. */
      readonly end: string;
      /** The last event of its run after which it is left open whether there is an end. */
      readonly openAfter: string;
    }
);

/** The rules of a family, in the order of its table. */
export function orderRules(family: string): readonly OrderRule[] {
  const path = join(SUITES, family, 'streams/grammar.json');
  if (!dataFiles('grammar.json').includes(path))
    throw new Error(`suites/${family}/streams has no grammar.json.`);
  const file: { readonly rules: readonly OrderRule[] } = JSON.parse(readFileSync(path, 'utf8'));
  return file.rules;
}

/** An event in its place. */
export interface OrderedEvent {
  readonly name: string;
  readonly at: string;
  /** Position in the stream, from 1. */
  readonly n: number;
}

/** Events that one rule orders: those of a stream, or of one object in it. */
export interface EventSequence {
  /** Events of names that the specification states, in their order. */
  readonly events: readonly OrderedEvent[];
  /** Events of other names. */
  readonly unlisted: readonly OrderedEvent[];
  /** Values of `object` of the data of the other events. */
  readonly unlistedObjects: readonly (string | undefined)[];
}

/** Whether a sequence contains what a rule speaks about. */
export function concerns(rule: OrderRule, { events }: EventSequence): boolean {
  if ('end' in rule) return events.length > 0;
  return events.some(isOneOf(triggersOf(rule)));
}

/** The events of a sequence that are not in order. */
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

/** What `concerns` asks, in words: `with thread.run.completed`. */
export function concernsInWords(rule: OrderRule): string {
  return 'end' in rule ? 'with an event' : `with ${triggersOf(rule).join(' or ')}`;
}

/** Names of the events at which a rule looks. */
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

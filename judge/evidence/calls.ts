import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Collector, Condition, Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';

/** Parts by selector and condition. Equal parts are one object, so dispatch evaluates a condition once. */
const parts = new WeakMap<object, Map<unknown, unknown>>();

export interface RequestEvidence extends Evidence {
  /** The call that is the evidence, or completes it. */
  readonly call: Call;
  /** The JSON body of the request, or the text fields of its form. */
  readonly asked: Json | undefined;
}

export interface ResponseEvidence extends RequestEvidence {
  /** The JSON body of the response. */
  readonly answer: Json;
}

export interface SelectorOptions {
  /** Default: calls of every variant. */
  readonly variant?: 'v1' | 'v2';
  /** Set if calls under the alternative spelling of the path are evidence too. */
  readonly elsewhere?: true;
  /** See `Selector.needs`. */
  readonly needs?: string;
}

const selectors = new Map<string, Selector<Evidence>>();

/** Calls of the operations, whatever their outcome. */
export function requests(
  operation: string | readonly string[],
  options: SelectorOptions = {},
): Selector<RequestEvidence> {
  const needs = `a call of ${inWords(operation)}`;
  return stateless('requests', operation, { needs, ...options }, (call) => [new EvidentCall(call)]);
}

/** Complete JSON responses with 2xx; no streams. */
export function responses(
  operation: string | readonly string[],
  options: SelectorOptions = {},
): Selector<ResponseEvidence> {
  const needs = `a 2xx answer of ${inWords(operation)} in JSON`;
  return stateless('answers', operation, { needs, ...options }, (call) => {
    const { responseJson: answer } = call;
    return answer === undefined ? [] : [new AnsweredCall(call, answer)];
  });
}

/**
 * A selector without state. Calls with equal `kind`, `operation`, `variant` and `elsewhere` return the same selector,
 * so that its evidence is collected once.
 */
export function stateless<E extends Evidence>(
  kind: string,
  operation: string | readonly string[],
  { variant, elsewhere, needs }: SelectorOptions,
  collect: (call: Call) => readonly E[],
): Selector<E> {
  const operations = [operation].flat();
  const key = JSON.stringify([kind, operations, variant ?? null, elsewhere ?? null]);
  const known = selectors.get(key);
  // as: the key names the kind of selector, which determines the type of its evidence
  if (known !== undefined) return known as Selector<E>;
  // Selectors derived from this one collect from the same call in succession.
  let last: { readonly call: Call; readonly evidence: readonly E[] } | null = null;
  const collector: Collector<E> = {
    call: (call) => {
      if (last?.call !== call) last = { call, evidence: collect(call) };
      return last.evidence;
    },
  };
  const selector: Selector<E> = {
    operations,
    variant: variant ?? null,
    isStateless: true,
    ...(elsewhere && { otherPath: elsewhere }),
    ...(needs !== undefined && { needs }),
    collect: () => collector,
  };
  selectors.set(key, selector);
  return selector;
}

/** Evidence that satisfies all conditions. Other evidence is not counted as an observation. */
export function where<E extends Evidence>(
  selector: Selector<E>,
  ...conditions: readonly Condition<NoInfer<E>>[]
): Selector<E> {
  return conditions.reduce<Selector<E>>(narrowSelector, selector);
}

function narrowSelector<E extends Evidence>(selector: Selector<E>, condition: Condition<E>): Selector<E> {
  const known = getOrMake(parts, selector, () => new Map()) as Map<Condition<E>, Selector<E>>; // as: of this selector
  return getOrMake(known, condition, () => partOf(selector, condition));
}

function partOf<E extends Evidence>(selector: Selector<E>, condition: Condition<E>): Selector<E> {
  const { needs } = condition;
  return {
    ...selector,
    part: { of: selector, concerns: condition, ...(needs !== undefined && { needs }) },
    collect: () => {
      const inner = selector.collect();
      return {
        call: (call) => [...inner.call(call)].filter(condition),
        download: (exchange) => [...(inner.download?.(exchange) ?? [])].filter(condition),
        finish: () => [...(inner.finish?.() ?? [])].filter(condition),
      };
    },
  };
}

/**
 * A condition with its clause for reports, which continues the noun phrase of a selector and must mean exactly what
 * the function checks. Example: `that('with a user', ({ asked }) => textAt(asked, 'user') !== undefined)`.
 */
export function that<E>(clause: string, holds: (evidence: E) => boolean): Condition<E> {
  return Object.assign((evidence: E) => holds(evidence), { needs: { kind: 'text', says: clause } as const });
}

/** The distinct operations as a phrase: `createRun or createThreadAndRun`. */
export function inWords(operations: string | readonly string[]): string {
  return typeof operations === 'string' ? operations : [...new Set(operations)].join(' or ');
}

/** Evidence of one call; a class, because object literals with a getter share no hidden class, which slows reads. */
export class EvidentCall implements RequestEvidence {
  readonly exchanges: readonly Exchange[];
  readonly call: Call;

  constructor(call: Call) {
    this.exchanges = [call.exchange];
    this.call = call;
  }

  /** Read on demand, because `requestJson` throws if the request is not known. */
  get asked(): Json | undefined {
    return this.call.requestJson;
  }
}

class AnsweredCall extends EvidentCall implements ResponseEvidence {
  readonly answer: Json;

  constructor(call: Call, answer: Json) {
    super(call);
    this.answer = answer;
  }
}

type Follower<E extends Evidence> = Collector<E> | ((call: Call) => Iterable<E>);

/**
 * Evidence that no other selector provides, collected by a function or collector. `start` creates the state for one
 * trace. `operations` and `needs`: see `Selector`.
 * Example: `follow(['listModels'], () => (call) => [{ exchanges: [call.exchange] }])`.
 */
export function follow<E extends Evidence>(
  operations: readonly string[],
  start: () => Follower<E>,
  needs?: string,
): Selector<E> {
  return {
    operations,
    ...(needs !== undefined && { needs }),
    variant: null,
    collect: () => {
      const follower = start();
      return typeof follower === 'function' ? { call: follower } : follower;
    },
  };
}

import type { Json } from '../../../exchange/http/body.ts';
import type { Collector, Evidence, Selector } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';

/** One call, whatever became of it. */
export interface RequestEvidence extends Evidence {
  readonly call: Call;
  /** What was asked: the JSON body, or the text fields of a form. */
  readonly requestJson: Json | undefined;
}

/** One successful answer that is JSON. */
export interface ResponseEvidence extends RequestEvidence {
  readonly json: Json;
}

export interface SelectorOptions {
  readonly variant?: 'v1' | 'v2';
  /** Set where calls whose path is spelled in the other way are wanted too. */
  readonly elsewhere?: true;
}

const selectors = new Map<string, Selector<Evidence>>();

/** Every call of the operations. */
export function requests(
  operation: string | readonly string[],
  options: SelectorOptions = {},
): Selector<RequestEvidence> {
  return stateless('requests', operation, options, (call) => [evidenceOf(call)]);
}

/** Every whole JSON answer 2xx of the operations; no streams. */
export function responses(
  operation: string | readonly string[],
  options: SelectorOptions = {},
): Selector<ResponseEvidence> {
  return stateless('answers', operation, options, (call) => {
    const { responseJson: answer } = call;
    const evidence: ResponseEvidence[] = answer === undefined ? [] : [{ ...evidenceOf(call), json: answer }];
    return evidence;
  });
}

/** A selector that keeps nothing. Those that ask for the same are the same, so that evidence is collected once. */
export function stateless<E extends Evidence>(
  kind: string,
  operation: string | readonly string[],
  { variant, elsewhere }: SelectorOptions,
  collect: (call: Call) => readonly E[],
): Selector<E> {
  const operations = typeof operation === 'string' ? [operation] : operation;
  const key = JSON.stringify([kind, operations, variant ?? null, elsewhere ?? null]);
  const known = selectors.get(key);
  // as: a key names one kind of selector, which has one kind of evidence
  if (known !== undefined) return known as Selector<E>;
  // Requirements and choices ask for the same call one after the other.
  let last: { readonly call: Call; readonly found: readonly E[] } | null = null;
  const collector: Collector<E> = {
    call: (call) => {
      if (last?.call !== call) last = { call, found: collect(call) };
      return last.found;
    },
    finish: () => [],
  };
  const selector: Selector<E> = {
    operations,
    variant: variant ?? null,
    ...(elsewhere && { otherPath: elsewhere }),
    collect: () => collector,
  };
  selectors.set(key, selector);
  return selector;
}

/** Of a selector's evidence only what a requirement speaks of: what does not concern it is no observation. */
export function where<E extends Evidence>(
  selector: Selector<E>,
  concerns: (evidence: E) => boolean,
): Selector<E> {
  return {
    ...selector,
    part: { of: selector, concerns },
    collect: () => {
      const inner = selector.collect();
      return {
        call: (call) => [...inner.call(call)].filter(concerns),
        download: (exchange) => [...(inner.download?.(exchange) ?? [])].filter(concerns),
        finish: () => [...inner.finish()].filter(concerns),
      };
    },
  };
}

function evidenceOf(call: Call): RequestEvidence {
  return { exchanges: [call.exchange], call, requestJson: call.requestJson };
}

// Functions that build equivalent mutants: responses in other forms that the specification permits.
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { inEachExchange } from '../../proof/equivalent-mutants/json-changes.ts';
import { type StreamFrame, withEvents, withResponseJson } from '../../proof/mutations/exchanges.ts';
import { callsOperation, type ExchangeEdit } from '../../proof/mutations/mutations.ts';
import type { Edit } from '../../proof/mutations/values.ts';

export { inEachExchange };

/** Changes the calls of some operations. Example: `inCallsOf('createSpeech', 'speech without a type', withoutType)`. */
export function inCallsOf(
  operations: string | readonly string[],
  name: string,
  change: ExchangeEdit,
): EquivalentMutant {
  const ids = [operations].flat();
  return inEachExchange(name, (exchange) =>
    ids.some((id) => callsOperation(exchange, id)) ? change(exchange) : exchange,
  );
}

/**
 * Edits the JSON responses of some operations. Example: `inAnswersOf('listModels', 'no models', setValue('/data',
 * []))`.
 */
export function inAnswersOf(
  operations: string | readonly string[],
  name: string,
  edit: Edit,
): EquivalentMutant {
  return inCallsOf(operations, name, (exchange) => withResponseJson(exchange, edit));
}

/** Rewrites streams of some operations. Example: `inStreamsOf('createRun', 'no end', (all) => all.slice(0, -1))`. */
export function inStreamsOf(
  operations: string | readonly string[],
  name: string,
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): EquivalentMutant {
  return inCallsOf(operations, name, (exchange) => withEvents(exchange, rewrite));
}

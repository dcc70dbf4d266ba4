// Mutations that relate several exchanges, such as a response that belongs to another request.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import type { Mutation } from '../requirements/requirement.ts';
import { withResponseJson } from './exchanges.ts';
import { callsOperation, isSuccessOf } from './mutations.ts';
import type { Edit } from './values.ts';

/** Replaces each response of the operation by that of the next call; the last gets the first. */
export function swapResponses(operation: string): Mutation {
  return (trace) => {
    const answers = trace.filter((exchange) => isSuccessOf(exchange, operation)).map(jsonOf);
    let next = 1;
    return changed(trace, (exchange) => {
      if (!isSuccessOf(exchange, operation)) return exchange;
      const answer = answers[next++ % answers.length];
      return answer === undefined ? exchange : withResponseJson(exchange, () => answer);
    });
  };
}

/**
 * Edits the last JSON response of an operation that repeats an earlier target. `edit` receives the first
 * response of that target.
 */
export function inLastResponse(operation: string, edit: (first: Json) => Edit): Mutation {
  return (trace) => {
    const own = trace.filter(
      (exchange) => isSuccessOf(exchange, operation) && jsonOf(exchange) !== undefined,
    );
    const alike = ({ request }: Exchange) => own.find((one) => one.request.target === request.target);
    const last = own.findLast((exchange) => alike(exchange) !== exchange);
    const known = last && alike(last);
    const first = known && jsonOf(known);
    if (first === undefined) return null;
    return changed(trace, (exchange) =>
      exchange === last ? withResponseJson(exchange, edit(first)) : exchange,
    );
  };
}

/** Edits every exchange of an operation, whatever its outcome; null if that changes none. */
export function inEveryCall(operation: string, edit: (exchange: Exchange) => Exchange): Mutation {
  return (trace) =>
    changed(trace, (exchange) => (callsOperation(exchange, operation) ? edit(exchange) : exchange));
}

/** The edited trace; null if nothing changed, so that a mutation that does not apply is noticed. */
function changed(
  trace: readonly Exchange[],
  edit: (exchange: Exchange) => Exchange,
): readonly Exchange[] | null {
  const edited = trace.map(edit);
  return edited.some((exchange, i) => exchange !== trace[i]) ? edited : null;
}

function jsonOf({ response }: Exchange): Json | undefined {
  return response === null ? undefined : decodedContent(response)?.json?.value;
}

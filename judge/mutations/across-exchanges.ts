import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import type { Mutation } from '../requirements/requirement.ts';
import { withResponseJson } from './exchanges.ts';
import { callsOperation, isSuccessOf } from './mutations.ts';
import type { Edit } from './values.ts';

/** Gives the answer to the next call of the operation in place of each answer, to the last that to the first. */
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

/** Edits the last JSON answer of an operation alone that another one of the same address precedes; the edit is made with the first of these at hand. */
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

/** Changes every exchange of an operation, whatever its outcome; null where that changes none. */
export function inEveryCall(operation: string, edit: (exchange: Exchange) => Exchange): Mutation {
  return (trace) =>
    changed(trace, (exchange) => (callsOperation(exchange, operation) ? edit(exchange) : exchange));
}

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

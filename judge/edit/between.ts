import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Break } from '../requirement.ts';
import { calls, succeeds } from './breaks.ts';
import { withAnswer } from './exchanges.ts';
import type { Edit } from './values.ts';

/** Gives the answer to the next call of the operation in place of each answer, to the last that to the first. */
export function answersOfOthers(operation: string): Break {
  return (trace) => {
    const answers = trace.filter((exchange) => succeeds(exchange, operation)).map(jsonOf);
    let next = 1;
    return changed(trace, (exchange) => {
      if (!succeeds(exchange, operation)) return exchange;
      const answer = answers[next++ % answers.length];
      return answer === undefined ? exchange : withAnswer(exchange, () => answer);
    });
  };
}

/** Edits the last JSON answer of an operation alone that another one of the same address precedes; the edit is made with the first of these at hand. */
export function lastAlone(operation: string, edit: (first: Json) => Edit): Break {
  return (trace) => {
    const own = trace.filter((exchange) => succeeds(exchange, operation) && jsonOf(exchange) !== undefined);
    const alike = ({ request }: Exchange) => own.find((one) => one.request.target === request.target);
    const last = own.findLast((exchange) => alike(exchange) !== exchange);
    const known = last && alike(last);
    const first = known && jsonOf(known);
    if (first === undefined) return null;
    return changed(trace, (exchange) => (exchange === last ? withAnswer(exchange, edit(first)) : exchange));
  };
}

/** Changes every exchange of an operation, whatever its outcome; null where that changes none. */
export function inCalls(operation: string, edit: (exchange: Exchange) => Exchange): Break {
  return (trace) => changed(trace, (exchange) => (calls(exchange, operation) ? edit(exchange) : exchange));
}

function changed(
  trace: readonly Exchange[],
  edit: (exchange: Exchange) => Exchange,
): readonly Exchange[] | null {
  const edited = trace.map(edit);
  return edited.some((exchange, i) => exchange !== trace[i]) ? edited : null;
}

function jsonOf({ response }: Exchange): Json | undefined {
  return response === null ? undefined : decoded(response)?.json?.value;
}

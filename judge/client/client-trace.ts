import type { Exchange } from '../../exchange/exchange.ts';
import { isNote } from '../../exchange/trace.ts';
import type { RecordedTrace } from '../mutation-testing/baseline-trace.ts';
import { withoutLabel } from '../mutations/requests.ts';
import { Call } from '../trace/call.ts';
import { betaValuesOf } from './message-requirements.ts';

/**
 * The trace of a run as that of a client that keeps the specification, for mutation testing: what was answered 2xx counts as
 * sent by a client. Violations keep their labels, so that they do not count until a mutant takes the label away.
 */
export function clientTrace({ header, items }: RecordedTrace): RecordedTrace {
  return {
    header,
    items: items.map((item) =>
      !isNote(item) && isOrdinary(item, header.betaHeader) ? withoutLabel(item) : item,
    ),
  };
}

/** Whether a request of the suite is one that any client might send: some are sent to learn how a service treats odd ones. */
function isOrdinary(exchange: Exchange, betaHeader: string): boolean {
  const call = Call.of(exchange, betaHeader);
  if (call === null || exchange.probe?.side === 'violation' || call.responseClass !== 'accepted') return false;
  const expected = betaValuesOf(call.operation);
  const sent = exchange.request.headers.filter(([name]) => name.toLowerCase() === betaHeader.toLowerCase());
  return expected.length === 0 || sent.some(([, value]) => expected.includes(value));
}

import type { Exchange } from '../../exchange/exchange.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { queryOf, readRequestJson } from '../../judge/trace/call.ts';
import { holdsAt } from './place-conditions.ts';
import type { Tests } from './test-words.ts';

export function exchangeTest(tests: Tests): (exchange: Exchange) => boolean {
  const checks = Object.entries(tests).map(([place, test]) => holdsAt(place, test));
  if (checks.length === 0) return () => true;
  return (exchange) => {
    const { request, response } = exchange;
    const subject = {
      asked: readRequestJson(request),
      events: () => (response === null ? [] : (eventsOf(response)?.events ?? []).map(({ event }) => event)),
      answer: jsonContent(response),
      call: {
        exchange,
        status: response?.status ?? null,
        query: queryOf(request),
      },
    };
    return checks.every((holds) => holds(subject));
  };
}

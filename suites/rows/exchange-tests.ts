import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { Json } from '../../schemas/json.ts';
import { holdsAt } from './place-conditions.ts';
import type { Tests } from './test-words.ts';

export function exchangeTest(tests: Tests): (exchange: Exchange) => boolean {
  const checks = Object.entries(tests).map(([place, test]) => holdsAt(place, test));
  if (checks.length === 0) return () => true;
  return (exchange) => {
    const { request, response } = exchange;
    const { target } = request;
    const subject = {
      asked: requestFields(request),
      events: () => (response === null ? [] : (eventsOf(response)?.events ?? []).map(({ event }) => event)),
      answer: jsonContent(response),
      call: {
        exchange,
        status: response?.status ?? null,
        query: new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : ''),
      },
    };
    return checks.every((holds) => holds(subject));
  };
}

export function requestFields(request: HttpRequest): Json | undefined {
  return request.body.json?.value ?? formFields(request);
}

function formFields(request: HttpRequest): Json | undefined {
  const fields = formDataParts(request)?.flatMap(({ name, filename, body }) =>
    name === null || filename !== null || body.text === null ? [] : [[name, body.text] as const],
  );
  return fields && Object.fromEntries(fields);
}

import type { HttpResponse } from '../../exchange/exchange.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';

export function tokensUsed(response: HttpResponse): number {
  // Parsing is costly, and few responses contain `usage`.
  const content = decodedContent(response);
  if (!content?.text?.includes('usage')) return 0;
  const events = eventsOf(response)?.events;
  const values = events === undefined ? [content.json?.value] : events.map(({ json }) => json?.value);
  let max = 0;
  for (const value of values) {
    const total = valueAtPointer(value, '/usage/total_tokens');
    if (typeof total === 'number') max = Math.max(max, total);
  }
  return max;
}

import type { Json } from '../../exchange/body.ts';
import { get, list, text } from '../../judge/json.ts';

/** The text of a message: that of all its text parts, one after the other. */
export function textOf(message: Json | undefined): string {
  return list(message, 'content')
    .filter((part) => get(part, 'type') === 'text')
    .map((part) => text(part, 'text', 'value') ?? '')
    .join('');
}

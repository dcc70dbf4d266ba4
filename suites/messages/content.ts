// Reading of message content.
import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';

/** The text of a message: that of all its text parts, one after the other. */
export function messageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .filter((part) => valueAtPath(part, 'type') === 'text')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}

// Reading of message content.
import { arrayAt, type Json, textAt, valueAtPath } from '../vocabulary/json.ts';

/** The text of a message: that of all its text parts, one after the other. */
export function messageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .filter((part) => valueAtPath(part, 'type') === 'text')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}

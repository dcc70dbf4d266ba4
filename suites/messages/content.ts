// Reading of message content.

import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';

/** The text of a message: that of all its text parts, one after the other. */
export function messageText(message: Json | undefined): string {
  return arrayAt(message, 'content')
    .filter((part) => valueAtPath(part, 'type') === 'text')
    .map((part) => textAt(part, 'text', 'value') ?? '')
    .join('');
}

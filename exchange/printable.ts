import type { Json } from '../schemas/json.ts';

/**
 * Characters with which text from a target could control a terminal or a page: control and bidirectional characters,
 * line separators and the byte order mark.
 */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
/**
 * Like `CONTROL`, without C0 characters, which JSON escapes or uses to indent; also the `#` that begins a CI command.
 */
const CONTROL_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|#(?=#\w*\[)/g;
/**
 * Commands that CI systems execute in any output: GitHub and Azure `##[…]` and `##vso[…]` anywhere in a line, GitHub
 * `::error::` at the start of a line, which may also be where a long text is wrapped.
 */
const CI_COMMAND = /#(?=#\w*\[)|(?<!\S):(?=:[\w-]+[ :])/g;
const NEEDS_ESCAPING = /[^\x20-\x7e]|##|::/;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the text on one line: characters that control a terminal or begin a CI command are escaped (`\u001b`). */
export function printable(text: string): string {
  if (!NEEDS_ESCAPING.test(text)) return text;
  return text
    .replace(CI_COMMAND, escapeCharacter)
    .replace(CONTROL, (character) => SHORT_ESCAPES[character] ?? escapeCharacter(character));
}

export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function escapeCharacter(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** Escapes the characters of `CONTROL_IN_JSON`, as in `\u009b`. The value of the JSON text stays the same. */
export function escapeControlInJson(json: string): string {
  return json.replace(CONTROL_IN_JSON, escapeCharacter);
}

/** At most `limit` characters of a text, the last one `…` if it was truncated. Never cuts a surrogate pair. */
export function truncateText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]$/.test(text.slice(0, limit - 1)) ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}

export function briefJson(value: Json | undefined, limit: number): string {
  return value === undefined ? 'nothing' : truncateText(printable(JSON.stringify(value)), limit);
}

import { printable, truncateText } from '../../exchange/printable.ts';
import { isJsonList, type Json } from '../../schemas/json.ts';
import { pointerTokens } from '../../schemas/pointer.ts';

/** The tokens of a place's JSON pointer into a response; null without one (`header content-type`, `request /model`). */
export function parsePlace(at: string): readonly string[] | null {
  const start = at.startsWith('request ') ? -1 : at.search(/(?<!\S)\//);
  if (start === -1) return at === '' ? [] : null;
  return pointerTokens(at.slice(start));
}

/**
 * The path to a place in a JSON document, with everything else elided as `…`:
 * `{…"choices":[{…"finish_reason":"done"…}]…}`. If the place does not exist, shows the last value on its path.
 */
export function excerpt(value: Json, tokens: readonly string[], limit: number): string {
  const { before, cited, after } = splitAround(value, tokens);
  return truncateText(printable(before + cited + after), limit);
}

/** Splits the excerpt, so that a format can highlight the cited part, of which at most `limit` characters remain. */
export function excerptParts(value: Json, tokens: readonly string[], limit: number): ExcerptParts {
  const { before, cited, after } = splitAround(value, tokens);
  return { before: printable(before), cited: truncateText(printable(cited), limit), after: printable(after) };
}

export interface ExcerptParts {
  readonly before: string;
  readonly cited: string;
  readonly after: string;
}

function splitAround(value: Json, tokens: readonly string[]): ExcerptParts {
  const [token, ...innerTokens] = tokens;
  const child = token === undefined ? undefined : memberOf(value, token);
  if (token === undefined || child === undefined)
    return { before: '', cited: JSON.stringify(value), after: '' };
  const inner = splitAround(child, innerTokens);
  if (isJsonList(value)) {
    const index = Number(token);
    const [open, close] = [index > 0 ? '[…' : '[', index < value.length - 1 ? '…]' : ']'];
    return { ...inner, before: open + inner.before, after: inner.after + close };
  }
  const keys = Object.keys(value as object); // as: only objects and lists have members
  const place = keys.indexOf(token);
  const [open, close] = [place > 0 ? '{…' : '{', place < keys.length - 1 ? '…}' : '}'];
  return {
    ...inner,
    before: `${open}${JSON.stringify(token)}:${inner.before}`,
    after: inner.after + close,
  };
}

export function memberOf(value: Json, token: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (isJsonList(value)) return /^\d+$/.test(token) ? value[Number(token)] : undefined;
  return Object.hasOwn(value, token) ? value[token] : undefined;
}

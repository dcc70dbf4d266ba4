// Lengths count code points. Letters beyond ASCII reveal requirements that count bytes or UTF-16 units.

import type { Exchange } from '../../../exchange/exchange.ts';
import { Body, type Json } from '../../../exchange/http/body.ts';
import { isJsonObject } from '../../../schemas/json.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';
import { isJsonResponse, reserializeResponse } from './reserialize.ts';

/**
 * Replacements of more than one UTF-16 unit or byte each. These letters occur in no JSON literal and no escape.
 */
const LARGE: Readonly<Record<string, string>> = { o: '🙂', m: '漢', g: '𝕘', h: 'ħ', O: '𐍈', M: 'М', T: '🌍' };

/** Fields whose text callers and models write. */
const WRITTEN: ReadonlySet<string> = new Set([
  'additional_instructions',
  'arguments',
  'content',
  'description',
  'input',
  'instructions',
  'name',
  'output',
  'prompt',
  'refusal',
  'revised_prompt',
  'stop',
  'text',
  'user',
  'value',
  'word',
]);

/** Replaces some letters in the texts of requests and responses; the number of code points stays equal. */
export const nonAsciiLetters: EquivalentMutant = inEachExchange(
  'letters beyond ASCII in all texts',
  (exchange) => {
    // Left out where another part of the response depends on the bytes of the text.
    if (isLogged(exchange) || isHeard(exchange)) return exchange;
    const asked = askedInFull(exchange);
    return isJsonResponse(exchange)
      ? reserializeResponse(asked, (value) => JSON.stringify(enlarged(value)))
      : asked;
  },
);

/** The exchange with its request body changed. */
function askedInFull(exchange: Exchange): Exchange {
  const { json } = exchange.request.body;
  if (json === null) return exchange;
  const body = Body.of(JSON.stringify(enlarged(json.value)));
  return { ...exchange, request: { ...exchange.request, body } };
}

/** Log probabilities carry the bytes of tokens, which would no longer match the texts. */
function isLogged({ request }: Exchange): boolean {
  const asked = request.body.json?.value;
  return isJsonObject(asked) && (asked['logprobs'] ?? false) !== false;
}

/** Transcriptions exist in text formats, too, which would no longer match the JSON. */
function isHeard({ request }: Exchange): boolean {
  return request.target.startsWith('/v1/audio/tr');
}

/** The value with the texts of known fields replaced. */
function enlarged(value: Json): Json {
  if (Array.isArray(value)) return value.map(enlarged);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inField(key, inner)]));
}

/** The value of one field: metadata, a function, or a text. */
function inField(key: string, value: Json): Json {
  if (key === 'metadata' && isJsonObject(value)) return pairs(value);
  if (key === 'function' && isJsonObject(value)) return { ...Object(enlarged(value)), ...nameOf(value) };
  if (!WRITTEN.has(key)) return enlarged(value);
  if (typeof value === 'string') return large(value);
  if (!Array.isArray(value)) return enlarged(value);
  return value.map((one: Json) => (typeof one === 'string' ? large(one) : enlarged(one)));
}

/** The name of a function is an identifier, not a text. */
function nameOf({ name }: { readonly [key: string]: Json }): { readonly name?: Json } {
  return name === undefined ? {} : { name };
}

/** Metadata with keys and values replaced. */
function pairs(metadata: { readonly [key: string]: Json }): Json {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      large(key),
      typeof value === 'string' ? large(value) : value,
    ]),
  );
}

/** Each replacement is one code point, so limits of length in code points stay kept. */
function large(text: string): string {
  return text.replaceAll(/[omghOMT]/g, (letter) => LARGE[letter] ?? letter);
}

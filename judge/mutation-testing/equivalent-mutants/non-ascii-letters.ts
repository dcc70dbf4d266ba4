import type { Exchange } from '../../../exchange/exchange.ts';
import { Body, type Json } from '../../../exchange/http/body.ts';
import { isObject } from '../../evidence/json.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';
import { isJsonResponse, reserializeResponse } from './reserialize.ts';

/** For each letter one code point that is more than one UTF-16 unit, or more than one byte. No JSON literal and no escape has one of these letters. */
const LARGE: Readonly<Record<string, string>> = { o: '🙂', m: '漢', g: '𝕘', h: 'ħ', O: '𐍈', M: 'М', T: '🌍' };

/** What callers and models write, wherever it stands. */
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

/** The same letters beyond ASCII in place of some letters in all texts, in requests as in answers; the number of code points stays. */
export const nonAsciiLetters: EquivalentMutant = inEachExchange(
  'letters beyond ASCII in all texts',
  (exchange) => {
    if (isLogged(exchange) || isHeard(exchange)) return exchange;
    const asked = askedInFull(exchange);
    return isJsonResponse(exchange)
      ? reserializeResponse(asked, (value) => JSON.stringify(enlarged(value)))
      : asked;
  },
);

function askedInFull(exchange: Exchange): Exchange {
  const { json } = exchange.request.body;
  if (json === null) return exchange;
  const body = Body.of(JSON.stringify(enlarged(json.value)));
  return { ...exchange, request: { ...exchange.request, body } };
}

/** Log probabilities tell the bytes of tokens, which have to stay those of the texts. */
function isLogged({ request }: Exchange): boolean {
  const asked = request.body.json?.value;
  return isObject(asked) && (asked['logprobs'] ?? false) !== false;
}

/** What was heard is told in text formats, too, which have to tell the same. */
function isHeard({ request }: Exchange): boolean {
  return request.target.startsWith('/v1/audio/tr');
}

function enlarged(value: Json): Json {
  if (Array.isArray(value)) return value.map(enlarged);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inField(key, inner)]));
}

function inField(key: string, value: Json): Json {
  if (key === 'metadata' && isObject(value)) return pairs(value);
  if (key === 'function' && isObject(value)) return { ...Object(enlarged(value)), ...nameOf(value) };
  if (!WRITTEN.has(key)) return enlarged(value);
  if (typeof value === 'string') return large(value);
  if (!Array.isArray(value)) return enlarged(value);
  return value.map((one: Json) => (typeof one === 'string' ? large(one) : enlarged(one)));
}

/** The names of functions are no texts. */
function nameOf({ name }: { readonly [key: string]: Json }): { readonly name?: Json } {
  return name === undefined ? {} : { name };
}

function pairs(metadata: { readonly [key: string]: Json }): Json {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      large(key),
      typeof value === 'string' ? large(value) : value,
    ]),
  );
}

function large(text: string): string {
  return text.replaceAll(/[omghOMT]/g, (letter) => LARGE[letter] ?? letter);
}

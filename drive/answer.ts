import type { Json } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { pointerTokens } from '../schemas/pointer.ts';
import { type Answer, Blocked } from './scenario.ts';

/** What a scenario sees of an exchange: enough to find ids and to know whether to go on. */
export function answerOf(exchange: Exchange): Answer {
  const status = exchange.response?.status ?? null;
  return {
    exchange,
    status,
    ok: status !== null && status >= 200 && status <= 299,
    json: exchange.response?.body.json?.value,
    text(pointer) {
      const value = at(this.json, pointer);
      if (typeof value === 'string') return value;
      throw new Blocked(exchange.id, `${asked(exchange)} answered without a text at ${pointer}`);
    },
  };
}

/** `POST /v1/files`: how people name an exchange. */
export function asked(exchange: Exchange): string {
  return `${exchange.request.method} ${exchange.request.target.split('?')[0]}`;
}

/** The value at a JSON pointer, or undefined. */
export function at(value: Json | undefined, pointer: string): Json | undefined {
  let here = value;
  for (const key of pointerTokens(pointer)) {
    if (typeof here !== 'object' || here === null) return undefined;
    if (!Object.hasOwn(here, key)) return undefined;
    here = Reflect.get(here, key) as Json; // as: an own value of JSON is JSON
  }
  return here;
}

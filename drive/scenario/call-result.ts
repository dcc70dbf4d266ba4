import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import type { Obstacle } from '../../exchange/note.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';
import { type CallResult, ScenarioBlocked } from './scenario.ts';

export function callResultOf(exchange: Exchange): CallResult {
  const { response } = exchange;
  const status = response?.status ?? null;
  const json = jsonContent(response);
  return {
    exchange,
    status,
    ok: status !== null && status >= 200 && status <= 299,
    json,
    text(pointer) {
      const value = valueAt(json, pointer);
      if (typeof value === 'string') return value;
      throw new ScenarioBlocked(exchange.id, { kind: 'no-text', ...requestOf(exchange), pointer });
    },
  };
}

export function requestOf({ request }: Exchange): { readonly method: string; readonly path: string } {
  const end = request.target.indexOf('?');
  return { method: request.method, path: end === -1 ? request.target : request.target.slice(0, end) };
}

export function obstacleOf({ exchange, status }: CallResult): Obstacle {
  const request = requestOf(exchange);
  if (status === null) return { kind: 'unanswered', ...request, detail: exchange.end.detail };
  return { kind: 'answered', ...request, status };
}

export function confirmsDeletion(result: Pick<CallResult, 'ok' | 'json'>): boolean {
  return result.ok && valueAt(result.json, '/deleted') === true;
}

export function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  return valueAtPointer(value, pointer) as Json | undefined; // as: a value inside JSON is JSON
}

import type { HeaderPairs } from '../../exchange/exchange.ts';
import { type Operation, operation as operationOf } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { CallInput } from '../scenario/scenario.ts';
import { payloadOf } from './payload.ts';
import type { OutgoingRequest } from './target.ts';

/** Names of header fields that carry credentials; a call without authentication leaves them all out. */
const credentials = new Set(['authorization', 'api-key', 'x-api-key']);

/** An invalid key, the same in every run. */
export const WRONG_KEY = 'assay-wrong-key-00000000000000000000';

/** The settings that change the bytes of a request. */
type Wire = Pick<RunConfiguration, 'apiKey' | 'headers' | 'betaHeader' | 'dialect'>;

/** Turns a call into bytes. Throws UnknownOperation, and TypeError where a path parameter is missing. */
export async function encodeRequest(
  wire: Wire,
  operationId: string,
  input: CallInput,
): Promise<OutgoingRequest> {
  const operation = operationOf(operationId);
  const payload = await payloadOf(input);
  return {
    method: operation.method,
    target: targetOf(operation, wire, input),
    headers: headersOf(operation, wire, input, payload?.type ?? null),
    body: payload?.body ?? null,
    abortAfter: input.abortAfter,
  };
}

/** Path and query. A dialect may give an operation another path. */
function targetOf(operation: Operation, wire: Wire, input: CallInput): string {
  const usual = wire.dialect?.paths[operation.path] ?? operation.path;
  const template = input.otherPath === true ? (operation.otherPath ?? usual) : usual;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.path?.[name];
    if (value === undefined) throw new TypeError(`${operation.id} needs a value for {${name}} in its path.`);
    return encodeURIComponent(value);
  });
  const query = Object.entries(input.query ?? {}).map(([name, value]) => [name, String(value)] as const);
  return query.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(query))}`;
}

/**
 * Header fields in a fixed order. Fields of the configuration and of the call replace those that assay would
 * set.
 */
function headersOf(
  operation: Operation,
  wire: Wire,
  input: CallInput,
  contentType: string | null,
): HeaderPairs {
  const key = input.auth === 'wrong' ? WRONG_KEY : wire.apiKey;
  const beta = betaOf(operation, input);
  const own: (readonly [string, string])[] = [
    ['user-agent', 'assay'],
    ['accept', '*/*'],
  ];
  if (key !== null) own.push(['authorization', `Bearer ${key}`]);
  if (beta !== null) own.push([wire.betaHeader, beta]);
  if (contentType !== null) own.push(['content-type', contentType]);
  const given = [...wire.headers, ...Object.entries(input.headers ?? {})];
  const replaced = new Set(given.map(([name]) => name.toLowerCase()));
  const all = [...own.filter(([name]) => !replaced.has(name.toLowerCase())), ...given];
  if (input.auth === undefined) return all;
  const bare = all.filter(([name]) => !credentials.has(name.toLowerCase()));
  return input.auth === 'absent' ? bare : [...bare, ['authorization', `Bearer ${key}`]];
}

/** Value of the beta header, or null for none. A form that the operation does not have is named all the same. */
function betaOf({ variants }: Operation, { variant: name }: CallInput): string | null {
  if (name === 'none') return null;
  const variant = name === undefined ? variants[0] : variants.find((one) => one.name === name);
  return variant?.beta ?? (variant === undefined && name !== undefined ? `assistants=${name}` : null);
}

import { isObject } from '../../schemas/json.ts';
import type { HeaderPairs } from '../exchange.ts';
import { firstHeader } from '../http/headers.ts';

export type Members = Readonly<Record<string, unknown>>;

/** For recorders that record no errors, and whose times, if any, are not read: the order of exchanges is unknown. */
export const UNTIMED = { error: null, times: null } as const;

/**
 * Header fields as recorders write them: an object, whose values may be lists; a flat list of names and values; a list
 * of pairs, whose texts may be Buffers; or a list of objects with name and value. A value without text is empty.
 */
export function headersOf(value: unknown): HeaderPairs {
  if (isFlatList(value))
    return value.flatMap((name, i) =>
      i % 2 === 0 ? [[fieldText(name), fieldText(value[i + 1])] as const] : [],
    );
  const fields = Array.isArray(value) ? value : Object.entries(isObject(value) ? value : {});
  return fields.flatMap((field: unknown) => {
    const [name, values] = isObject(field) ? [field['name'], field['value']] : [field].flat();
    return [values].flat().map((item) => [fieldText(name), fieldText(item)] as const);
  });
}

function fieldText(value: unknown): string {
  return typeof value === 'object' && !Buffer.isBuffer(value) ? '' : String(value ?? '');
}

function isFlatList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((element) => element === null || typeof element !== 'object');
}

/** Whether a cassette can store the number as a status; 0 means that no response arrived. */
export function isStatus(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function statusOf(
  status: unknown,
  text: unknown = '',
): { readonly status: number; readonly reason: string } | null {
  const { code, message } = isObject(status) ? status : { code: status, message: text };
  if (!isStatus(code)) return null;
  return { status: code, reason: typeof message === 'string' ? message : '' };
}

/** Adds the content type that the body reveals, because some recorders leave out the header fields of requests. */
export function withType(headers: HeaderPairs, body: Buffer, types: 'json' | 'json-and-forms'): HeaderPairs {
  if (body.length === 0 || firstHeader(headers, 'content-type') !== null) return headers;
  const text = body.toString();
  const boundary = types === 'json' ? undefined : /^--([^\r\n]{1,70})\r\n/.exec(text)?.[1];
  if (boundary !== undefined)
    return [...headers, ['content-type', `multipart/form-data; boundary=${boundary}`]];
  return /^\s*[[{]/.test(text) ? [...headers, ['content-type', 'application/json']] : headers;
}

// Flows saved by mitmproxy (`mitmdump -w FILE`).
import { isObject } from '../../schemas/json.ts';
import { FormatError } from './format.ts';
import { type NetValue, readNetStrings, textOf } from './net-strings.ts';
import type { PlainEntry } from './plain-entry.ts';
import { headersOf, isStatus } from './recorder-fields.ts';

export function flowEntries(bytes: Buffer): PlainEntry[] {
  return [...readNetStrings(bytes)].flatMap((flow, n) => {
    const request = member(flow, 'request');
    if (textOf(member(flow, 'type')) !== 'http' || !isObject(request)) return [];
    const response = member(flow, 'response');
    const status = isObject(response) ? member(response, 'status_code') : 0;
    if (!isStatus(status)) throw new FormatError(`flow ${n + 1} has a response without a valid status`);
    // In URLs, IPv6 addresses are in brackets.
    const host = textOf(member(request, 'host'));
    const origin = `${textOf(member(request, 'scheme'))}://${host.includes(':') ? `[${host}]` : host}`;
    return [
      {
        method: textOf(member(request, 'method')),
        url: `${origin}:${String(member(request, 'port'))}${textOf(member(request, 'path'))}`,
        headers: headersOf(member(request, 'headers')),
        requestBody: bytesOf(member(request, 'content')),
        response: isObject(response)
          ? {
              status,
              reason: textOf(member(response, 'reason')),
              headers: headersOf(member(response, 'headers')),
              body: bytesOf(member(response, 'content')),
            }
          : null,
        error: errorOf(member(flow, 'error')),
        times: timesOf(request, response),
      },
    ];
  });
}

function member(value: NetValue | undefined, name: string): NetValue | undefined {
  if (!isObject(value) || Buffer.isBuffer(value)) return undefined;
  return value[name] as NetValue | undefined; // as: a member of a NetValue
}

function bytesOf(value: NetValue | undefined): Buffer | null {
  if (Buffer.isBuffer(value)) return value;
  return typeof value === 'string' ? Buffer.from(value) : null;
}

function errorOf(error: NetValue | undefined): string | null {
  return isObject(error) ? textOf(member(error, 'msg')) || 'error' : null;
}

/** Null without times that a date can express. If the response has no end, the exchange ends with its request. */
function timesOf(request: NetValue, response: NetValue | undefined): PlainEntry['times'] {
  const began = member(request, 'timestamp_start');
  const ended = member(response, 'timestamp_end') ?? member(request, 'timestamp_end');
  if (typeof began !== 'number' || typeof ended !== 'number') return null;
  const times = { began: began * 1000, ended: ended * 1000 };
  return Object.values(times).some((time) => Number.isNaN(new Date(time).getTime())) ? null : times;
}

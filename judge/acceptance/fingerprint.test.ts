import { expect, test } from 'vitest';
import type { HeaderPairs } from '../../exchange/http/headers.ts';
import { TraceBuilder } from '../testing/trace-builder.ts';
import { Call } from '../trace/call.ts';
import { fingerprintOf } from './fingerprint.ts';

function fingerprintWith(headers: HeaderPairs): string {
  const exchange = new TraceBuilder().add('listAssistants', { headers });
  const call = Call.from(exchange, 'Vendor-Beta');
  if (call === null) throw new Error('no call');
  return fingerprintOf(call);
}

test('a fingerprint depends on the version and the key, but not on the user agent', () => {
  const headers = [
    [],
    [['Vendor-Beta', 'assistants=v1']],
    [['Vendor-Beta', 'assistants=v2']],
    [['Authorization', 'Bearer a']],
    [['api-key', 'a']],
    [['api-key', 'b']],
  ] as const;
  expect(new Set(headers.map(fingerprintWith)).size).toBe(headers.length);
  expect(fingerprintWith([['User-Agent', 'a']])).toBe(fingerprintWith([]));
});

import { inCallsOf } from '../vocabulary/equivalents.ts';
import { withBody } from '../vocabulary/exchanges.ts';
import type { EquivalentMutant } from '../vocabulary/types.ts';
import { readAudio } from './container.ts';
import { SPEECH } from './speech.ts';

const EMPTY_ID3_TAG = Buffer.concat([
  Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u000a', 'latin1'),
  Buffer.alloc(10),
]);

export const equivalentMutants: readonly EquivalentMutant[] = [
  inSpeech('a tag before mp3', 'mp3', (bytes) => Buffer.concat([EMPTY_ID3_TAG, bytes])),
  inSpeech('wave files whose header leaves the size unknown', 'wav', withUnknownSize),
];

function inSpeech(name: string, format: string, change: (bytes: Uint8Array) => Uint8Array): EquivalentMutant {
  return inCallsOf(SPEECH, name, (exchange) => {
    const bytes = (exchange.response?.status ?? 500) < 300 ? exchange.response?.body.bytes : null;
    return bytes && readAudio(bytes)?.format === format ? withBody(exchange, change(bytes)) : exchange;
  });
}

/** A WAVE file as a streaming writer produces it: both size fields have the largest value. */
function withUnknownSize(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  const data = copy.indexOf('data', 0, 'latin1');
  copy.writeUInt32LE(0xffff_ffff, 4);
  if (data !== -1) copy.writeUInt32LE(0xffff_ffff, data + 4);
  return copy;
}

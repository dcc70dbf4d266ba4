import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type CassetteOptions, type CassetteWriter, createCassette } from '../cassette/cassette-writer.ts';
import type { Recording } from '../cassette/recording.ts';
import type { HeaderPairs } from '../exchange.ts';
import { readAllContents } from './snapshot.ts';
import { traceHeader } from './trace-header.ts';

/** A secret with characters that encodings change. */
export const LATE_SECRET = 'key-Canary_42+abc/XYZ';

export function beginExchange(cassette: CassetteWriter, headers: HeaderPairs = []): Recording {
  return cassette.begin({ method: 'POST', target: '/v1/files', headers });
}

export async function recordAnswer(
  cassette: CassetteWriter,
  body: string | Buffer,
  headers: HeaderPairs = [],
): Promise<void> {
  const recording = beginExchange(cassette);
  recording.response({ status: 200, reason: 'OK', headers });
  recording.piece(Buffer.from(body));
  await recording.end({ how: 'complete' });
}

export function revealSecret(cassette: CassetteWriter): Recording {
  return beginExchange(cassette, [['authorization', `Bearer ${LATE_SECRET}`]]);
}

export function useLateSecretFolder() {
  let dir = '';
  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'assay-late-')), 'c');
  });
  afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));
  return {
    path: () => dir,
    create: (options?: CassetteOptions) => createCassette(dir, traceHeader(), { collect: false, ...options }),
    disk: () => readAllContents(dir),
  };
}

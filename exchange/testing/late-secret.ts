// A cassette in which a response contains a secret that a later request reveals.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type CassetteOptions, type CassetteWriter, createCassette } from '../cassette/cassette-writer.ts';
import type { Recording } from '../cassette/recording.ts';
import type { HeaderPairs } from '../exchange.ts';
import { allBytes } from './snapshot.ts';
import { traceHeader } from './trace-header.ts';

/** A secret with characters that encodings change. */
export const LATE_SECRET = 'key-Canary_42+abc/XYZ';

export function beginExchange(cassette: CassetteWriter, headers: HeaderPairs = []): Recording {
  return cassette.begin({ method: 'POST', target: '/v1/files', headers });
}

/** Records an exchange whose response has this body. */
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

/** Begins the request that reveals the secret, and writes its head. */
export function revealSecret(cassette: CassetteWriter): Recording {
  return beginExchange(cassette, [['authorization', `Bearer ${LATE_SECRET}`]]);
}

/** A folder for the cassette of each test, removed after the test. */
export function useLateSecretFolder() {
  let dir = '';
  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'assay-late-')), 'c');
  });
  afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));
  return {
    path: () => dir,
    create: (options?: CassetteOptions) => createCassette(dir, traceHeader(), { collect: false, ...options }),
    /** The current bytes of all files. */
    disk: () => allBytes(dir),
  };
}

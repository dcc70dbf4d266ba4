// HTTP permits any content coding in response to a request without Accept-Encoding, so runs decode responses as the
// judge does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { startUpstream, type TestUpstream } from '../proxy/testing/upstream.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-compressed-'));
let reference: Awaited<ReturnType<typeof startReference>>;
let service: TestUpstream;

beforeAll(async () => {
  reference = await startReference({});
  const { origin } = new URL(reference.url);
  service = await startUpstream(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const type = request.headers['content-type'];
    const answer = await fetch(`${origin}${request.url}`, {
      method: request.method ?? 'GET',
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(body.length > 0 && { body }),
    });
    const responseHeaders = {
      'content-type': answer.headers.get('content-type') ?? '',
      'content-encoding': 'gzip',
    };
    response.writeHead(answer.status, responseHeaders);
    response.end(gzipSync(Buffer.from(await answer.arrayBuffer())));
  });
});
afterAll(async () => {
  await Promise.all([service.close(), reference.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test('a service that compresses its responses conforms', async () => {
  const flags = ['--base-url', service.url, '--claim', 'files,listModels,retrieveModel'];
  const { code, stdout } = await runAssay(['run', ...flags], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining('conforms')]);
});

test('the models of a service that compresses its responses are found', async () => {
  const flags = ['--base-url', service.url, '--claim', 'chat', '--only', 'chat.usage.total-is-sum'];
  const { code, stdout } = await runAssay(['run', ...flags, '--scenario', 'chat.plain'], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining('conforms')]);
});

test('speech from a service that compresses its responses is sent back without the coding', async () => {
  const flags = ['--base-url', service.url, '--claim', 'audio', '--allow', 'audio'];
  const only = ['--only', 'audio.transcription.takes-own-speech'];
  const { code, stdout } = await runAssay(['run', ...flags, ...only], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining('conforms')]);
});

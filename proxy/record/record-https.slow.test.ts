import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { makeCertificate } from '../../exchange/testing/certificate.ts';
import { bundle } from '../testing/bundle.ts';
import { portOf, requestBodyOf } from '../testing/upstream.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-https-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Sends a request through a recorder in a separate process, which can trust an authority unknown to this one. */
async function recordRequest(
  baseUrl: string,
  authority: string | null,
): Promise<{ status: number; text: string }> {
  mkdirSync(join(root, 'program'), { recursive: true });
  const program = await bundle('proxy/testing/recorder-process.ts', join(root, 'program'));
  const trust = authority === null ? {} : { NODE_EXTRA_CA_CERTS: authority };
  const child = spawn(process.execPath, [program, baseUrl, join(root, 'c')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...trust },
  });
  const exit = once(child, 'exit');
  try {
    const started = once(createInterface(child.stdout), 'line');
    const [url] = await Promise.race([
      started,
      exit.then(([code]) =>
        Promise.reject(new Error(`the recorder ended with exit code ${code} before it listened`)),
      ),
    ]);
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', body: '{"a":1}' });
    return { status: answer.status, text: await answer.text() };
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}

describe('a service behind TLS', () => {
  const { key, cert } = makeCertificate();
  const server = createServer({ key, cert }, async (req, res) => {
    res.end(`${req.headers.host} ${await requestBodyOf(req)}`);
  });
  let host: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${portOf(server)}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('is recorded', async () => {
    const authority = join(root, 'authority.pem');
    writeFileSync(authority, cert);
    expect(await recordRequest(`https://${host}/v1`, authority)).toEqual({
      status: 200,
      text: `${host} {"a":1}`,
    });
    expect((await readTrace(join(root, 'c'))).items).toMatchObject([
      {
        request: { body: { text: '{"a":1}' } },
        response: { status: 200, body: { text: `${host} {"a":1}` } },
      },
    ]);
  });

  test('gives 502 if its certificate is not trusted', async () => {
    expect(await recordRequest(`https://${host}/v1`, null)).toMatchObject({
      status: 502,
      text: expect.stringContaining('self-signed'),
    });
  });
});

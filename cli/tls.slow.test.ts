import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createSocket, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseBaseUrl } from '../drive/configuration/base-url.ts';
import { Target } from '../drive/target/target.ts';
import { type CertificateOptions, makeCertificate } from '../exchange/testing/certificate.ts';
import { portOf } from '../proxy/testing/upstream.ts';
import type { Report } from '../reports/report.ts';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-tls-'));
const servers: Server[] = [];

afterAll(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${portOf(server)}/v1`;
}

test.for<[string, CertificateOptions, boolean, RegExp]>([
  ['is self-signed', {}, false, /its certificate is self-signed; .*NODE_EXTRA_CA_CERTS to .* \(DEPTH_ZERO/],
  ['has expired', { until: '200201' }, true, /its certificate has expired \(CERT_HAS_EXPIRED\)/],
  ['is for another host', { address: [127, 0, 0, 9] }, true, /is for another host.*127\.0\.0\.9 .*ALTNAME/],
])(
  'a target whose certificate %s is reported as unreachable, with this cause',
  async ([name, options, isTrusted, says]) => {
    const { key, cert } = makeCertificate(options);
    const authority = join(folder, `${name}.pem`);
    writeFileSync(authority, cert);
    const url = await listen(createSecure({ key, cert }, (_request, response) => response.end('{}')));
    const dir = join(folder, name);
    const flags = ['--base-url', url, '--claim', 'models', '--report', 'json', '--report-dir', dir];
    // Node reads trusted authorities once, at startup.
    const result = isTrusted
      ? spawnAssay(['run', ...flags], { env: { NODE_EXTRA_CA_CERTS: authority } })
      : runAssay(['run', ...flags]);
    const { code, stderr } = await result;
    expect(stderr).toMatch(says);
    expect(stderr).toContain(`Nothing answers at ${url}`);
    const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
    expect([code, report.stopReason]).toEqual([2, 'target-unreachable']);
  },
);

test.for<[string, () => Server, RegExp]>([
  [
    'plain HTTP',
    () => createPlain((_request, response) => response.end('{}')),
    /does not speak TLS there; .* http:\/\//,
  ],
  [
    'a reset',
    () => createSocket((socket) => socket.once('data', () => socket.resetAndDestroy())),
    /ECONNRESET/,
  ],
  [
    'a closed connection',
    () => createSocket((socket) => socket.once('data', () => socket.end())),
    /it closed before TLS was established \(ECONNRESET\)/,
  ],
])('%s where TLS is expected is reported with its cause', async ([, createServer, says]) => {
  const url = await listen(createServer());
  // Milliseconds: no timeout may expire before the cause is known.
  const limit = 60_000;
  const limits = { connect: limit, headers: limit, idle: limit, total: limit, bodyBytes: 1, streamBytes: 1 };
  const target = new Target(parseBaseUrl(url), limits);
  try {
    const result = await target.send({ method: 'GET', target: '/v1/models', headers: [], body: null });
    expect(result).toMatchObject({ response: null, end: { detail: expect.stringMatching(says) } });
  } finally {
    await target.close();
  }
});

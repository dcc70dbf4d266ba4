import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { parseRedactionRule } from '../../exchange/redaction/rules.ts';
import { isNote } from '../../exchange/trace.ts';
import { sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';

const fixture = createRecordFixture();
const { start } = fixture;
const UPGRADE = 'GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

test.each([
  'CONNECT http://[ HTTP/1.1\r\nHost: [\r\n\r\n',
  'CONNECT :::: HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT %zz:443 HTTP/1.1\r\nHost: \x01\r\n\r\n',
  UPGRADE.replace('Host: x', 'Host: ['),
  UPGRADE.replace('/v1/realtime', 'http://['),
  UPGRADE.replace('/v1/realtime', '//'),
  UPGRADE.replace('Host: x', 'Host: x\r\nX-A: \xff\x7f'),
])('%j gets an error response', async (request) => {
  const { url } = await start((_req, res) => res.end('fine'), { key: 'sk-service-key-0123456789' });
  expect((await sendRaw(url, request)).text).toMatch(/^HTTP\/1\.1 (?:4|5)\d\d /);
  expect(await (await fetch(`${url}/models`)).text()).toBe('fine');
});

test.each(['upgrade', 'connect'] as const)(
  'an error while noting a request of type %s gives 500, and the recorder continues',
  async (kind) => {
    const { url } = await start((_req, res) => res.end('fine'), {
      onItem: (item) => {
        if (isNote(item)) throw new Error('the listener failed');
      },
    });
    const request = kind === 'upgrade' ? UPGRADE : 'CONNECT api.example:443 HTTP/1.1\r\nHost: x\r\n\r\n';
    expect((await sendRaw(url, request)).text).toMatch(/^HTTP\/1\.1 500 [\s\S]*the listener failed/);
    expect(await (await fetch(`${url}/models`)).text()).toBe('fine');
    expect(await fixture.stopRecorder()).toMatchObject({
      unrecorded: 1,
      upgraded: 1,
      diskFailed: 0,
      beyondLimit: 0,
    });
  },
);

test('a client that resets its connection ends nothing but that connection', async () => {
  const { url } = await start((_req, res) => res.end('fine'));
  const arrived = new Promise<void>((resolve) => {
    fixture.server().on('upgrade', (_req, socket) => {
      socket.on('error', () => {}).on('end', () => socket.destroy());
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.on('data', () => resolve());
    });
  });
  const { hostname, port } = new URL(url);
  const upgraded = connect(Number(port), hostname);
  upgraded.write(UPGRADE);
  upgraded.once('data', () => upgraded.write('ping'));
  await arrived;
  upgraded.resetAndDestroy();
  const refused = connect(Number(port), hostname);
  refused.write('CONNECT api.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', () => refused.resetAndDestroy());
  await new Promise((resolve) => refused.once('close', resolve));
  expect(await (await fetch(`${url}/models`)).text()).toBe('fine');
});

test('a pattern that matches everything changes the text of a note, and not its kind', async () => {
  const { url } = await start((_req, res) => res.end('fine'), {
    redaction: { rules: [parseRedactionRule('pattern:.+')] },
  });
  fixture.server().on('upgrade', (_req, socket) => socket.end('HTTP/1.1 426 No\r\n\r\n'));
  await sendRaw(url, UPGRADE);
  await (await fetch(`${url}/models`)).text();
  const items = await fixture.readItems();
  expect(items.filter(isNote)).toEqual([
    { after: 0, note: 'remark', message: expect.stringMatching(/^redacted_/) },
  ]);
  expect(items.filter((item) => !isNote(item))).toHaveLength(1);
});

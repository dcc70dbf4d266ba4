import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { parseRedactionRule } from '../../exchange/redaction/rules.ts';
import { isNote } from '../../exchange/trace.ts';
import { deferred } from '../testing/deferred.ts';
import { connectTo, sendRaw } from '../testing/raw-client.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { requestBodyOf } from '../testing/upstream.ts';

const fixture = createRecordFixture();
const { start, readExchanges } = fixture;
const UPGRADE = 'GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
/** Node warns of a leak if a connection gets more than ten listeners of one kind. */
const MANY_OFFERS = 12;

test.each([
  'CONNECT http://[ HTTP/1.1\r\nHost: [\r\n\r\n',
  'CONNECT :::: HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT %zz:443 HTTP/1.1\r\nHost: \x01\r\n\r\n',
  UPGRADE.replace('Host: x', 'Host: ['),
  UPGRADE.replace('/v1/realtime', 'http://['),
  UPGRADE.replace('/v1/realtime', '//'),
  UPGRADE.replace('Host: x', 'Host: x\r\nX-A: \xff\x7f'),
])('%j gets an error response, and the recorder continues', async (request) => {
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
      socket.write(SWITCH);
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

test('an upgraded connection is passed through, and recorded only as a note', async () => {
  const { url } = await start(() => {});
  fixture.server().on('upgrade', (_req, socket) => {
    socket.write(SWITCH);
    socket.pipe(socket);
  });
  const socket = connectTo(url);
  socket.write(UPGRADE);
  const done = deferred();
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
    if (text.endsWith('\r\n\r\n')) socket.write('ping');
    if (text.endsWith('ping')) done.resolve();
  });
  await done.promise;
  socket.destroy();
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 0, unrecorded: 1, upgraded: 1 });
  const { items } = await readTrace(fixture.cassette());
  expect(items).toMatchObject([{ note: 'remark', message: expect.stringContaining('/v1/realtime') }]);
});

test.each([
  [
    'an upgrade that is never answered',
    () => {},
    /^HTTP\/1\.1 504 Gateway Timeout\r\n[\s\S]*silent for 0\.1 s/,
  ],
  ['an upgraded connection', (socket: Duplex) => socket.write(SWITCH), /^HTTP\/1\.1 101 Switching/],
])('%s is closed at the timeout', async (_, answer, expected) => {
  const { url } = await start(() => {}, { timeout: 0.1 });
  fixture.server().on('upgrade', (_req, socket) => {
    socket.on('error', () => {}).on('end', () => socket.destroy());
    answer(socket);
  });
  const { text } = await sendRaw(url, UPGRADE);
  expect(text).toMatch(expected);
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 0, unrecorded: 1, upgraded: 1 });
});

test('an upgrade that is declined gets its complete response', async () => {
  const { url } = await start(() => {});
  fixture
    .server()
    .on('upgrade', (_req, socket) =>
      socket.end(
        'HTTP/1.1 426 No\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-A: 2\r\n\r\n2\r\nno\r\n0\r\n\r\n',
      ),
    );
  const { text } = await sendRaw(url, UPGRADE);
  expect(text).toBe('HTTP/1.1 426 No\r\nx-a: 1, 2\r\nconnection: close\r\n\r\nno');
  expect(await fixture.stopRecorder()).toMatchObject({ unrecorded: 1, upgraded: 1 });
});

test('an upgrade to a service that is gone gets 502', async () => {
  const { url } = await start(() => {});
  await fixture.stopService();
  expect((await sendRaw(url, UPGRADE)).text).toMatch(
    /^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*upstream_unreachable/,
  );
});

test('CONNECT is rejected, noted, and counts as unrecorded', async () => {
  const { url } = await start(() => {});
  const { text } = await sendRaw(url, 'CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n[\s\S]*api\.example:443 cannot be reached/);
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 0, unrecorded: 1, upgraded: 1 });
  const { items } = await readTrace(fixture.cassette());
  expect(items).toMatchObject([{ note: 'remark', message: expect.stringContaining('api.example:443') }]);
});

test('an open upgraded connection does not prevent the recorder from ending', async () => {
  const { url } = await start(() => {});
  const closed = deferred();
  fixture.server().on('upgrade', (_req, socket) => {
    socket.write(SWITCH);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => closed.resolve()).resume();
  });
  const left = deferred();
  const open = deferred();
  connectTo(url)
    .on('data', () => open.resolve())
    .on('close', () => left.resolve())
    .write(UPGRADE);
  await open.promise;
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 0 });
  await left.promise;
  await closed.promise;
});

test('an offer of another protocol is treated as an ordinary request, however often a connection brings it', async () => {
  const { url } = await start(async (req, res) =>
    res.end(`${req.headers.upgrade} ${await requestBodyOf(req)}`),
  );
  const offer =
    'POST /v1/a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc';
  const socket = connectTo(url);
  const done = deferred();
  let text = '';
  const warnings: Error[] = [];
  const collectWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', collectWarning);
  socket.write(offer);
  socket.on('data', (piece) => {
    text += piece;
    if (!text.endsWith('undefined abc')) return;
    const answers = text.split('undefined abc').length - 1;
    if (answers < MANY_OFFERS) socket.write(offer);
    else done.resolve();
  });
  await done.promise;
  socket.destroy();
  expect(await readExchanges()).toHaveLength(MANY_OFFERS);
  process.off('warning', collectWarning);
  expect(warnings).toEqual([]);
});

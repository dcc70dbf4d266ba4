import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createRecordFixture } from '../testing/record-fixture.ts';

const fixture = createRecordFixture();
/** Size of a body in bytes. It exceeds what the buffers between a client and a service hold. */
const SIZE = 32 * 1024 * 1024;

function sendAll(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname).on('error', reject);
    socket.pause();
    socket.write(`POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${SIZE}\r\n\r\n`);
    socket.write(Buffer.alloc(SIZE), () => {
      socket.once('data', (bytes) => {
        resolve(bytes.toString().split('\r\n')[0] ?? '');
        socket.destroy();
      });
      socket.resume();
    });
  });
}

test('a client can send a whole body although the service rejects it unread', async () => {
  const { url } = await fixture.start((_, res) => res.writeHead(413).end('no'));
  expect(await sendAll(url)).toBe('HTTP/1.1 413 Payload Too Large');
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 1 });
});

test('a client can send a whole body that is too large to be compared with recordings, and is told so', async () => {
  const first = await fixture.start((_, res) => res.end('ok'));
  await (await fetch(`${first.url}/x`)).text();
  await fixture.stopRecorder();
  await fixture.stopService();
  const { url } = await fixture.start((_, res) => res.end('ok'), { mode: 'new' });
  expect(await sendAll(url)).toBe('HTTP/1.1 413 Payload Too Large');
  expect(await fixture.stopRecorder()).toMatchObject({ recorded: 0, replayed: 0 });
});

test('a client sees a reset if the service resets the connection during the body', async () => {
  const { url } = await fixture.start((req) => req.once('data', () => req.socket.resetAndDestroy()));
  await expect(sendAll(url)).rejects.toThrow(/ECONNRESET|EPIPE/);
  const [exchange] = await fixture.readExchanges();
  expect(exchange).toMatchObject({ response: null, end: { how: 'upstream-reset' } });
});

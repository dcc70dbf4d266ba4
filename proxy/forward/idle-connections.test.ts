import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleConnections } from './idle-connections.ts';

let server: Server;
let connections = 0;
let announced = '';
let agent: Agent;
let idle: IdleConnections;

beforeEach(async () => {
  connections = 0;
  server = createServer((_, response) => response.writeHead(200, { 'Keep-Alive': announced }).end('ok'));
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  agent = new Agent({ keepAlive: true });
  idle = new IdleConnections(agent);
});

afterEach(async () => {
  idle.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  server.close();
  await once(server, 'close');
});

async function request(): Promise<void> {
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const [response] = (await once(get({ port, agent }), 'response')) as [IncomingMessage]; // as: what the event gives
  idle.noteKeepAlive(response);
  const { socket } = response;
  const released = Promise.race([once(socket, 'free'), once(socket, 'close')]);
  response.resume();
  await released;
}

test.for([
  ['timeout=5', 1],
  ['timeout=60, max=100', 1],
  ['max=100', 1],
  ['timeout=2', 1],
  ['timeout=1', 2],
  ['max=100, timeout=1', 2],
  ['Timeout=1', 2],
  ['timeout=0', 2],
] as const)(
  'with Keep-Alive: %s, two requests use this number of connections: %i',
  async ([given, expected]) => {
    announced = given;
    await request();
    await request();
    expect(connections).toBe(expected);
  },
);

test.for([
  ['timeout=5', 3_500, 4_500],
  ['timeout=3', 1_500, 2_500],
] as const)(
  'a connection with Keep-Alive: %s is open after %i ms without a request, and closed after %i',
  async ([given, open, closed]) => {
    announced = given;
    await request();
    vi.advanceTimersByTime(open);
    await request();
    expect(connections).toBe(1);
    vi.advanceTimersByTime(closed);
    await request();
    expect(connections).toBe(2);
  },
);

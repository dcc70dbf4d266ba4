import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTrace } from '../exchange/cassette/read.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { isNote } from '../exchange/trace.ts';
import { bundle } from './testing/bundle.ts';
import { bodyOf, type TestUpstream, upstream } from './testing/upstream.ts';

const KILLS = 104;
const LANES = 2;
/** A failure names its own; put it here to see the same moments again. */
const SEED = Date.now() % 1_000_000;
const CLIENTS = 6;

let root: string;
let program: string;
let service: TestUpstream;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-crash-'));
  mkdirSync(join(root, 'program'));
  program = await bundle('proxy/testing/recorder-process.ts', join(root, 'program'));
  service = await upstream(async (req, res) => {
    const body = await bodyOf(req);
    if (req.url?.includes('stream')) {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let i = 0; i < 5; i += 1) {
        res.write(`data: {"i":${i}}\n\n`);
        await new Promise(setImmediate);
      }
      res.end('data: [DONE]\n\n');
    } else res.end(`${req.url} ${body.length} ${'y'.repeat(body.length)}`);
  });
});
afterAll(async () => {
  await service.close();
  rmSync(root, { recursive: true, force: true });
});

/** What a client has seen whole: path of the request, and the answer. */
type Seen = Map<string, string>;

/** How many answers a recorder lives for: random, spread over short lives and longer ones (mulberry32 of seed and number). */
function patienceOf(n: number): number {
  let mixed = Math.imul((SEED + n * 0x6d2b79f5) ^ (SEED >>> 15), 1 | SEED);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return 1 + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) ** 2 * 60);
}

async function killOne(name: string, patience: number): Promise<number> {
  const cassette = join(root, name);
  const child = spawn(process.execPath, [program, service.url, cassette], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [url] = await once(createInterface(child.stdout), 'line');
  const seen: Seen = new Map();
  await load(String(url), seen, child, patience);
  await exit;
  const { items } = await readTrace(cassette);
  const recorded = new Map(
    items.filter((item): item is Exchange => !isNote(item)).map((one) => [one.request.target, one]),
  );
  for (const [target, text] of seen) {
    expect(recorded.get(target)?.end.how, target).toBe('complete');
    expect(recorded.get(target)?.response?.body.text, target).toBe(text);
  }
  rmSync(cassette, { recursive: true });
  return seen.size;
}

/** Requests without pause until so many answers are there, then kills the recorder with more under way. */
async function load(url: string, seen: Seen, child: ChildProcess, patience: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let n = 0;
  const client = async () => {
    while (child.exitCode === null && !child.killed) {
      n += 1;
      const target = `/v1/${['small', 'stream', 'large'][n % 3]}/${n}`;
      const body = 'x'.repeat(n % 3 === 2 ? 20_000 : n);
      const text = await ask(url, target, body, agent);
      if (text !== null) seen.set(target, text);
      if (seen.size >= patience) child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
}

/** The whole answer, or null where it was cut short. */
function ask(url: string, target: string, body: string, agent: Agent): Promise<string | null> {
  return new Promise((resolve) => {
    const outgoing = request(new URL(target, url), { method: 'POST', agent }, (incoming: IncomingMessage) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('error', () => resolve(null));
      incoming.on('end', () => resolve(incoming.complete ? Buffer.concat(pieces).toString() : null));
    });
    outgoing.on('error', () => resolve(null));
    outgoing.end(body);
  });
}

test(`${KILLS} kills at random moments under load lose nothing that a client has seen whole`, {
  timeout: 300_000,
}, async () => {
  let seen = 0;
  let next = 0;
  const lane = async () => {
    while (next < KILLS) {
      next += 1;
      const n = next;
      seen += await killOne(`c${n}`, patienceOf(n)).catch((error: unknown) => {
        throw new Error(`kill ${n} of the seed ${SEED}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(seen).toBeGreaterThan(KILLS);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { recoverCassette } from '../../exchange/cassette/finish.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote } from '../../exchange/trace.ts';
import { bundle } from '../testing/bundle.ts';
import { requestBodyOf, startUpstream, type TestUpstream } from '../testing/upstream.ts';

const rotation = inject('rotation');
/** CI kills a third as many recorders as a local `npm run test:thorough`, at different moments for each commit. */
const THOROUGH_KILLS = rotation === null ? 104 : 36;
const KILLS = inject('isThorough') ? THOROUGH_KILLS : 12;
const CONCURRENT_KILLS = 2;
const SEED = rotation ?? 1;
const CLIENTS = 6;
/** Number of requests after which a key in a body is also sent as a credential. */
const KEY_DELAY = 9;

let root: string;
let program: string;
let service: TestUpstream;
/** Keys that reached the service as credentials, so the recorder that forwarded them knew them. */
const forwardedKeys = new Set<string>();
const CANARY = 'env-canary-000000-0a9Z8b7Y6c';
/** Matches keys, which have the same length as their aliases. */
const KEY = /(?:key|env)-canary-\d{6}-[0-9A-Za-z]{10}/g;
const ALIAS = /redacted_\d+_x+/g;

function makeKey(kill: number, n: number): string {
  return `key-canary-${String(kill * 1000 + n).padStart(6, '0')}-0a9Z8b7Y6c`;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-crash-'));
  mkdirSync(join(root, 'program'));
  program = await bundle('proxy/testing/recorder-process.ts', join(root, 'program'));
  service = await startUpstream(async (req, res) => {
    const body = await requestBodyOf(req);
    const key = String(req.headers.authorization).replace('Bearer ', '');
    forwardedKeys.add(key);
    res.setHeader('x-assay-echo', CANARY);
    if (req.url?.includes('stream')) {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let i = 0; i < 5; i += 1) {
        res.write(`data: {"i":${i},"key":"${key}","later":"${body.slice(0, 28)}"}\n\n`);
        await new Promise(setImmediate);
      }
      res.end('data: [DONE]\n\n');
    } else res.end(`${req.url} ${CANARY} ${key} ${body.length} ${body} ${encodeURIComponent(key)}`);
  });
});
afterAll(async () => {
  await service.close();
  rmSync(root, { recursive: true, force: true });
});

type Seen = Map<string, string>;

/**
 * Number of responses before a recorder is killed: random (mulberry32 of seed and number), up to 60. Most recorders
 * are killed early: each request reveals a secret for which everything written before is searched, so 60 requests
 * take ten times as long as 12.
 */
function chooseKillPoint(n: number): number {
  const state = (SEED + n * 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return 1 + Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) ** 4 * 60);
}

async function killRecorder(kill: number): Promise<number> {
  const cassette = join(root, `c${kill}`);
  const child = spawn(process.execPath, [program, service.url, cassette], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ASSAY_CANARY_TOKEN: CANARY },
  });
  const exit = once(child, 'exit');
  const [url] = await once(createInterface(child.stdout), 'line');
  const seen: Seen = new Map();
  await sendUntilKill(String(url), seen, child, kill);
  await exit;
  expect(findCanaries(cassette, kill), 'before recovery').toEqual([]);
  const { items } = await readTrace(cassette);
  const recorded = new Map(
    items.filter((item): item is Exchange => !isNote(item)).map((one) => [one.request.target, one]),
  );
  for (const [target, text] of seen) {
    expect(recorded.get(target)?.end.how, target).toBe('complete');
    expect(maskKeys(recorded.get(target)?.response?.body.text ?? ''), target).toBe(maskKeys(text));
  }
  recoverCassette(cassette);
  expect(findCanaries(cassette, kill), 'after recovery').toEqual([]);
  expect((await readTrace(cassette)).items).toHaveLength(items.length);
  rmSync(cassette, { recursive: true });
  return seen.size;
}

function findCanaries(cassette: string, kill: number): string[] {
  const prefix = makeKey(kill, 0).slice(0, -14);
  const known = [CANARY, ...[...forwardedKeys].filter((key) => key.startsWith(prefix))];
  expect(known.length).toBeGreaterThan(1);
  const files = [cassette, `${cassette}.recording`].flatMap((dir) =>
    existsSync(dir) ? readdirSync(dir, { recursive: true, withFileTypes: true }) : [],
  );
  const bytes = files
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
  // Base64 digits that depend on the key alone, at each of its three offsets.
  const encode = (key: string, offset: number) =>
    Buffer.from('_'.repeat(offset) + key)
      .toString('base64')
      .slice(4, 32);
  return known.filter((key) =>
    [key, ...[0, 1, 2].map((offset) => encode(key, offset))].some((form) => bytes.includes(form)),
  );
}

/** Masks keys and aliases alike, because the moment of the kill decides which one is on disk. */
function maskKeys(text: string): string {
  const star = (match: string) => '*'.repeat(match.length);
  return text.replaceAll(KEY, star).replaceAll(ALIAS, star);
}

async function sendUntilKill(url: string, seen: Seen, child: ChildProcess, kill: number): Promise<void> {
  const killPoint = chooseKillPoint(kill);
  const agent = new Agent({ keepAlive: true });
  let n = 0;
  const runClient = async () => {
    while (child.exitCode === null && !child.killed) {
      n += 1;
      const target = `/v1/${['small', 'stream', 'large'][n % 3]}/${n}`;
      // This request and its response put a key on the disk that a later request reveals as a credential.
      const body = makeKey(kill, n + KEY_DELAY) + '.'.repeat(n % 3 === 2 ? 20_000 : n);
      const text = await sendRequest(new URL(target, url), body, agent, makeKey(kill, n));
      if (text !== null) seen.set(target, text);
      if (seen.size >= killPoint) child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, runClient));
  agent.destroy();
}

function sendRequest(url: URL, body: string, agent: Agent, key: string): Promise<string | null> {
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { authorization: `Bearer ${key}` } },
      (incoming: IncomingMessage) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.on('error', () => resolve(null));
        incoming.on('end', () =>
          resolve(incoming.complete && incoming.statusCode === 200 ? Buffer.concat(pieces).toString() : null),
        );
      },
    );
    outgoing.on('error', () => resolve(null));
    outgoing.end(body);
  });
}

/** Kills are tested in groups, because each group has its own time limit. */
const GROUP = 4;
const groups = Array.from({ length: Math.ceil(KILLS / GROUP) }, (_, k) => ({
  first: k * GROUP + 1,
  last: Math.min((k + 1) * GROUP, KILLS),
}));

describe('recorders that are killed under load, at random moments', () => {
  test.for(groups)(
    'lose nothing that a client has received completely, and leave no known secret on disk: kills $first to $last',
    async ({ first, last }) => {
      let seen = 0;
      let next = first;
      const killInTurn = async () => {
        while (next <= last) {
          const n = next;
          next += 1;
          // Awaited in a separate statement: `seen += await …` would discard what concurrent kills add meanwhile.
          const count = await killRecorder(n).catch((error: unknown) => {
            throw new Error(`kill ${n} of the seed ${SEED}`, { cause: error });
          });
          seen += count;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT_KILLS }, killInTurn));
      expect(seen).toBeGreaterThan(last - first);
    },
  );
});

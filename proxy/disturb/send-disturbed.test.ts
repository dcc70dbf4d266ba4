import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CREATED_BEFORE_FIELD, DISTURBED_FIELD } from '../../exchange/disturbed.ts';
import { type Reference, serveReference } from '../../reference/service.ts';
import { sendRaw } from '../testing/raw-client.ts';
import { startUpstream } from '../testing/upstream.ts';
import { DISTURBANCES, readDisturbances } from './disturbances.ts';
import { startDisturber } from './disturber.ts';
import { divideStream } from './send-disturbed.ts';

let reference: Reference;
beforeAll(async () => {
  reference = await serveReference();
});
afterAll(() => reference.close());

interface ReceivedResponse {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly pieces: readonly string[];
  readonly text: string;
  readonly headAt: number;
  readonly duration: number;
  readonly isBroken: boolean;
}

function post(url: string, body: object): Promise<ReceivedResponse> {
  return new Promise((resolve) => {
    const began = performance.now();
    const pieces: string[] = [];
    let status: number | null = null;
    let headAt = 0;
    let headers: ReceivedResponse['headers'] = {};
    const end = (isBroken: boolean) =>
      resolve({
        ...{ status, headers, pieces, text: pieces.join(''), headAt, isBroken },
        duration: performance.now() - began,
      });
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      agent: false,
    });
    sent.on('error', () => end(true));
    sent.on('response', (response) => {
      status = response.statusCode ?? 0;
      headAt = performance.now() - began;
      headers = response.headers;
      response.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
      response.on('error', () => {}).on('close', () => end(!response.complete));
    });
    sent.end(JSON.stringify(body));
  });
}

const CHAT = {
  model: 'chat-small',
  messages: [{ role: 'user', content: 'Say "one two three four five".' }],
  seed: 1,
};
const PAUSE_MS = 60;

async function receiveBoth(
  name: string,
  isStream: boolean,
): Promise<{ intact: ReceivedResponse; corrupted: ReceivedResponse }> {
  const plan = JSON.stringify([{ name, on: 'POST /v1/chat', milliseconds: PAUSE_MS, after: 3 }]);
  const disturber = await startDisturber({ upstream: reference.url, disturbances: readDisturbances(plan) });
  try {
    const body = { ...CHAT, stream: isStream };
    const corrupted = await post(`${disturber.url}/chat/completions`, body);
    const repeatCount = name.endsWith('-thrice') ? 2 : 0;
    for (let n = 0; n < repeatCount; n += 1)
      expect(await post(`${disturber.url}/chat/completions`, body)).toMatchObject({
        status: corrupted.status,
      });
    // A disturbance is over after its number of attempts.
    const intact = await post(`${disturber.url}/chat/completions`, body);
    expect([intact.status, intact.headers[DISTURBED_FIELD], intact.isBroken]).toEqual([
      200,
      undefined,
      false,
    ]);
    return { intact, corrupted };
  } finally {
    await disturber.close();
  }
}

const splitEvents = ({ text }: ReceivedResponse) => text.split('\n\n').filter((event) => event !== '');
const readContent = (event: string | undefined) => /"content":"([^"]*)"/.exec(event ?? '')?.[1];
/** Half the length of a body. Intact bodies differ only in ids and times, which have the same lengths. */
const halfLength = ({ text }: ReceivedResponse) => Math.ceil(text.length / 2);

type Check = (corrupted: ReceivedResponse, intact: ReceivedResponse) => void;
const expectRefusal =
  (status: number, retryAfter?: string): Check =>
  (corrupted) => {
    expect([corrupted.status, corrupted.headers['retry-after'], corrupted.isBroken]).toEqual([
      status,
      retryAfter,
      false,
    ]);
    expect(JSON.parse(corrupted.text)).toHaveProperty('error.message');
  };
const expectHalf: Check = (corrupted, intact) => {
  expect([corrupted.status, corrupted.isBroken, corrupted.text.length]).toEqual([
    200,
    true,
    halfLength(intact),
  ]);
};

const CHECKS: Readonly<Record<string, Check>> = {
  'rate-limit': expectRefusal(429, '1'),
  'rate-limit-bare': expectRefusal(429),
  'error-500': expectRefusal(500),
  'error-500-thrice': expectRefusal(500),
  'error-503': expectRefusal(503),
  'error-503-thrice': expectRefusal(503),
  unauthorized: expectRefusal(401),
  'html-error': ({ status, headers, text }) =>
    expect([status, headers['content-type'], text.slice(0, 6)]).toEqual([502, 'text/html', '<html>']),
  reset: ({ status, isBroken, text }) => expect([status, isBroken, text]).toEqual([null, true, '']),
  'reset-in-body': expectHalf,
  stall: (corrupted, intact) => {
    expectHalf(corrupted, intact);
    // Measured from the request: a busy client may see the head late.
    expect(corrupted.duration).toBeGreaterThanOrEqual(PAUSE_MS - 2);
    expect(corrupted.headAt).toBeLessThan(corrupted.duration);
  },
  'truncated-json': (corrupted, intact) => {
    expect([corrupted.status, corrupted.isBroken, corrupted.text.length]).toEqual([
      200,
      false,
      halfLength(intact),
    ]);
    expect(() => JSON.parse(corrupted.text)).toThrow();
  },
  'slow-pieces': (corrupted, intact) => {
    expect([corrupted.isBroken, corrupted.text.length]).toEqual([false, intact.text.length]);
    expect(corrupted.pieces.length).toBeGreaterThan(10);
  },
  'slow-first-byte': (corrupted, intact) => {
    expect([corrupted.isBroken, corrupted.text.length]).toEqual([false, intact.text.length]);
    expect(corrupted.headAt).toBeGreaterThanOrEqual(PAUSE_MS - 2);
  },
  'cut-stream': (corrupted, intact) => {
    expect([corrupted.isBroken, splitEvents(corrupted).map(readContent)]).toEqual([
      true,
      splitEvents(intact).slice(0, 3).map(readContent),
    ]);
    expect(corrupted.text).not.toContain('[DONE]');
  },
  'error-event': (corrupted, intact) => {
    expect(splitEvents(corrupted).slice(0, 3).map(readContent)).toEqual(
      splitEvents(intact).slice(0, 3).map(readContent),
    );
    expect([corrupted.isBroken, splitEvents(corrupted).at(3)]).toEqual([
      false,
      'event: error\ndata: {"error":{"message":"Disturbed.","type":"server_error"}}',
    ]);
    expect(splitEvents(corrupted)).toHaveLength(4);
  },
  'duplicate-event': (corrupted, intact) => {
    const [twice, once] = [splitEvents(corrupted), splitEvents(intact)];
    expect(twice).toHaveLength(once.length + 1);
    expect(twice[3]).toBe(twice[2]);
    expect(twice.toSpliced(3, 1).map(readContent)).toEqual(once.map(readContent));
    expect([corrupted.isBroken, twice.at(-1)]).toEqual([false, 'data: [DONE]']);
  },
};

test('every disturbance is covered', () => {
  expect(Object.keys(CHECKS).toSorted()).toEqual(DISTURBANCES.map(({ name }) => name).toSorted());
});

test.each(DISTURBANCES)('$name: $says', async ({ name, needs }) => {
  const { intact, corrupted } = await receiveBoth(name, needs === 'stream');
  CHECKS[name]?.(corrupted, intact);
  // A reset has no header to mark it.
  expect(corrupted.headers[DISTURBED_FIELD]).toBe(name === 'reset' ? undefined : name);
});

test('a stream of thousands of events without text is cut before its last event', () => {
  const [cut] = readDisturbances('cut-stream');
  if (cut === undefined) throw new Error('no disturbance');
  const body = Buffer.from('data: {"choices":[{"delta":{"tool_calls":[]}}]}\n\n'.repeat(8_000));
  expect(divideStream(body, cut).remaining).toHaveLength(1);
});

async function createTwice(disturbance: string, upstream = reference.url) {
  const plan = JSON.stringify([{ name: disturbance, on: 'POST /v1/assistants' }]);
  const disturber = await startDisturber({ upstream, disturbances: readDisturbances(plan) });
  await post(`${disturber.url}/assistants`, { model: 'chat-small' });
  const { headers } = await post(`${disturber.url}/assistants`, { model: 'chat-small' });
  const [reaction] = await disturber.close();
  return { createdBefore: headers[CREATED_BEFORE_FIELD], created: reaction?.createdTwice };
}

test.each(['rate-limit', 'error-500'])('a creation that %s rejects is not forwarded', async (disturbance) => {
  let requestCount = 0;
  const service = await startUpstream((_, res) => {
    requestCount += 1;
    res.end('{"id":"asst_1"}');
  });
  try {
    expect(await createTwice(disturbance, service.url)).toEqual({ createdBefore: undefined, created: [] });
    expect(requestCount).toBe(1);
  } finally {
    await service.close();
  }
});

test('a reset of a request behind an unanswered one closes the connection after the earlier response', async () => {
  const service = await startUpstream((req, res) => {
    setTimeout(() => res.end('answer'), req.url === '/v1/slow' ? 100 : 0);
  });
  const disturbances = readDisturbances('[{"name":"reset","on":"GET /v1/fast"}]');
  const disturber = await startDisturber({ upstream: service.url, disturbances });
  try {
    const head = (path: string) => `GET /v1/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const { text } = await sendRaw(disturber.url, `${head('slow')}${head('fast')}`);
    expect(text.match(/HTTP\/1\.1 200|answer/g)).toEqual(['HTTP/1.1 200', 'answer']);
  } finally {
    await disturber.close();
    await service.close();
  }
});

test.each(['reset', 'truncated-json'])(
  'a repeated creation is marked if %s lost the response to the first',
  async (disturbance) => {
    const { createdBefore, created } = await createTwice(disturbance);
    expect(createdBefore).toMatch(/^asst_/);
    expect(created).toHaveLength(2);
  },
);

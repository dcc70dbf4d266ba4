// Each way of corrupting a response, observed on the wire in front of a reference service.
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CREATED_BEFORE_FIELD, DISTURBED_FIELD } from '../../exchange/disturbed.ts';
import { type Reference, serveReference } from '../../reference/service.ts';
import { DISTURBANCES, readDisturbances } from './disturbances.ts';
import { startDisturber } from './disturber.ts';

let reference: Reference;
beforeAll(async () => {
  reference = await serveReference();
});
afterAll(() => reference.close());

/** A response as it arrived. */
interface Arrived {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly pieces: readonly string[];
  readonly text: string;
  /** Milliseconds until the first byte of the head, and until the end. */
  readonly began: number;
  readonly took: number;
  /** Whether the connection broke before the end. */
  readonly broke: boolean;
}

/** Sends a POST over a new connection. */
function post(url: string, body: object): Promise<Arrived> {
  return new Promise((resolve) => {
    const from = performance.now();
    const pieces: string[] = [];
    let [status, began]: [number | null, number] = [null, 0];
    let headers: Arrived['headers'] = {};
    const end = (broke: boolean) =>
      resolve({
        ...{ status, headers, pieces, text: pieces.join(''), began, broke },
        took: performance.now() - from,
      });
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      agent: false,
    });
    sent.on('error', () => end(true));
    sent.on('response', (response) => {
      [status, began, headers] = [response.statusCode ?? 0, performance.now() - from, response.headers];
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
/** Milliseconds of a stall and of a slow first byte. */
const PAUSE = 60;

/** The intact response to a chat completion, and the corrupted one. */
async function receiveBoth(name: string, isStream: boolean): Promise<{ whole: Arrived; got: Arrived }> {
  const plan = JSON.stringify([{ name, on: 'POST /v1/chat', milliseconds: PAUSE, after: 3 }]);
  const disturber = await startDisturber({ upstream: reference.url, disturbances: readDisturbances(plan) });
  try {
    const body = { ...CHAT, stream: isStream };
    const got = await post(`${disturber.url}/chat/completions`, body);
    const times = name.endsWith('-thrice') ? 2 : 0;
    for (let n = 0; n < times; n += 1)
      expect(await post(`${disturber.url}/chat/completions`, body)).toMatchObject({ status: got.status });
    // A disturbance happens once: later responses are intact.
    const whole = await post(`${disturber.url}/chat/completions`, body);
    expect([whole.status, whole.headers[DISTURBED_FIELD], whole.broke]).toEqual([200, undefined, false]);
    return { whole, got };
  } finally {
    await disturber.close();
  }
}

const events = ({ text }: Arrived) => text.split('\n\n').filter((event) => event !== '');
/** The text that an event adds. */
const content = (event: string | undefined) => /"content":"([^"]*)"/.exec(event ?? '')?.[1];
/** Bodies differ in ids and times, which have the same lengths. */
const half = ({ text }: Arrived) => Math.ceil(text.length / 2);

type Check = (got: Arrived, whole: Arrived) => void;
const expectRefusal =
  (status: number, retryAfter?: string): Check =>
  (got) => {
    expect([got.status, got.headers['retry-after'], got.broke]).toEqual([status, retryAfter, false]);
    expect(JSON.parse(got.text)).toHaveProperty('error.message');
  };
const halfOf: Check = (got, whole) => {
  expect([got.status, got.broke, got.text.length]).toEqual([200, true, half(whole)]);
};

const WAYS: Readonly<Record<string, Check>> = {
  'rate-limit': expectRefusal(429, '1'),
  'rate-limit-bare': expectRefusal(429),
  'error-500': expectRefusal(500),
  'error-500-thrice': expectRefusal(500),
  'error-503': expectRefusal(503),
  'error-503-thrice': expectRefusal(503),
  unauthorized: expectRefusal(401),
  'html-error': ({ status, headers, text }) =>
    expect([status, headers['content-type'], text.slice(0, 6)]).toEqual([502, 'text/html', '<html>']),
  reset: ({ status, broke, text }) => expect([status, broke, text]).toEqual([null, true, '']),
  'reset-in-body': halfOf,
  stall: (got, whole) => {
    halfOf(got, whole);
    // Measured from the request: a busy client may see the head late.
    expect(got.took).toBeGreaterThanOrEqual(PAUSE - 2);
    expect(got.began).toBeLessThan(got.took);
  },
  'truncated-json': (got, whole) => {
    expect([got.status, got.broke, got.text.length]).toEqual([200, false, half(whole)]);
    expect(() => JSON.parse(got.text)).toThrow();
  },
  'slow-pieces': (got, whole) => {
    expect([got.broke, got.text.length]).toEqual([false, whole.text.length]);
    expect(got.pieces.length).toBeGreaterThan(10);
  },
  'slow-first-byte': (got, whole) => {
    expect([got.broke, got.text.length]).toEqual([false, whole.text.length]);
    expect(got.began).toBeGreaterThanOrEqual(PAUSE - 2);
  },
  'cut-stream': (got, whole) => {
    expect([got.broke, events(got).map(content)]).toEqual([true, events(whole).slice(0, 3).map(content)]);
    expect(got.text).not.toContain('[DONE]');
  },
  'error-event': (got, whole) => {
    expect(events(got).slice(0, 3).map(content)).toEqual(events(whole).slice(0, 3).map(content));
    expect([got.broke, events(got).at(3)]).toEqual([
      false,
      'event: error\ndata: {"error":{"message":"Disturbed.","type":"server_error"}}',
    ]);
    expect(events(got)).toHaveLength(4);
  },
  'duplicate-event': (got, whole) => {
    const [twice, once] = [events(got), events(whole)];
    expect(twice).toHaveLength(once.length + 1);
    expect(twice[3]).toBe(twice[2]);
    expect(twice.toSpliced(3, 1).map(content)).toEqual(once.map(content));
    expect([got.broke, twice.at(-1)]).toEqual([false, 'data: [DONE]']);
  },
};

test('every disturbance is covered', () => {
  expect(Object.keys(WAYS).toSorted()).toEqual(DISTURBANCES.map(({ name }) => name).toSorted());
});

test.each(DISTURBANCES)('$name: $says', async ({ name, needs }) => {
  const { whole, got } = await receiveBoth(name, needs === 'stream');
  WAYS[name]?.(got, whole);
  // A reset has no header to mark it.
  expect(got.headers[DISTURBED_FIELD]).toBe(name === 'reset' ? undefined : name);
});

test('a rejected creation is not carried out, and one whose response is lost is marked when it is repeated', async () => {
  for (const [name, before] of [
    ['rate-limit', undefined],
    ['error-500', undefined],
    ['reset', expect.stringMatching(/^asst_/)],
    ['truncated-json', expect.stringMatching(/^asst_/)],
  ] as const) {
    const plan = JSON.stringify([{ name, on: 'POST /v1/assistants' }]);
    const disturber = await startDisturber({ upstream: reference.url, disturbances: readDisturbances(plan) });
    await post(`${disturber.url}/assistants`, { model: 'chat-small' });
    const again = await post(`${disturber.url}/assistants`, { model: 'chat-small' });
    const [reaction] = await disturber.close();
    expect([name, again.headers[CREATED_BEFORE_FIELD]]).toEqual([name, before]);
    expect(reaction?.createdTwice).toHaveLength(before === undefined ? 0 : 2);
  }
});

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

interface ReceivedResponse {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly pieces: readonly string[];
  readonly text: string;
  readonly began: number;
  readonly took: number;
  readonly broke: boolean;
}

function post(url: string, body: object): Promise<ReceivedResponse> {
  return new Promise((resolve) => {
    const from = performance.now();
    const pieces: string[] = [];
    let [status, began]: [number | null, number] = [null, 0];
    let headers: ReceivedResponse['headers'] = {};
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
const PAUSE_MS = 60;

async function receiveBoth(
  name: string,
  isStream: boolean,
): Promise<{ whole: ReceivedResponse; corrupted: ReceivedResponse }> {
  const plan = JSON.stringify([{ name, on: 'POST /v1/chat', milliseconds: PAUSE_MS, after: 3 }]);
  const disturber = await startDisturber({ upstream: reference.url, disturbances: readDisturbances(plan) });
  try {
    const body = { ...CHAT, stream: isStream };
    const corrupted = await post(`${disturber.url}/chat/completions`, body);
    const times = name.endsWith('-thrice') ? 2 : 0;
    for (let n = 0; n < times; n += 1)
      expect(await post(`${disturber.url}/chat/completions`, body)).toMatchObject({
        status: corrupted.status,
      });
    // A disturbance happens once: later responses are intact.
    const whole = await post(`${disturber.url}/chat/completions`, body);
    expect([whole.status, whole.headers[DISTURBED_FIELD], whole.broke]).toEqual([200, undefined, false]);
    return { whole, corrupted };
  } finally {
    await disturber.close();
  }
}

const splitEvents = ({ text }: ReceivedResponse) => text.split('\n\n').filter((event) => event !== '');
const readContent = (event: string | undefined) => /"content":"([^"]*)"/.exec(event ?? '')?.[1];
/** Half the length of a body. Intact bodies differ only in ids and times, which have the same lengths. */
const halfLength = ({ text }: ReceivedResponse) => Math.ceil(text.length / 2);

type Check = (corrupted: ReceivedResponse, whole: ReceivedResponse) => void;
const expectRefusal =
  (status: number, retryAfter?: string): Check =>
  (corrupted) => {
    expect([corrupted.status, corrupted.headers['retry-after'], corrupted.broke]).toEqual([
      status,
      retryAfter,
      false,
    ]);
    expect(JSON.parse(corrupted.text)).toHaveProperty('error.message');
  };
const expectHalf: Check = (corrupted, whole) => {
  expect([corrupted.status, corrupted.broke, corrupted.text.length]).toEqual([200, true, halfLength(whole)]);
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
  reset: ({ status, broke, text }) => expect([status, broke, text]).toEqual([null, true, '']),
  'reset-in-body': expectHalf,
  stall: (corrupted, whole) => {
    expectHalf(corrupted, whole);
    // Measured from the request: a busy client may see the head late.
    expect(corrupted.took).toBeGreaterThanOrEqual(PAUSE_MS - 2);
    expect(corrupted.began).toBeLessThan(corrupted.took);
  },
  'truncated-json': (corrupted, whole) => {
    expect([corrupted.status, corrupted.broke, corrupted.text.length]).toEqual([
      200,
      false,
      halfLength(whole),
    ]);
    expect(() => JSON.parse(corrupted.text)).toThrow();
  },
  'slow-pieces': (corrupted, whole) => {
    expect([corrupted.broke, corrupted.text.length]).toEqual([false, whole.text.length]);
    expect(corrupted.pieces.length).toBeGreaterThan(10);
  },
  'slow-first-byte': (corrupted, whole) => {
    expect([corrupted.broke, corrupted.text.length]).toEqual([false, whole.text.length]);
    expect(corrupted.began).toBeGreaterThanOrEqual(PAUSE_MS - 2);
  },
  'cut-stream': (corrupted, whole) => {
    expect([corrupted.broke, splitEvents(corrupted).map(readContent)]).toEqual([
      true,
      splitEvents(whole).slice(0, 3).map(readContent),
    ]);
    expect(corrupted.text).not.toContain('[DONE]');
  },
  'error-event': (corrupted, whole) => {
    expect(splitEvents(corrupted).slice(0, 3).map(readContent)).toEqual(
      splitEvents(whole).slice(0, 3).map(readContent),
    );
    expect([corrupted.broke, splitEvents(corrupted).at(3)]).toEqual([
      false,
      'event: error\ndata: {"error":{"message":"Disturbed.","type":"server_error"}}',
    ]);
    expect(splitEvents(corrupted)).toHaveLength(4);
  },
  'duplicate-event': (corrupted, whole) => {
    const [twice, once] = [splitEvents(corrupted), splitEvents(whole)];
    expect(twice).toHaveLength(once.length + 1);
    expect(twice[3]).toBe(twice[2]);
    expect(twice.toSpliced(3, 1).map(readContent)).toEqual(once.map(readContent));
    expect([corrupted.broke, twice.at(-1)]).toEqual([false, 'data: [DONE]']);
  },
};

test('every disturbance is covered', () => {
  expect(Object.keys(CHECKS).toSorted()).toEqual(DISTURBANCES.map(({ name }) => name).toSorted());
});

test.each(DISTURBANCES)('$name: $says', async ({ name, needs }) => {
  const { whole, corrupted } = await receiveBoth(name, needs === 'stream');
  CHECKS[name]?.(corrupted, whole);
  // A reset has no header to mark it.
  expect(corrupted.headers[DISTURBED_FIELD]).toBe(name === 'reset' ? undefined : name);
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

import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';

export const JSON_TYPE = { 'content-type': 'application/json' };
export const EMPTY_LIST = '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}';

/** 400 MiB of spaces in compressed form, far more than assay decodes. */
const BOMB = Buffer.concat(Array<Buffer>(400).fill(gzipSync(Buffer.alloc(1 << 20, ' '))));

function writeForever(stream: Writable, piece: Buffer | string): void {
  const more = (): void => {
    while (!stream.destroyed && stream.write(piece));
    if (!stream.destroyed) stream.once('drain', more);
  };
  more();
}

function sendRaw(response: ServerResponse, bytes: string): void {
  response.socket?.write(bytes, 'latin1', () => response.socket?.destroySoon());
}

let cutAt = 0;

export interface Hostility {
  readonly operation: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** How many times the operation is called. Default: 1. */
  readonly times?: number;
  /** `elsewhere` is a URL on another port. */
  readonly answer: (response: ServerResponse, elsewhere: string) => void;
  /** The expected ending of the exchange. Default: complete. */
  readonly end?: RegExp;
  /** The expected verdict. Default: inconclusive. */
  readonly verdict?: 'fail';
  /** The words of the report about it: the cause of an inconclusive verdict, or the findings of a failure. */
  readonly words: RegExp;
}

const BROKEN_OFF = { end: /^upstream-reset/, words: /^protocol: / };

export const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'a body without an end': {
    operation: 'listFiles',
    answer: (response) => writeForever(response.writeHead(200, JSON_TYPE), Buffer.alloc(65_536, ' ')),
    end: /upstream-timeout (not complete|body exceeds)/,
    words: /^capacity: (not complete within|body exceeds \d+ bytes)/,
  },
  'one byte at a time': {
    operation: 'retrieveFile',
    answer: (response) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    },
    end: /upstream-timeout not complete within/,
    words: /^capacity: not complete within/,
  },
  'a status line that never comes': {
    operation: 'listBatches',
    answer: () => {},
    end: /upstream-timeout no status line within/,
    words: /^capacity: no status line within/,
  },
  'headers without an end': {
    operation: 'retrieveBatch',
    answer: ({ socket }) => {
      if (socket === null) return;
      socket.write('HTTP/1.1 200 OK\r\n');
      writeForever(socket, `x-more: ${'a'.repeat(8_000)}\r\n`);
    },
    end: /upstream-reset .*header/i,
    words: /^protocol: .*header/i,
  },
  'a gzip bomb': {
    operation: 'listFineTuningJobs',
    answer: (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB),
    words: /^protocol: content that cannot be decoded from gzip/,
  },
  'deeply nested arrays': {
    operation: 'listVectorStores',
    answer: (response) => {
      const depth = 200_000;
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      response.writeHead(200, JSON_TYPE).end(EMPTY_LIST.replace('[]', deep));
    },
    verdict: 'fail',
    words: /1,000 levels/,
  },
  'bytes that are not UTF-8': {
    operation: 'retrieveVectorStore',
    answer: (response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    verdict: 'fail',
    words: /4 bytes that are not UTF-8/,
  },
  'less than its length': {
    operation: 'retrieveThread',
    answer: (response) => sendRaw(response, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'),
    ...BROKEN_OFF,
  },
  'more than its length': {
    operation: 'listMessages',
    answer: (response) =>
      sendRaw(
        response,
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n${EMPTY_LIST}`,
      ),
    end: /^complete|^upstream-reset/,
    verdict: 'fail',
    words: /JSON/,
  },
  'something other than HTTP': {
    operation: 'retrieveMessage',
    answer: (response) => sendRaw(response, 'SSH-2.0-OpenSSH_9.6\r\n'),
    ...BROKEN_OFF,
  },
  'a reset before the first byte': {
    operation: 'listRunSteps',
    answer: (response) => response.socket?.resetAndDestroy(),
    ...BROKEN_OFF,
  },
  'a reset at any byte': {
    operation: 'retrieveVectorStoreFile',
    times: 24,
    answer: (response) => {
      const message = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${EMPTY_LIST.length}\r\n\r\n${EMPTY_LIST}`;
      cutAt = (cutAt + 37) % message.length;
      response.socket?.write(message.slice(0, cutAt), () => response.socket?.resetAndDestroy());
    },
    ...BROKEN_OFF,
  },
  'an invalid chunk': {
    operation: 'retrieveRunStep',
    answer: (response) =>
      sendRaw(response, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
    ...BROKEN_OFF,
  },
  'circular redirects': {
    operation: 'listAssistants',
    answer: (response) => response.writeHead(302, { location: '/v1/assistants' }).end(),
    words: /^protocol: answered 302/,
  },
  'a redirect to another host': {
    operation: 'retrieveAssistant',
    answer: (response, elsewhere) => response.writeHead(307, { location: elsewhere }).end(),
    words: /^protocol: answered 307/,
  },
  'an HTML error page': {
    operation: 'retrieveFineTuningJob',
    answer: (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
    words: /^protocol: answered 502/,
  },
  'a rejection of the key': {
    operation: 'listModels',
    answer: (response) => response.writeHead(403, JSON_TYPE).end('{}'),
    words: /^authentication: answered 403/,
  },
  'an error that calls itself 200': {
    operation: 'createModeration',
    body: { input: 'Hello' },
    answer: (response) => response.writeHead(200, JSON_TYPE).end('{"error":{"message":"Overloaded."}}'),
    verdict: 'fail',
    words: /results/,
  },
  'a stream without an end': {
    operation: 'createChatCompletion',
    body: { model: 'any', messages: [{ role: 'user', content: 'Hello' }], stream: true },
    answer: (response) =>
      writeForever(
        response.writeHead(200, { 'content-type': 'text/event-stream' }),
        `data: {"object":"chat.completion.chunk","choices":[]}\n\n${': still here\n'.repeat(4_000)}`,
      ),
    end: /upstream-timeout (not complete|body exceeds)/,
    words: /^capacity: /,
  },
};

/** A page of a list that always has more; `from` is the number in its first id. */
export function listPageFrom(size: number, from: number): string {
  const data = Array.from({ length: size }, (_, n) => ({
    id: `file-${from + n}`,
    created_at: 1_700_000_000,
  }));
  return JSON.stringify({
    object: 'list',
    data,
    first_id: data[0]?.id,
    last_id: data.at(-1)?.id,
    has_more: true,
  });
}

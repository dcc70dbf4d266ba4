import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

export const JSON_TYPE = { 'content-type': 'application/json' };
export const EMPTY_LIST = '{"object":"list","data":[],"first_id":null,"last_id":null,"has_more":false}';

/** Writes the same piece forever, as fast as it is read. */
function writeForever(response: ServerResponse, piece: Buffer | string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

/** Sends exactly these bytes instead of Node's HTTP, and closes the connection. */
function sendRaw(response: ServerResponse, bytes: string): void {
  response.socket?.write(bytes, 'latin1', () => response.socket?.destroySoon());
}

/** Offset at which the next truncated response is cut. */
let cutAt = 0;

export interface Hostility {
  /** The operation to call. */
  readonly operation: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** How often. Default: once. */
  readonly times?: number;
  readonly answer: (response: ServerResponse, elsewhere: string) => void;
  /** The expected ending of the exchange, and the expected words of the verdict. */
  readonly end: RegExp;
  readonly verdict: 'inconclusive' | 'fail';
  readonly names: RegExp;
}

/** Hostile services by name, each at its own address. */
export const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'a body without an end': {
    operation: 'listFiles',
    answer: (response) => writeForever(response.writeHead(200, JSON_TYPE), Buffer.alloc(65_536, ' ')),
    end: /upstream-timeout (not over|more than)/,
    verdict: 'inconclusive',
    names: /^capacity: (not over after|more than \d+ bytes)/,
  },
  'one byte after the other': {
    operation: 'retrieveFile',
    answer: (response) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    },
    end: /upstream-timeout not over after/,
    verdict: 'inconclusive',
    names: /^capacity: not over after/,
  },
  'a status line that never comes': {
    operation: 'listBatches',
    answer: () => {},
    end: /upstream-timeout no status line within/,
    verdict: 'inconclusive',
    names: /^capacity: no status line within/,
  },
  'headers without an end': {
    operation: 'retrieveBatch',
    answer: ({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (socket?.destroyed === false && socket.write(`x-more: ${'a'.repeat(8_000)}\r\n`));
        if (socket?.destroyed === false) socket.once('drain', more);
      };
      more();
    },
    end: /upstream-reset .*header/i,
    verdict: 'inconclusive',
    names: /^protocol: .*header/i,
  },
  'a bomb of gzip': {
    operation: 'listFineTuningJobs',
    answer: (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: content that cannot be decoded from gzip/,
  },
  'arrays within arrays': {
    operation: 'listVectorStores',
    answer: (response) => {
      const depth = 200_000;
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      response.writeHead(200, JSON_TYPE).end(EMPTY_LIST.replace('[]', deep));
    },
    end: /^complete/,
    verdict: 'fail',
    names: /1,000 levels/,
  },
  'bytes that are not UTF-8': {
    operation: 'retrieveVectorStore',
    answer: (response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    end: /^complete/,
    verdict: 'fail',
    names: /4 bytes that are not UTF-8/,
  },
  'less than its length': {
    operation: 'retrieveThread',
    answer: (response) => sendRaw(response, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":'),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
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
    names: /JSON/,
  },
  'something else than HTTP': {
    operation: 'retrieveMessage',
    answer: (response) => sendRaw(response, 'SSH-2.0-OpenSSH_9.6\r\n'),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'a reset before the first byte': {
    operation: 'listRunSteps',
    answer: (response) => response.socket?.resetAndDestroy(),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'a reset at any byte': {
    operation: 'retrieveVectorStoreFile',
    times: 24,
    answer: (response) => {
      const whole = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${EMPTY_LIST.length}\r\n\r\n${EMPTY_LIST}`;
      cutAt = (cutAt + 37) % whole.length;
      response.socket?.write(whole.slice(0, cutAt), () => response.socket?.resetAndDestroy());
    },
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'a chunk that is none': {
    operation: 'retrieveRunStep',
    answer: (response) =>
      sendRaw(response, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
    end: /^upstream-reset/,
    verdict: 'inconclusive',
    names: /^protocol: /,
  },
  'redirects in a circle': {
    operation: 'listAssistants',
    answer: (response) => response.writeHead(302, { location: '/v1/assistants' }).end(),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: answered 302/,
  },
  'a redirect to another host': {
    operation: 'retrieveAssistant',
    answer: (response, elsewhere) => response.writeHead(307, { location: elsewhere }).end(),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: answered 307/,
  },
  'a page of HTML for an error': {
    operation: 'retrieveFineTuningJob',
    answer: (response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^protocol: answered 502/,
  },
  'a refusal of the key': {
    operation: 'listModels',
    answer: (response) => response.writeHead(403, JSON_TYPE).end('{}'),
    end: /^complete/,
    verdict: 'inconclusive',
    names: /^authentication: answered 403/,
  },
  'an error that calls itself 200': {
    operation: 'createModeration',
    body: { input: 'Hello' },
    answer: (response) => response.writeHead(200, JSON_TYPE).end('{"error":{"message":"Overloaded."}}'),
    end: /^complete/,
    verdict: 'fail',
    names: /results/,
  },
  'a stream without an end': {
    operation: 'createChatCompletion',
    body: { model: 'any', messages: [{ role: 'user', content: 'Hello' }], stream: true },
    answer: (response) =>
      writeForever(
        response.writeHead(200, { 'content-type': 'text/event-stream' }),
        `data: {"object":"chat.completion.chunk","choices":[]}\n\n${': still here\n'.repeat(4_000)}`,
      ),
    end: /upstream-timeout (not over|more than)/,
    verdict: 'inconclusive',
    names: /^capacity: /,
  },
};

/** A compressed megabyte of spaces, many times, which is more than a client could hold. */
const BOMB = Buffer.concat(Array<Buffer>(400).fill(gzipSync(Buffer.alloc(1 << 20, ' '))));

/** A page of a list that always has more; `from` numbers its ids. */
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

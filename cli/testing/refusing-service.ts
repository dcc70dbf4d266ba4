import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HeaderPairs } from '../../exchange/http/headers.ts';

/** What a service knows about a request when it decides whether to refuse it. */
export interface ArrivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body: Buffer;
  /** From 1. */
  readonly ordinal: number;
  /** Whether an equal request came before. */
  readonly isRepeated: boolean;
  /** Other requests that it has not answered yet. */
  readonly beside: number;
}

/** A service before another one, with `/v1` in its URL. */
export interface RefusingService {
  readonly url: string;
  close(): Promise<void>;
}

/** Answers requests by a rule with 400 and passes all others on to `upstream`, each after `latency` milliseconds. */
export async function refusingService(
  upstream: string,
  rule: (arrival: ArrivedRequest) => boolean,
  latency = 0,
): Promise<RefusingService> {
  const seen = new Set<string>();
  const counts = { arrived: 0, open: 0 };
  const arrivalOf = (
    { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
    body: Buffer,
  ): ArrivedRequest => {
    const letter = `${method} ${url} ${body.toString('latin1')}`;
    const isRepeated = seen.has(letter);
    seen.add(letter);
    counts.arrived += 1;
    const headers = pairsOf(rawHeaders);
    return { method, target: url, headers, body, ordinal: counts.arrived, isRepeated, beside: counts.open };
  };
  const server = createServer((incoming, outgoing) => {
    void bodyOf(incoming).then((body) => {
      const isRefused = rule(arrivalOf(incoming, body));
      counts.open += 1;
      outgoing.on('close', () => (counts.open -= 1));
      // A model takes its time, also to refuse, so that the load of the service is the load that the client sees.
      setTimeout(() => {
        if (isRefused) refuse(outgoing);
        else forward(upstream, incoming, outgoing, body);
      }, latency);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"No."}}');
}

function pairsOf(raw: readonly string[]): HeaderPairs {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function forward(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void {
  const { method, headers, url = '/' } = incoming;
  const forwarded = request(new URL(url, upstream), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  forwarded.end(body);
}

import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type TestUpstream, testUpstream } from '../../proxy/testing/upstream.ts';
import { matchOperation } from '../../schemas/index.ts';

type Json = unknown;

/** One field to break in the responses of one operation. */
export interface BrokenField {
  readonly operation: string;
  /** JSON pointer into the body, or into every event of a stream; `*` matches each element. */
  readonly pointer: string;
  /** The replacement; `undefined` removes the field. */
  readonly value: Json;
}

export interface BreakingOptions {
  /** Where to forward a request, given its path and query; null for nowhere. */
  readonly route?: (target: string) => string | null;
  /** Changes the text of a broken stream further. */
  readonly stream?: (text: string) => string;
}

/** A proxy in front of `upstream` (with `/v1`) that breaks fields of 2xx responses. */
export function breakingProxy(
  upstream: string,
  faults: readonly BrokenField[],
  { route = (target) => target, stream = (text) => text }: BreakingOptions = {},
): Promise<TestUpstream> {
  const origin = new URL(upstream).origin;
  return testUpstream((incoming, outgoing) => {
    const target = route(incoming.url ?? '/');
    if (target === null) {
      incoming.resume();
      outgoing
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":{"message":"Not here."}}');
      return;
    }
    const operation = matchOperation(incoming.method ?? 'GET', target.split('?', 1)[0] ?? '')?.operation.id;
    const { method, headers } = incoming;
    const forwarded = request(`${origin}${target}`, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    forwarded.on('response', (answer) => {
      const hits = faults.filter((fault) => operation === fault.operation && (answer.statusCode ?? 0) < 300);
      void (hits.length > 0
        ? breakResponse(answer, outgoing, hits, stream)
        : forwardUnchanged(answer, outgoing));
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
}

function forwardUnchanged(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  answer.pipe(outgoing);
}

async function breakResponse(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  faults: readonly BrokenField[],
  further: (text: string) => string,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer); // as: no encoding was set
  const text = Buffer.concat(chunks).toString();
  const stream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
  const body = stream
    ? further(text.replace(/^data: (\{.*\})$/gm, (_, json) => `data: ${edit(json, faults)}`))
    : edit(text, faults);
  const headers = { ...answer.headers };
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  outgoing.end(body);
}

function edit(text: string, faults: readonly BrokenField[]): string {
  const document: Json = JSON.parse(text);
  for (const { pointer, value } of faults)
    setAt(
      document,
      pointer
        .split('/')
        .slice(1)
        .map((token) => token.replaceAll('~1', '/')),
      value,
    );
  return JSON.stringify(document);
}

function setAt(parent: Json, [token, ...rest]: readonly string[], value: Json): void {
  if (token === undefined || parent === null || typeof parent !== 'object') return;
  const container = parent as Record<string, Json>; // as: arrays are indexed by their tokens too
  const names = token === '*' ? Object.keys(container) : [token];
  for (const name of names) {
    if (rest.length > 0) setAt(container[name], rest, value);
    else if (value === undefined) delete container[name];
    else container[name] = value;
  }
}

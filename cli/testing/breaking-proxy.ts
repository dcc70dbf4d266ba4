import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text as contentOf } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { startUpstream, type TestUpstream } from '../../proxy/testing/upstream.ts';
import { matchOperation } from '../../schemas/index.ts';
import { pointerTokens } from '../../schemas/pointer.ts';

export interface BrokenField {
  readonly operation: string;
  /** JSON pointer into the body, or into every event of a stream; `*` matches each element. */
  readonly pointer: string;
  /** The replacement; `undefined` removes the field. */
  readonly value: unknown;
}

export interface BreakingOptions {
  /** Returns the path and query to forward for those of a request; null to answer 404. */
  readonly route?: (target: string) => string | null;
  /** Changes the text of event streams of an operation with a broken field. */
  readonly changeStream?: (text: string) => string;
}

export function startBreakingProxy(
  upstream: string,
  faults: readonly BrokenField[],
  { route = (target) => target, changeStream = (text) => text }: BreakingOptions = {},
): Promise<TestUpstream> {
  const origin = new URL(upstream).origin;
  return startUpstream((incoming, outgoing) => {
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
    const upstreamRequest = request(`${origin}${target}`, {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    upstreamRequest.on('response', (answer) => {
      const matching = faults.filter(
        (fault) => operation === fault.operation && (answer.statusCode ?? 0) < 300,
      );
      const sent =
        matching.length > 0
          ? breakResponse(answer, outgoing, matching, changeStream)
          : forwardUnchanged(answer, outgoing);
      sent.catch(() => outgoing.destroy());
    });
    upstreamRequest.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstreamRequest.destroy());
    incoming.pipe(upstreamRequest);
  });
}

async function forwardUnchanged(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  await pipeline(answer, outgoing);
}

async function breakResponse(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  faults: readonly BrokenField[],
  changeStream: (text: string) => string,
): Promise<void> {
  const text = await contentOf(answer);
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true;
  const body = isStream
    ? changeStream(text.replace(/^data: (\{.*\})$/gm, (_, json) => `data: ${breakFields(json, faults)}`))
    : breakFields(text, faults);
  const headers = { ...answer.headers };
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  outgoing.end(body);
}

function breakFields(text: string, faults: readonly BrokenField[]): string {
  const document: unknown = JSON.parse(text);
  for (const { pointer, value } of faults) setAt(document, pointerTokens(pointer), value);
  return JSON.stringify(document);
}

function setAt(parent: unknown, [token, ...deeper]: readonly string[], value: unknown): void {
  if (token === undefined || parent === null || typeof parent !== 'object') return;
  const container = parent as Record<string, unknown>; // as: arrays are indexed by their tokens too
  const names = token === '*' ? Object.keys(container) : [token];
  for (const name of names) {
    if (deeper.length > 0) setAt(container[name], deeper, value);
    else if (value === undefined) delete container[name];
    else container[name] = value;
  }
}

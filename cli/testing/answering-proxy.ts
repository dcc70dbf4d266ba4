import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { HeaderPairs } from '../../exchange/http/headers.ts';
import { type TestUpstream, testUpstream } from '../../proxy/testing/upstream.ts';

/** A completely received request. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderPairs;
  /** Latin-1. */
  readonly body: string;
}

/** A response from the proxy itself. JSON by default. */
export interface OwnAnswer {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
}

/** A request to forward with another body; if its response is a stream, it gets another media type. */
export interface ChangedRequest {
  /** Latin-1. */
  readonly forward: string;
  readonly streamType?: string;
}

type Decision = OwnAnswer | ChangedRequest | null;

/**
 * A service in front of `upstream` that responds to or changes some requests; if `answer` returns null, the request
 * is forwarded unchanged.
 */
export function answeringProxy(
  upstream: string,
  answer: (arrived: Arrived, outgoing: ServerResponse) => Decision | Promise<Decision>,
): Promise<TestUpstream> {
  return testUpstream((incoming, outgoing) => {
    void handle(upstream, incoming, outgoing, answer).catch(() => outgoing.destroy());
  });
}

async function handle(
  upstream: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: Parameters<typeof answeringProxy>[1],
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece));
  const body = Buffer.concat(pieces);
  const { method = 'GET', url: target = '/', headers, rawHeaders: raw } = incoming;
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
  const decision = await answer({ method, target, headers: pairs, body: body.toString('latin1') }, outgoing);
  if (decision !== null && 'status' in decision) {
    outgoing.writeHead(decision.status, { 'content-type': decision.type ?? 'application/json' });
    outgoing.end(decision.body ?? '{"error":{"message":"No."}}');
    return;
  }
  const sent = decision === null ? body : Buffer.from(decision.forward, 'latin1');
  const length = sent.length === body.length ? {} : { 'content-length': String(sent.length) };
  const options = { method, headers: { ...headers, ...length } };
  const forwarded = request(new URL(target, upstream), options, (response) => {
    const fields = { ...response.headers };
    const isStream = fields['content-type']?.startsWith('text/event-stream') === true;
    if (isStream && decision?.streamType !== undefined) fields['content-type'] = decision.streamType;
    outgoing.writeHead(response.statusCode ?? 502, fields);
    response.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  outgoing.on('close', () => forwarded.destroy());
  forwarded.end(sent);
}

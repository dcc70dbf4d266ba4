import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { type HeaderPairs, headerPairs } from '../../exchange/http/headers.ts';
import { requestBodyOf, startUpstream, type TestUpstream } from '../../proxy/testing/upstream.ts';

export interface ArrivedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderPairs;
  /** The bytes, as Latin-1 text. */
  readonly body: string;
}

/** A response from the proxy itself. JSON by default. */
export interface OwnAnswer {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
}

/** A request to forward with another body. A streamed response gets the media type `streamType`, if given. */
export interface ChangedRequest {
  readonly forward: string;
  readonly streamType?: string;
}

type Decision = OwnAnswer | ChangedRequest | null;

/**
 * Starts a service in front of `upstream` that responds to or changes some requests; if `answer` returns null, the
 * request is forwarded unchanged. `outgoing` lets `answer` observe the end of the response.
 */
export function startAnsweringProxy(
  upstream: string,
  answer: (arrived: ArrivedRequest, outgoing: ServerResponse) => Decision | Promise<Decision>,
): Promise<TestUpstream> {
  return startUpstream((incoming, outgoing) => {
    void handleRequest(upstream, incoming, outgoing, answer).catch(() => outgoing.destroy());
  });
}

async function handleRequest(
  upstream: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: Parameters<typeof startAnsweringProxy>[1],
): Promise<void> {
  const body = await requestBodyOf(incoming);
  const { method = 'GET', url: target = '/', headers, rawHeaders } = incoming;
  const arrived = { method, target, headers: headerPairs(rawHeaders), body: body.toString('latin1') };
  const decision = await answer(arrived, outgoing);
  if (decision !== null && 'status' in decision) {
    outgoing.writeHead(decision.status, { 'content-type': decision.type ?? 'application/json' });
    outgoing.end(decision.body ?? '{"error":{"message":"No."}}');
    return;
  }
  const forwardedBody = decision === null ? body : Buffer.from(decision.forward, 'latin1');
  const sentHeaders = { ...headers };
  if (forwardedBody.length !== body.length) sentHeaders['content-length'] = String(forwardedBody.length);
  const options = { method, headers: sentHeaders };
  const forwardedRequest = request(new URL(target, upstream), options, (response) => {
    const fields = { ...response.headers };
    const isStream = fields['content-type']?.startsWith('text/event-stream') === true;
    if (isStream && decision?.streamType !== undefined) fields['content-type'] = decision.streamType;
    outgoing.writeHead(response.statusCode ?? 502, fields);
    // Unlike `pipe`, breaks the response off if the upstream does.
    pipeline(response, outgoing, () => {});
  });
  forwardedRequest.on('error', () => outgoing.destroy());
  outgoing.on('close', () => forwardedRequest.destroy());
  forwardedRequest.end(forwardedBody);
}

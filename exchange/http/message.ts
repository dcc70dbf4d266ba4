import type { Body } from './body.ts';
import type { HeaderPairs } from './headers.ts';

export interface HttpMessage {
  readonly headers: HeaderPairs;
  /** Still in its content coding, which `decodedContent` removes. */
  readonly body: Body;
}

export interface HttpRequest {
  /** As sent, such as `POST`. */
  readonly method: string;
  /** Path and query as sent, from `/v1` on for calls of the specification. */
  readonly target: string;
  /** In the order and case in which they were sent. */
  readonly headers: HeaderPairs;
  /** Empty if the request has none. */
  readonly body: Body;
}

export interface Piece {
  readonly offset: number;
  /** When the piece arrived, in milliseconds since the request began. */
  readonly at: number;
}

export interface HttpResponse {
  /** Status code, such as 200. */
  readonly status: number;
  /** Reason phrase; often empty. */
  readonly reason: string;
  /** In the order and case in which they arrived. */
  readonly headers: HeaderPairs;
  /** As received, still in its content coding. */
  readonly body: Body;
  /** Trailer fields: header fields that follow a chunked body. */
  readonly trailers: HeaderPairs;
  /** When each piece of the body arrived; empty if unknown. */
  readonly pieces: readonly Piece[];
}

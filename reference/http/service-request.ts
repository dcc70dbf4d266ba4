import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request as routes and faults see it. Its path is matched and its JSON body is parsed; a form is still unread. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Path parameters by name, percent-decoded. */
  params: Readonly<Record<string, string>>;
  /** Query parameters; a repeated one is a list. A fault may replace them. */
  query: Readonly<Record<string, unknown>>;
  /** The parsed JSON body; undefined without a body, and for a form. A fault may replace it. */
  body: unknown;
  /** The connection's message, to read a form from; null for a request that the service makes to itself. */
  readonly raw: IncomingMessage | null;
}

import type { EndingKind, Exchange, HeaderPairs, Probe } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { traceHeader } from '../../exchange/testing/trace-header.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { fillTemplate, operation, operations } from '../../schemas/index.ts';

export interface RequestSketch {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** In place of `path` and `query`, which are percent-encoded. */
  readonly target?: string;
  readonly body?: Json;
  readonly text?: string;
  readonly form?: readonly { readonly name: string; readonly value: string; readonly filename?: string }[];
  readonly beta?: string;
  readonly headers?: HeaderPairs;
  readonly probe?: Probe;
  /** Size in bytes of a body whose content was not kept; replaces any content given. */
  readonly size?: number;
  /** Number of exchanges that had ended when the request began. Default: all. */
  readonly after?: number;
}

export interface ResponseSketch {
  /** 0 for an exchange without a response. */
  readonly status?: number;
  readonly json?: Json;
  /** Data, or name and data, of each event. */
  readonly events?: readonly (Json | { readonly event: string; readonly data: Json })[];
  readonly text?: string;
  readonly headers?: HeaderPairs;
  readonly how?: EndingKind;
}

const BOUNDARY = 'part-of-a-form';

export class TraceBuilder {
  readonly #exchanges: Exchange[] = [];

  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  add(operationId: string, request: RequestSketch = {}, response: ResponseSketch = {}): Exchange {
    const ended = this.#exchanges.length + 1;
    const exchange: Exchange = {
      id: `e${ended}`,
      after: request.after ?? ended - 1,
      ended,
      scenario: null,
      probe: request.probe ?? null,
      request: createRequest(operationId, request),
      response: response.status === 0 ? null : createResponse(response),
      end: { how: response.how ?? 'complete', detail: null, at: 5 },
    };
    this.#exchanges.push(exchange);
    return exchange;
  }
}

export function testTraceHeader(overrides: Partial<TraceHeader> = {}): TraceHeader {
  const families = operations().flatMap(({ variants }) => variants.map(({ family }) => family));
  return traceHeader({
    claims: { families: [...new Set(families)], how: 'default' },
    allow: ['tokens'],
    key: false,
    ...overrides,
  });
}

/** Texts such as `[DONE]` are sent as they are, other data as JSON. */
function encodeEvents(events: NonNullable<ResponseSketch['events']>): string {
  return events
    .map((event) => {
      const isNamed = typeof event === 'object' && event !== null && 'event' in event && 'data' in event;
      const data = isNamed ? event['data'] : event;
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return `${isNamed ? `event: ${event['event']}\n` : ''}data: ${text}\n\n`;
    })
    .join('');
}

function createRequest(
  operationId: string,
  { path = {}, query, target, body, form, beta, headers: more = [], text, size }: RequestSketch,
): Exchange['request'] {
  const { method, path: template } = operation(operationId);
  const filledPath = fillTemplate(template, (name) => path[name] ?? 'x');
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const bodyText = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = [...more];
  if (beta !== undefined) headers.push(['Vendor-Beta', beta]);
  if (form !== undefined) headers.push(['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`]);
  else if (bodyText !== undefined) headers.push(['Content-Type', 'application/json']);
  const content = form === undefined ? (bodyText ?? '') : encodeForm(form);
  return {
    method,
    target: target ?? filledPath + search,
    headers,
    body: size === undefined ? Body.from(content) : Body.digest('a'.repeat(64), size),
  };
}

function encodeForm(parts: NonNullable<RequestSketch['form']>): string {
  const text = parts.map(({ name, value, filename }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return `${text.join('')}--${BOUNDARY}--\r\n`;
}

function createResponse({
  status = 200,
  json,
  events,
  text = '',
  headers,
}: ResponseSketch): Exchange['response'] {
  const content = json === undefined ? text : JSON.stringify(json);
  const type = events === undefined ? 'application/json' : 'text/event-stream';
  return {
    status,
    reason: '',
    headers: headers ?? [['content-type', type]],
    body: Body.from(events === undefined ? content : encodeEvents(events)),
    trailers: [],
    pieces: [],
  };
}

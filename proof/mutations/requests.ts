import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { Body, type FormDataPart } from '../../exchange/http/body.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { operationOf, queryOf, targetPath } from '../../judge/trace/call.ts';
import { editedTrace, withContent, withField } from './exchanges.ts';
import type { Edit } from './values.ts';

const BOUNDARY = 'assay-mutant';

/** Makes the exchange look as if a client had sent it: without scenario and probe label. */
export function withoutLabel(exchange: Exchange): Exchange {
  return { ...exchange, scenario: null, probe: null };
}

export function withRequestBody(exchange: Exchange, content: string | Uint8Array): Exchange {
  return withRequest(exchange, (request) => withContent(request, content));
}

/** Returns the same exchange if its request has no JSON, or if the edit does not apply. */
export function withRequestJson(exchange: Exchange, edit: Edit): Exchange {
  const json = jsonContent(exchange.request);
  if (json === undefined) return exchange;
  const edited = edit(json);
  return edited === json ? exchange : withRequestBody(exchange, JSON.stringify(edited));
}

export function withRequestHeader(exchange: Exchange, name: string, value: string | null): Exchange {
  return withRequest(exchange, (request) => ({
    ...request,
    headers: withField(request.headers, name, value),
  }));
}

export function withRequestQuery(exchange: Exchange, name: string, value: string): Exchange {
  return withRequest(exchange, (request) => {
    const query = queryOf(request);
    query.set(name, value);
    return { ...request, target: `${targetPath(request.target)}?${query}` };
  });
}

export function withRequest(exchange: Exchange, change: (request: HttpRequest) => HttpRequest): Exchange {
  return { ...exchange, request: change(exchange.request) };
}

/** Edits the request of every exchange of these operations; null if that changes none. */
export function inEveryRequest(
  operations: readonly string[],
  edit: (exchange: Exchange) => Exchange,
): Mutation {
  return (trace) =>
    editedTrace(trace, (exchange) =>
      operations.includes(operationOf(exchange.request)?.operation.id ?? '') ? edit(exchange) : exchange,
    );
}

export interface SentFile {
  /** The file name from `Content-Disposition`; written back without escaping. */
  readonly filename: string;
  /** Content of the part; empty if the recording lacks it. */
  readonly bytes: Uint8Array;
}

function isFileOf(field: string, { name, filename }: FormDataPart): boolean {
  return name === field && filename !== null;
}

/** Returns the same exchange if its request has no file in this form field. */
export function withFile(exchange: Exchange, field: string, change: (file: SentFile) => SentFile): Exchange {
  const parts = formDataParts(exchange.request);
  if (!parts?.some((part) => isFileOf(field, part))) return exchange;
  const pieces = parts.flatMap((part) => {
    const bytes = part.body.bytes ?? new Uint8Array(0);
    const file = isFileOf(field, part)
      ? change({ filename: part.filename ?? '', bytes })
      : { filename: part.filename, bytes };
    const parameter = file.filename === null ? '' : `; filename="${file.filename}"`;
    const type = firstHeader(part.headers, 'content-type');
    const typeLine = type === null ? '' : `Content-Type: ${type}\r\n`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${part.name ?? ''}"${parameter}\r\n${typeLine}\r\n`;
    return [Buffer.from(head), file.bytes, Buffer.from('\r\n')];
  });
  const changed = withRequestBody(exchange, Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]));
  return withRequestHeader(changed, 'content-type', `multipart/form-data; boundary=${BOUNDARY}`);
}

/** Sets the size in bytes of the file in a form field, in every request of these operations; drops its content. */
export function withFileSize(operations: readonly string[], field: string, size: number): Mutation {
  return inEveryRequest(operations, (exchange) => {
    const parts = formDataParts(exchange.request);
    if (!parts?.some((part) => isFileOf(field, part))) return exchange;
    const large = Body.unknown(size);
    const changed = parts.map((part) => (isFileOf(field, part) ? { ...part, body: large } : part));
    const body = Body.digest(Body.unknownSha256, size, changed);
    const enlarged = withRequest(exchange, (request) => ({ ...request, body }));
    return withRequestHeader(enlarged, 'content-length', null);
  });
}

import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { operationOf } from '../../judge/trace/call.ts';
import { allEdits, type Edit } from './values.ts';

/** Makes the exchange look as if a client had sent it: without scenario and probe label. */
export function withoutLabel(exchange: Exchange): Exchange {
  return { ...exchange, scenario: null, probe: null };
}

/** The exchange with another request body. A content coding is removed. */
export function withRequestBody(exchange: Exchange, content: string | Uint8Array): Exchange {
  return withRequest(exchange, (request) => {
    const body = Body.of(content);
    const headers = request.headers
      .filter(([name]) => name.toLowerCase() !== 'content-encoding')
      .map(([name, value]) =>
        name.toLowerCase() === 'content-length'
          ? ([name, String(body.size)] as const)
          : ([name, value] as const),
      );
    return { ...request, headers, body };
  });
}

/** The same exchange if it has no JSON, or if the edit does not apply. */
export function withRequestJson(exchange: Exchange, edit: Edit): Exchange {
  const json: { readonly value: Json } | null = decodedContent(exchange.request)?.json ?? null;
  if (json === null) return exchange;
  const changed = edit(json.value);
  return changed === json.value ? exchange : withRequestBody(exchange, JSON.stringify(changed));
}

/** Null removes all headers of the name. */
export function withRequestHeader(exchange: Exchange, name: string, value: string | null): Exchange {
  return withRequest(exchange, (request) => {
    const others = request.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
    return { ...request, headers: value === null ? others : [...others, [name, value]] };
  });
}

export function withRequestQuery(exchange: Exchange, name: string, value: string): Exchange {
  return withRequest(exchange, (request) => {
    const [path = '', search = ''] = request.target.split('?', 2);
    const query = new URLSearchParams(search);
    query.set(name, value);
    return { ...request, target: `${path}?${query}` };
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
  return (trace) => {
    const changed = trace.map((exchange) =>
      operations.includes(operationOf(exchange.request)?.operation.id ?? '') ? edit(exchange) : exchange,
    );
    return changed.some((exchange, i) => exchange !== trace[i]) ? changed : null;
  };
}

/** Edits the JSON body of every request of these operations; several edits are applied in order. */
export function inRequest(operations: readonly string[], ...edits: readonly Edit[]): Mutation {
  const edit = allEdits(...edits);
  return inEveryRequest(operations, (exchange) => withRequestJson(exchange, edit));
}

export interface SentFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** Replaces the bytes of a file in every request of these operations. */
export function inFilePart(
  operations: readonly string[],
  name: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Mutation {
  return inFile(operations, name, (file) => ({ ...file, bytes: change(file.bytes) }));
}

/** Replaces a file, with its name, in every request of these operations. */
export function inFile(
  operations: readonly string[],
  name: string,
  change: (file: SentFile) => SentFile,
): Mutation {
  return inEveryRequest(operations, (exchange) => withFile(exchange, name, change));
}

/** Separates the parts of a rewritten form. */
const BOUNDARY = 'assay-mutant';

/** The same exchange if it has no such file. */
export function withFile(exchange: Exchange, name: string, change: (file: SentFile) => SentFile): Exchange {
  const parts = formDataParts(exchange.request);
  if (parts === null || !parts.some((part) => part.name === name && part.filename !== null)) return exchange;
  const pieces = parts.flatMap((part) => {
    const bytes = part.body.bytes ?? new Uint8Array(0);
    const isMeant = part.name === name && part.filename !== null;
    const file = isMeant
      ? change({ filename: part.filename ?? '', bytes })
      : { filename: part.filename, bytes };
    const label = file.filename === null ? '' : `; filename="${file.filename}"`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${part.name ?? ''}"${label}\r\n\r\n`;
    return [Buffer.from(head), file.bytes, Buffer.from('\r\n')];
  });
  const changed = withRequestBody(exchange, Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]));
  const headers = changed.request.headers.map(([key, value]) =>
    key.toLowerCase() === 'content-type'
      ? ([key, `multipart/form-data; boundary=${BOUNDARY}`] as const)
      : ([key, value] as const),
  );
  return { ...changed, request: { ...changed.request, headers } };
}

/** Sets the size of a file, in bytes, in every request of these operations; its content is not kept. */
export function withFileSize(operations: readonly string[], name: string, size: number): Mutation {
  return inEveryRequest(operations, (exchange) => {
    const parts = formDataParts(exchange.request);
    if (parts === null) return exchange;
    const large = Body.digest('0'.repeat(64), size);
    const changed = parts.map((part) =>
      part.name === name && part.filename !== null ? { ...part, body: large } : part,
    );
    const headers = exchange.request.headers.filter(([key]) => key.toLowerCase() !== 'content-length');
    const body = Body.digest('0'.repeat(64), size, changed);
    return { ...exchange, request: { ...exchange.request, headers, body } };
  });
}

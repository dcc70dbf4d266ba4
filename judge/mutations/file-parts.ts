// Edits of the files in the forms that a client sends, for mutants.
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { Mutation } from '../requirements/requirement.ts';
import { inEveryRequest, withRequestBody } from './requests.ts';

/** A file of a form: its name and its bytes. */
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

/** The exchange with the whole form of its request written anew, with one file changed; the same exchange if there is none. */
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

/** Makes a file as large as this, in bytes, in every request of these operations; its content is not kept. */
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

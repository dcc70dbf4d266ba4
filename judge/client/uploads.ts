import { Body, type FormDataPart, type Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { Call } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';

export const UPLOAD_OPERATION = 'createFile';
export const BATCH_ENDPOINTS: readonly string[] = [
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/completions',
];
/** Maximum size of a file that is read line by line. */
const MAX_READABLE_BYTES = 8 * 1024 * 1024;

export interface UploadedLine {
  /** The place for findings, such as `request file file line 3`. Empty lines are counted. */
  readonly at: string;
  readonly text: string;
}

export function uploadedFile({ exchange }: Call): FormDataPart | undefined {
  return formDataParts(exchange.request)?.find(({ name, filename }) => name === 'file' && filename !== null);
}

export function isReadable({ body }: FormDataPart): boolean {
  return body.size <= MAX_READABLE_BYTES && body.text !== null;
}

export function uploadedLines(call: Call): readonly UploadedLine[] {
  const text = uploadedFile(call)?.body.text ?? '';
  return text
    .split(/\r?\n/)
    .flatMap((line, i) =>
      line.trim() === '' ? [] : [{ at: `request file file line ${i + 1}`, text: line }],
    );
}

/** The lines that are JSON; empty unless the call uploads a readable batch file. */
export function batchLinesOf(call: Call): readonly { readonly at: string; readonly value: Json }[] {
  if (call.operation.id !== UPLOAD_OPERATION || textAt(call.sentJson, 'purpose') !== 'batch') return [];
  const file = uploadedFile(call);
  if (file === undefined || !isReadable(file)) return [];
  return uploadedLines(call).flatMap(({ at, text }) => {
    const parsed = parseBoundedJson(text);
    return parsed === null ? [] : [{ at, value: parsed.value }];
  });
}

/**
 * Parses the requests as if they had been sent separately. Leaves out lines without a body object or for an
 * unknown endpoint.
 */
export function* batchedRequests(call: Call): Generator<{ readonly call: Call; readonly at: string }> {
  for (const { at, value } of batchLinesOf(call)) {
    const url = textAt(value, 'url') ?? '';
    if (!isJsonObject(value) || !isJsonObject(value['body']) || !BATCH_ENDPOINTS.includes(url)) continue;
    const body = Body.from(JSON.stringify(value['body']));
    const headers = [['content-type', 'application/json']] as const;
    const request = { ...call.exchange.request, method: 'POST', target: url, headers, body };
    const separateCall = Call.from({ ...call.exchange, request }, '');
    if (separateCall !== null) yield { call: separateCall, at };
  }
}

import { File } from 'node:buffer';
import { ReadableStream } from 'node:stream/web';
import { FormData, Response } from 'undici';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { fillTemplate, type Operation, operation as operationOf } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { CallInput, FormPart, RepeatedPart } from '../scenario/scenario.ts';
import type { OutgoingRequest, StreamingBody } from './target.ts';

const CREDENTIAL_FIELD = /^(authorization|(x-)?api-key)$/i;
const ACCOUNT_FIELD = /^(authorization|(x-)?api-key|.*-(organization|project))$/i;
export const WRONG_KEY = 'assay-wrong-key-00000000000000000000';

type RequestSettings = Pick<RunConfiguration, 'apiKey' | 'headers' | 'betaHeader' | 'dialect' | 'version'> &
  Partial<Pick<RunConfiguration, 'secondKey'>>;

const CHUNK_BYTES = 64 * 1024;

/** Rejects with TypeError if a path parameter has no value. */
export async function encodeRequest(
  settings: RequestSettings,
  operationId: string,
  input: CallInput,
): Promise<OutgoingRequest> {
  const operation = operationOf(operationId);
  const payload = await encodePayload(input);
  return {
    method: operation.method,
    target: encodeTarget(operation, settings, input),
    headers: encodeHeaders(operation, settings, input, payload?.type ?? null),
    body: payload?.body ?? null,
    abortAfter: input.abortAfter,
  };
}

function encodeTarget(operation: Operation, settings: RequestSettings, input: CallInput): string {
  const mainPath = settings.dialect?.paths[operation.path] ?? operation.path;
  const template = input.otherPath === true ? (operation.otherPath ?? mainPath) : mainPath;
  const path = fillTemplate(template, (name) => {
    const value = input.path?.[name];
    if (value === undefined) throw new TypeError(`${operation.id} needs a value for {${name}} in its path.`);
    return value;
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) query.append(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Fields of configuration and call replace assay's own; `auth` replaces or removes their keys. */
function encodeHeaders(
  operation: Operation,
  settings: RequestSettings,
  input: CallInput,
  contentType: string | null,
): HeaderPairs {
  const { auth } = input;
  const keys = { wrong: WRONG_KEY, second: settings.secondKey?.key ?? null, absent: null };
  const key = auth === undefined ? settings.apiKey : keys[auth];
  const beta = findBetaValue(operation, input, settings);
  const defaults: (readonly [string, string])[] = [
    ['user-agent', 'assay'],
    ['accept', '*/*'],
  ];
  if (key !== null) defaults.push(['authorization', `Bearer ${key}`]);
  if (beta !== null) defaults.push([settings.betaHeader, beta]);
  if (contentType !== null) defaults.push(['content-type', contentType]);
  const overrides = [...settings.headers, ...Object.entries(input.headers ?? {})];
  const overriddenNames = new Set(overrides.map(([name]) => name.toLowerCase()));
  const fields = [...defaults.filter(([name]) => !overriddenNames.has(name.toLowerCase())), ...overrides];
  if (auth === undefined) return fields;
  const keyField = auth === 'second' ? ACCOUNT_FIELD : CREDENTIAL_FIELD;
  const withoutKey = fields.filter(([name]) => !keyField.test(name));
  return key === null ? withoutKey : [...withoutKey, ['authorization', `Bearer ${key}`]];
}

/**
 * The value that selects the variant of the call, even one that the operation lacks; by default the version that the
 * target serves, or the first variant. Null if no beta header is sent.
 */
function findBetaValue(
  { variants }: Operation,
  input: CallInput,
  { version }: RequestSettings,
): string | null {
  if (input.variant === 'none') return null;
  const name = input.variant ?? (variants[0]?.beta == null ? undefined : version);
  if (name === undefined) return variants[0]?.beta ?? null;
  const variant = variants.find((candidate) => candidate.name === name);
  return variant === undefined ? `assistants=${name}` : variant.beta;
}

interface Payload {
  readonly body: Uint8Array | StreamingBody;
  readonly type: string;
}

async function encodePayload(input: CallInput): Promise<Payload | null> {
  if (input.form !== undefined) return encodeForm(input.form);
  if (input.body === undefined) return null;
  return { body: Buffer.from(JSON.stringify(input.body)), type: 'application/json' };
}

async function encodeForm(parts: readonly FormPart[]): Promise<Payload> {
  const encoded = new Response(buildForm(parts, (part) => new RepeatedFile(part)));
  const type = encoded.headers.get('content-type') ?? 'multipart/form-data';
  const repeated = parts.filter((part): part is RepeatedPart => 'repeated' in part);
  if (repeated.length === 0 || encoded.body === null)
    return { body: new Uint8Array(await encoded.arrayBuffer()), type };
  // The form without the contents of its repeated files, so that both sizes add up to that of the real form.
  const emptyForm = await new Response(
    buildForm(parts, ({ filename, type }) => new File([], filename, { type })),
  ).arrayBuffer();
  const size = repeated.reduce((sum, { repeated }) => sum + repeated.bytes, emptyForm.byteLength);
  return { body: { size, chunks: encoded.body }, type };
}

function buildForm(parts: readonly FormPart[], createFile: (part: RepeatedPart) => File): FormData {
  const form = new FormData();
  for (const part of parts) {
    if ('repeated' in part) form.append(part.name, createFile(part));
    else if ('file' in part)
      form.append(part.name, new File([part.file], part.filename, { type: part.type }));
    else form.append(part.name, part.value);
  }
  return form;
}

class RepeatedFile extends File {
  readonly #text: Buffer;
  readonly #bytes: number;

  constructor({ repeated, filename, type }: RepeatedPart) {
    super([], filename, { type });
    this.#text = Buffer.from(repeated.text);
    this.#bytes = repeated.bytes;
    // Overrides the inherited accessor, which counts only the bytes in memory.
    Object.defineProperty(this, 'size', { value: repeated.bytes });
  }

  override stream(): ReadableStream<Uint8Array> {
    const text = this.#text;
    const chunk = Buffer.alloc(text.length * Math.max(1, Math.floor(CHUNK_BYTES / text.length)), text);
    let remaining = this.#bytes;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = Math.min(remaining, chunk.length);
        remaining -= size;
        // A copy, because a consumer may detach the buffer, which the next chunk needs again.
        if (size > 0) controller.enqueue(new Uint8Array(chunk.subarray(0, size)));
        if (remaining === 0) controller.close();
      },
    });
  }
}

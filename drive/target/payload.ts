import { File } from 'node:buffer';
import { ReadableStream } from 'node:stream/web';
import { FormData, Response } from 'undici';
import type { CallInput, FormPart, RepeatedPart } from '../scenario/scenario.ts';

/** A body that is made while it is sent, once. */
export interface StreamingBody {
  /** In bytes. */
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** An encoded body with its media type, boundary included. */
export interface Payload {
  readonly body: Uint8Array | StreamingBody;
  readonly type: string;
}

/** Bytes of one chunk of a streamed file. */
const CHUNK = 64 * 1024;

/** The body of a call as JSON or as a form, or null where it has none. */
export async function payloadOf(input: CallInput): Promise<Payload | null> {
  if (input.form !== undefined) return multipart(input.form);
  if (input.body === undefined) return null;
  return { body: Buffer.from(JSON.stringify(input.body)), type: 'application/json' };
}

/**
 * A form as the platform encodes it, so that it is what a client in JavaScript sends. Its size is computed
 * before it is sent.
 */
async function multipart(parts: readonly FormPart[]): Promise<Payload> {
  const encoded = new Response(formOf(parts, (part) => new RepeatedFile(part)));
  const type = encoded.headers.get('content-type') ?? 'multipart/form-data';
  const repeated = parts.filter((part): part is RepeatedPart => 'repeated' in part);
  if (repeated.length === 0 || encoded.body === null)
    return { body: new Uint8Array(await encoded.arrayBuffer()), type };
  // Everything else is as long as in a form where nothing is repeated.
  const bare = await new Response(
    formOf(parts, ({ filename, type }) => new File([], filename, { type })),
  ).arrayBuffer();
  const size = repeated.reduce((sum, { repeated }) => sum + repeated.bytes, bare.byteLength);
  return { body: { size, chunks: encoded.body }, type };
}

/** The parts in their order. `pour` makes the file of a part that is too large for memory. */
function formOf(parts: readonly FormPart[], pour: (part: RepeatedPart) => File): FormData {
  const form = new FormData();
  for (const part of parts) {
    if ('repeated' in part) form.append(part.name, pour(part));
    else if ('file' in part)
      form.append(part.name, new File([part.file], part.filename, { type: part.type }));
    else form.append(part.name, part.value);
  }
  return form;
}

/** A file of one text again and again, which never is in memory as a whole. */
class RepeatedFile extends File {
  readonly #text: Buffer;
  readonly #bytes: number;

  constructor({ repeated, filename, type }: RepeatedPart) {
    super([], filename, { type });
    this.#text = Buffer.from(repeated.text);
    this.#bytes = repeated.bytes;
    // The size of a File is an accessor of its prototype, which knows only what is in memory.
    Object.defineProperty(this, 'size', { value: repeated.bytes });
  }

  override stream(): ReadableStream<Uint8Array> {
    const text = this.#text;
    const whole = Buffer.alloc(text.length * Math.max(1, Math.floor(CHUNK / text.length)), text);
    let left = this.#bytes;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = Math.min(left, whole.length);
        left -= size;
        // The stream takes the memory of what it is given.
        if (size > 0) controller.enqueue(new Uint8Array(whole.subarray(0, size)));
        if (left === 0) controller.close();
      },
    });
  }
}

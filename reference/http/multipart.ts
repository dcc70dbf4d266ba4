import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { ApiError } from '../server/api-error.ts';

/** 2 Limits: a single uploaded file, in bytes. */
const largestFile = 512 * 1024 * 1024;

const limits = { fileSize: largestFile, fieldSize: 16 * 1024 * 1024, fields: 1000, files: 16, parts: 1000 };

/** A file part while it arrives. */
export interface FilePart {
  readonly field: string;
  readonly filename: string;
  /** Its media type, without parameters. */
  readonly type: string;
  readonly stream: Readable;
}

/** Receives the parts of a form in the order in which they arrive. */
export interface PartReceiver {
  /** A value; of a part that declares itself as JSON, the parsed one. */
  readonly field: (name: string, value: unknown) => void;
  /** Must read the stream to its end; the next part waits for that. */
  readonly file: (part: FilePart) => Promise<void>;
}

/**
 * Reads a multipart body and returns when every part has been received. When it throws, no part is being received any more,
 * and what is left of the body is unread.
 * @throws ApiError 413 over the limits; Error when the body is not a form or ends early.
 */
export async function readParts(message: IncomingMessage, receiver: PartReceiver): Promise<void> {
  const parser = new Busboy({ headers: { ...message.headers, 'content-type': typeOf(message) }, limits });
  const receiving: Promise<void>[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const open = new Set<Readable>();
      // An empty body is a form without parts, although the parser reports an unexpected end.
      let isEmpty = true;
      const fail = (error: Error): void => {
        message.unpipe(parser);
        for (const stream of open) stream.destroy(error);
        reject(error);
      };
      parser.on('error', (error: Error) => (isEmpty ? resolve() : fail(error))).once('finish', resolve);
      failOnLimits(parser, fail);
      parser.on('field', (...[name, value, , truncated, , type]) => {
        const taken = valueIn({ name, value, type, truncated });
        if (taken instanceof Error) fail(taken);
        else receiver.field(name, taken);
      });
      parser.on('file', (...[field, stream, filename, , type]) => {
        open.add(stream);
        stream
          .on('error', fail)
          .once('limit', () => fail(tooLarge(field)))
          .once('close', () => open.delete(stream));
        if (field in Object.prototype) fail(new Error(`'${field}' is not allowed as a name`));
        receiving.push(receiver.file({ field, filename, type, stream }).catch(fail));
      });
      message.once('data', () => (isEmpty = false));
      message.once(
        'close',
        () => message.readableEnded || fail(new Error('the request ended before the form did')),
      );
      message.pipe(parser);
    });
  } finally {
    await Promise.all(receiving);
  }
}

/** Rejects a form with too many parts, files or fields. */
function failOnLimits(parser: InstanceType<typeof Busboy>, fail: (error: Error) => void): void {
  for (const [event, parts] of [
    ['partsLimit', 'parts'],
    ['filesLimit', 'files'],
    ['fieldsLimit', 'fields'],
  ] as const)
    parser.once(event, () => fail(new ApiError(413, `The form is too large: it has too many ${parts}.`)));
}

function typeOf({ headers }: IncomingMessage): string {
  return headers['content-type'] ?? '';
}

interface Field {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  /** Whether the value was longer than is read. */
  readonly truncated: boolean;
}

/** The value of a field, or the error that rejects the form. */
function valueIn({ name, value, type, truncated }: Field): unknown {
  if (name in Object.prototype) return new Error(`'${name}' is not allowed as a name`);
  if (truncated) return new ApiError(413, `'${name}' is longer than ${limits.fieldSize} bytes; send less.`);
  if (!type.startsWith('application/json')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return new Error(`'${name}' is declared as JSON and is not valid JSON`);
  }
}

function tooLarge(field: string): ApiError {
  return new ApiError(413, `'${field}' is larger than 512 MB; upload a smaller file.`, { param: field });
}

import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { contentCodings, decodedContent } from '../http/content.ts';
import { isEventStream } from '../http/event-stream.ts';
import { formDataParts } from '../http/form-data.ts';
import { DiffingFilter } from '../redaction/byte-filter.ts';
import { gunzip, isGzip } from '../redaction/packed-file.ts';
import { contentReadings } from '../redaction/readings.ts';
import { Redactor } from '../redaction/redactor.ts';
import { findSecretShapes } from '../redaction/secret-shapes.ts';
import { type Cassette, openEvenInUse } from './cassette.ts';
import { CassetteError } from './cassette-error.ts';
import { entryKind, openRegular, regularFilesIn } from './entries.ts';
import { holdsRecording, recordingDir } from './folder.ts';
import { readFileLines } from './line-reader.ts';

/** A place in a file that holds a secret. */
export interface DetectedSecret {
  /** Path of the file. */
  readonly file: string;
  /** Line number, from 1; null if no single line holds the secret, or its line is unknown, as in a blob. */
  readonly line: number | null;
  /** The kind of secret, without its value; with `known-and-shapes`, also whether only decoded content shows it. */
  readonly what: string;
}

/** `known`: the secrets of a redactor; `known-and-shapes`: also text that looks like a secret. */
type SecretKinds = 'known' | 'known-and-shapes';

const KNOWN_SECRET = 'a known secret';
const DECODED_SUFFIX = ' in decoded content';
/** Maximum size in bytes of a file outside a cassette that is searched by line; a larger one is not decoded either. */
const MAX_LINEWISE_BYTES = 256 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
const WINDOW_BYTES = 1024 * 1024;
/** Bytes by which windows overlap by default: more than the length of secrets in practice. */
const OVERLAP_BYTES = 64 * 1024;
const MAY_HIDE_CONTENT = /^\{"e":"(?:event|raw)"|content-encoding|"base64":"H4sI|"blob":/im;
/** Maximum unpacked size in bytes of a gzip file that is searched although no header declares it. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

/**
 * Searches the lines and blobs, the content of compressed bodies, and the text that the deltas of streams add up to.
 * Throws CassetteError if the cassette is damaged and no secret was found.
 */
export function scanForSecrets(cassette: string, redactor: Redactor, kinds: SecretKinds): DetectedSecret[] {
  // An interrupted first recording exists only in the folder next to its destination.
  const recording = recordingDir(cassette);
  const dir = holdsRecording(cassette) || !holdsRecording(recording) ? cassette : recording;
  const secrets: DetectedSecret[] = [];
  for (const name of ['cassette.jsonl', 'timing.jsonl', 'journal.jsonl']) {
    const file = join(dir, name);
    if (entryKind(file) !== null) secrets.push(...scanLines(file, redactor, kinds));
  }
  for (const file of regularFilesIn(join(dir, 'blobs'))) secrets.push(...scanFile(file, redactor, kinds));
  const decoded =
    kinds === 'known' ? scanHiddenContent(dir, redactor) : scanReadings(dir, redactor, [...secrets]);
  try {
    for (const secret of decoded) secrets.push(secret);
  } catch (error) {
    // A damaged cassette may still hold a secret, in its bytes or before the damage.
    if (secrets.length === 0 || !(error instanceof CassetteError)) throw error;
  }
  return secrets;
}

/** Searches `cassette.jsonl` and the blobs without decoding them. Null if they are larger than `maxBytes`. */
export function scanQuickly(dir: string, maxBytes: number): DetectedSecret[] | null {
  const lines = join(dir, 'cassette.jsonl');
  const blobs = regularFilesIn(join(dir, 'blobs'));
  const size = [lines, ...blobs].reduce((sum, file) => sum + statSync(file).size, 0);
  if (size > maxBytes) return null;
  const redactor = new Redactor();
  return [
    ...scanLines(lines, redactor, 'known-and-shapes'),
    ...blobs.flatMap((file) => scanFile(file, redactor, 'known-and-shapes')),
  ];
}

/** Null for a file that seems to be binary or UTF-16. Follows links, which only a cassette must not contain. */
export function scanFileForSecrets(file: string, redactor: Redactor): DetectedSecret[] | null {
  return scanTextFile(realpathSync(file), redactor)?.map((secret) => ({ ...secret, file })) ?? null;
}

function scanTextFile(file: string, redactor: Redactor): DetectedSecret[] | null {
  if (!isText(file)) return null;
  const { size } = statSync(file);
  if (size > MAX_LINEWISE_BYTES) return scanFile(file, redactor, 'known-and-shapes');
  const secrets = scanLines(file, redactor, 'known-and-shapes');
  let line = 0;
  for (const { bytes } of readFileLines(file)) {
    line += 1;
    const reported = secrets.filter((secret) => secret.line === line);
    for (const what of decodedSecrets(contentReadings(bytes), redactor, reported))
      secrets.push({ file, line, what });
  }
  // JSON and streams can span several lines.
  if (line > 1 && size <= MAX_DOCUMENT_BYTES)
    for (const what of decodedSecrets(contentReadings(readFileSync(file)), redactor, secrets))
      secrets.push({ file, line: null, what });
  return secrets;
}

function decodedSecrets(
  readings: Iterable<string>,
  redactor: Redactor,
  reported: readonly DetectedSecret[],
): string[] {
  const found = new Set<string>();
  for (const text of readings) {
    for (const what of findSecretShapes(text)) found.add(what);
    if (redactor.find(Buffer.from(text)) !== -1) found.add(KNOWN_SECRET);
  }
  for (const { what } of reported) found.delete(what.replace(DECODED_SUFFIX, ''));
  return [...found].map((what) => `${what}${DECODED_SUFFIX}`);
}

/** Compressed files and UTF-16 usually have zero bytes near their beginning. */
function isText(file: string): boolean {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(64 * 1024);
    return !head.subarray(0, readSync(fd, head, 0, head.length, 0)).includes(0);
  } finally {
    closeSync(fd);
  }
}

function scanLines(file: string, redactor: Redactor, kinds: SecretKinds): DetectedSecret[] {
  const secrets: DetectedSecret[] = [];
  let line = 0;
  for (const { bytes } of readFileLines(file)) {
    line += 1;
    if (redactor.find(bytes) !== -1) secrets.push({ file, line, what: KNOWN_SECRET });
    if (kinds === 'known-and-shapes')
      for (const what of findSecretShapes(bytes.toString())) secrets.push({ file, line, what });
  }
  return secrets;
}

function scanFile(file: string, redactor: Redactor, kinds: SecretKinds): DetectedSecret[] {
  const found = new Set<string>();
  for (const bytes of windowsOf(file)) {
    if (redactor.find(bytes) !== -1) found.add(KNOWN_SECRET);
    if (kinds === 'known-and-shapes')
      for (const what of findSecretShapes(bytes.toString('latin1'))) found.add(what);
  }
  return [...found].map((what) => ({ file, line: null, what }));
}

function scanHiddenContent(dir: string, redactor: Redactor): Generator<DetectedSecret> {
  return scanExchanges(dir, (cassette, k) => {
    if (!MAY_HIDE_CONTENT.test(cassette.lines(k).toString('latin1'))) return [];
    const { request, response } = cassette.exchange(k);
    const messages = response === null ? [request] : [request, response];
    return messages.some((message) => hidesSecret(message, redactor)) ? [KNOWN_SECRET] : [];
  });
}

function scanReadings(
  dir: string,
  redactor: Redactor,
  found: readonly DetectedSecret[],
): Generator<DetectedSecret> {
  return scanExchanges(dir, (cassette, k, lines) => {
    const { request, response } = cassette.exchange(k);
    const reported = found.filter(({ file, line }) => {
      // Blobs and lines of a journal belong to no single exchange.
      if (lines === null || line === null) return true;
      // The line after the header of the timing file belongs to the first exchange.
      return basename(file) === 'timing.jsonl' ? line === k + 2 : line >= lines.from && line < lines.to;
    });
    return decodedSecrets(exchangeReadings(request, response), redactor, reported);
  });
}

type LineRange = { readonly from: number; readonly to: number } | null;

function* scanExchanges(
  dir: string,
  search: (cassette: Cassette, k: number, lines: LineRange) => readonly string[],
): Generator<DetectedSecret> {
  const journal = join(dir, 'journal.jsonl');
  const isFinished = entryKind(journal) === null;
  const file = isFinished ? join(dir, 'cassette.jsonl') : journal;
  const cassette = openEvenInUse(dir);
  try {
    const starts = isFinished ? cassette.firstLines() : null;
    for (let k = 0; k < cassette.size; k += 1) {
      const lines = starts && { from: starts[k] ?? 0, to: starts[k + 1] ?? Number.POSITIVE_INFINITY };
      for (const what of search(cassette, k, lines)) yield { file, line: lines?.from ?? null, what };
    }
  } finally {
    cassette.close();
  }
}

function* exchangeReadings(request: HttpRequest, response: HttpResponse | null): Generator<string> {
  yield* contentReadings(Buffer.from(request.target));
  for (const message of response === null ? [request] : [request, response]) {
    for (const [, value] of message.headers) yield* contentReadings(Buffer.from(value));
    const content = decodedContent(message)?.bytes ?? message.body.bytes;
    for (const { body } of formDataParts(message) ?? [])
      if (body.bytes !== null) yield* contentReadings(body.bytes);
    if (content !== null) yield* contentReadings(content);
    else if (message.body.file !== null)
      for (const window of windowsOf(message.body.file)) yield* contentReadings(window);
  }
}

/** All windows share one buffer. Each begins with the last `overlap` bytes of the previous one. */
function* windowsOf(file: string, overlap = OVERLAP_BYTES): Generator<Buffer> {
  const fd = openRegular(file);
  try {
    const window = Buffer.allocUnsafe(WINDOW_BYTES);
    for (let kept = 0; ; ) {
      const count = readSync(fd, window, kept, window.length - kept, null);
      if (count === 0) return;
      const bytes = window.subarray(0, kept + count);
      yield bytes;
      kept = Math.min(overlap, bytes.length);
      window.copyWithin(0, bytes.length - kept, bytes.length);
    }
  } finally {
    closeSync(fd);
  }
}

function hidesSecret(message: HttpRequest | HttpResponse, redactor: Redactor): boolean {
  const { bytes, file } = message.body;
  const decoded = decodedContent(message)?.bytes ?? null;
  if (isEventStream(message)) {
    // The deltas of a stream that is too long to be read whole are in its file.
    const undecoded = file === null ? [] : windowsOf(file, 0);
    const pieces = decoded === null ? undecoded : [decoded];
    const filter = new DiffingFilter(redactor.createStreamSearch());
    for (const piece of pieces) filter.push(piece);
    filter.finish();
    return filter.isChanged;
  }
  if (contentCodings(message.headers).length > 0) return decoded !== null && redactor.find(decoded) !== -1;
  const content = bytes !== null && isGzip(bytes) ? gunzip(bytes, MAX_UNPACKED_BYTES) : null;
  return content !== null && redactor.find(content) !== -1;
}

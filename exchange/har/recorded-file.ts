import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { isObject } from '../../schemas/json.ts';
import { validatorOf } from '../cassette/format-validators.ts';
import { endOfString, isTooDeep } from '../http/json-text.ts';
import { jsonSyntaxError } from '../json-file.ts';
import { FormatError, type Har, type HarEntry, HarError } from './format.ts';
import { flowEntries } from './mitmproxy.ts';
import { isNetString } from './net-strings.ts';
import { isNockRecording, nockEntries } from './nock.ts';
import { type PlainEntry, toHarEntry } from './plain-entry.ts';
import type { RecordedFileKind } from './recorded-file-kind.ts';
import { pairEntries, requestPairs } from './request-pairs.ts';
import { looksLikeVcr, readYaml, vcrCassette, vcrEntries } from './vcr.ts';

interface RecordedEntries {
  readonly kind: RecordedFileKind;
  readonly entries: readonly HarEntry[];
  readonly ours: Har['log']['_assay'];
}

/** Maximum size in bytes of a file: several copies of it are held in memory. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

const CASSETTE_FILE = /(?:^|[\\/])(?:cassette|timing|journal)\.jsonl$/;

export async function readRecordedFile(file: string): Promise<RecordedEntries> {
  if (CASSETTE_FILE.test(file))
    throw new HarError(
      `${file} is part of a cassette. Name the folder of the cassette instead: ${dirname(file)}.`,
    );
  const bytes = readBytes(file);
  try {
    // The kind is determined by the content, because file names say little.
    if (isNetString(bytes)) return fromPlainEntries(flowEntries(bytes), 'flow file');
    const text = bytes.toString().replace(/^\uFEFF/, '');
    if (text.trim() === '') throw new HarError(`${file} is empty. Record the traffic again.`);
    const document =
      /^\s*[{[]/.test(text) || !looksLikeVcr(text) ? parseJson(file, text) : await readYaml(text);
    if (isNockRecording(document)) return fromPlainEntries(nockEntries(document), 'recording of nock');
    const cassette = vcrCassette(document);
    if (cassette !== null) return fromPlainEntries(vcrEntries(cassette), 'VCR cassette');
    const pairs = isHar(document) ? null : requestPairs(document);
    return pairs === null
      ? readHarEntries(file, document)
      : fromPlainEntries(pairEntries(pairs), 'list of requests');
  } catch (error) {
    if (error instanceof FormatError)
      throw new HarError(`${file}: ${error.message}. Record it again, or save it as HAR.`);
    throw error;
  }
}

function fromPlainEntries(entries: readonly PlainEntry[], kind: RecordedFileKind): RecordedEntries {
  return { kind, entries: entries.map(toHarEntry), ours: undefined };
}

function readBytes(file: string): Buffer {
  const { size } = statSync(file);
  if (size <= MAX_FILE_BYTES) return readFileSync(file);
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`;
  throw new HarError(
    `${file} is ${megabytes(size)}, more than the ${megabytes(MAX_FILE_BYTES)} that can be read. Save fewer exchanges, or several files, which are judged together.`,
  );
}

function parseJson(file: string, text: string): unknown {
  try {
    if (isTooDeep(text)) throw new Error('it is nested too deeply to be read');
    return JSON.parse(text);
  } catch (error) {
    const cutEntry = error instanceof SyntaxError ? findCutEntry(text) : null;
    const message = error instanceof SyntaxError ? jsonSyntaxError(error) : messageOf(error);
    const reason = cutEntry === null ? message : `it is cut off in log.entries[${cutEntry}]`;
    throw new HarError(`${file} is not a HAR file: ${reason}. Save it again as HAR.`);
  }
}

function readHarEntries(file: string, value: unknown): RecordedEntries {
  if (!isHar(value))
    throw new HarError(
      `${file} is not a HAR file: it has no log.entries, and is not a recording of VCR, nock or mitmproxy or a list of requests with responses. Save it again as HAR.`,
    );
  const { entries, _assay: ours } = value.log;
  if (ours !== undefined && !isLogExtension(ours))
    throw new HarError(`${file}: log._assay is not as assay exports it. Export the cassette again.`);
  for (const [n, entry] of entries.entries()) {
    const member = wrongMember(entry);
    if (member === null) continue;
    const place = `log.entries[${n}]${member}`;
    throw new HarError(
      `${file}: ${place} is missing or has another type than in HAR 1.2. Save it again as HAR.`,
    );
  }
  // as: all members that are read were checked
  const { log } = value as unknown as Har;
  return { kind: 'HAR file', entries: log.entries, ours: log._assay };
}

function isHar(value: unknown): value is { log: { entries: readonly unknown[]; _assay?: unknown } } {
  const log = isObject(value) ? value['log'] : null;
  return isObject(log) && Array.isArray(log['entries']);
}

/**
 * Index of the entry in which a truncated HAR file ends, as browsers and full disks leave it; null if the list of
 * entries is complete or missing.
 */
function findCutEntry(text: string): number | null {
  const begin = /"entries"\s*:\s*\[/.exec(text);
  if (begin === null) return null;
  let depth = 0;
  let entries = 0;
  for (let at = begin.index + begin[0].length; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') at = endOfString(text, at);
    else if ('{['.includes(character)) depth += 1;
    else if ('}]'.includes(character)) {
      depth -= 1;
      if (depth === 0) entries += 1;
      // All entries are complete: the error is elsewhere.
      if (depth < 0) return null;
    }
  }
  return entries;
}

// HAR files come from browsers, other proxies and strangers, so every member that the import reads is checked.

/** Path of the first wrong member of an entry; `""` if the entry is not an object; null if all are valid. */
function wrongMember(entry: unknown): string | null {
  const validate = validatorOf('har', 'entry');
  if (validate(entry)) return null;
  const { instancePath = '', params = {} } = validate.errors?.at(-1) ?? {};
  const missing = 'missingProperty' in params ? [String(params['missingProperty'])] : [];
  const path = [...instancePath.split('/').slice(1), ...missing];
  return path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('');
}

function isLogExtension(value: unknown): boolean {
  return validatorOf('har', 'log')(value) && isObject(value) && 'format' in value;
}

import { join } from 'node:path';
import type { HeaderPairs } from '../../exchange.ts';
import { Body } from '../../http/body.ts';
import { contentCodings, decodeContent } from '../../http/content.ts';
import { isEventStream } from '../../http/event-stream.ts';
import { Redactor } from '../../redaction/redactor.ts';
import type { JournalEvent, JournalSecret } from '../format/lines.ts';
import { readFileLines } from '../read/file-lines.ts';
import type { BlobStore } from '../write/blob-store.ts';
import { inlineBytes, streamBytes } from './assemble-exchange.ts';
import { type JournalItem, readJournal, SECRET } from './read-journal.ts';
import { DigestSearch } from './secret-digest.ts';
import { deltasOf, secretViews } from './secret-views.ts';

/** Compressed bodies are looked into up to so many bytes of content. */
const MOST_DECODED = 128 * 1024 * 1024;
/** Pieces of a blob are searched with so many bytes of the piece before, more than any secret is long. */
const OVERLAP = 64 * 1024;

/**
 * Knows the secrets that became known late to a recorder that was killed, as far as its journal or its blobs hold them: the
 * journal says how to recognise them. Null when the journal has no digests.
 */
export function recoveredSecrets(dir: string, blobs: BlobStore): Redactor | null {
  const journal = join(dir, 'journal.jsonl');
  let wanted = wantedIn(journal);
  const found = new Set<string>();
  if (wanted.length === 0) return null;
  let search = new DigestSearch(wanted);
  const item = readJournal(journal);
  for (const one of item) {
    for (const content of contentOf(one, blobs)) {
      for (const view of secretViews(content)) {
        const texts = search.in(view);
        if (texts.size === 0) continue;
        for (const text of texts.values()) found.add(text);
        wanted = wanted.filter((secret) => !texts.has(secret));
        search = new DigestSearch(wanted);
      }
    }
    if (wanted.length === 0) break;
  }
  return found.size === 0 ? null : new Redactor({ secrets: [...found] });
}

/** The digests that a journal contains. */
function wantedIn(journal: string): JournalSecret[] {
  const wanted: JournalSecret[] = [];
  for (const { bytes, whole } of readFileLines(journal)) {
    if (!whole || bytes.toString('latin1', 0, SECRET.length) !== SECRET) continue;
    const secret = secretIn(bytes.toString());
    if (secret !== null) wanted.push(secret);
  }
  return wanted;
}

/** The digest in a line; null for a damaged line, which recognises nothing. */
function secretIn(line: string): JournalSecret | null {
  try {
    const value = JSON.parse(line) as JournalSecret; // as: its fields are checked next
    const { length, salt } = value;
    return Number.isSafeInteger(length) && typeof salt === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Everything that an exchange or a note can hold a secret in. */
function* contentOf(one: JournalItem, blobs: BlobStore): Generator<Uint8Array> {
  if ('header' in one) return;
  if ('note' in one) {
    yield Buffer.from(JSON.stringify(one.note));
    return;
  }
  let headers: HeaderPairs = [];
  for (const event of one.events) {
    if (event.e === 'request' || event.e === 'response') headers = event.headers;
    if (event.e === 'request-body' || event.e === 'response-body') yield* bodyOf(event, headers, blobs);
    else if (event.e !== 'piece') yield Buffer.from(JSON.stringify(event));
  }
  const stream = streamBytes(one.events.filter((event) => event.e === 'piece'));
  yield stream;
  yield* deltasOf(stream);
}

/** An event that contains a body. */
type BodyEvent = Extract<JournalEvent, { readonly e: 'request-body' | 'response-body' }>;

function* bodyOf(event: BodyEvent, headers: HeaderPairs, blobs: BlobStore): Generator<Uint8Array> {
  if ('digest' in event) {
    yield Buffer.from(JSON.stringify(event.parts ?? []));
    return;
  }
  if (contentCodings(headers).length > 0) yield* decodedOf(event, headers, blobs);
  if (!('blob' in event)) {
    yield inlineBytes(event);
    return;
  }
  let before: Uint8Array = Buffer.alloc(0);
  for (const piece of blobs.pieces(event.blob, event.size)) {
    const bytes = Buffer.concat([before, piece]);
    yield bytes;
    before = bytes.subarray(-OVERLAP);
  }
}

function* decodedOf(event: BodyEvent, headers: HeaderPairs, blobs: BlobStore): Generator<Uint8Array> {
  if ('digest' in event) return;
  const body = Body.of('blob' in event ? blobs.read(event.blob, event.size) : inlineBytes(event));
  const content = decodeContent({ headers, body }, MOST_DECODED)?.bytes ?? null;
  if (content === null) return;
  yield content;
  if (isEventStream({ headers })) yield* deltasOf(content);
}

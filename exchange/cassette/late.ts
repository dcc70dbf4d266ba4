import { closeSync, openSync, readSync } from 'node:fs';
import type { HeaderPairs } from '../exchange.ts';
import type { Redactor } from '../redact.ts';
import { inlineBytes, streamBytes } from './assemble.ts';
import type { Blobs } from './blobs.ts';
import type { JournalEvent, Stored } from './format.ts';
import { inline } from './recording.ts';

/** The lines of an exchange with secrets replaced that became known only after they were written. */
export function rewrite(
  events: readonly JournalEvent[],
  redactor: Redactor,
  blobs: Blobs,
): readonly JournalEvent[] {
  const pieces = rewritePieces(events, redactor);
  return events.map((event) => {
    if (event.e === 'request') {
      return { ...event, target: redactor.target(event.target), headers: values(event.headers, redactor) };
    }
    if (event.e === 'response') return { ...event, headers: values(event.headers, redactor) };
    if (event.e === 'end') return { ...event, trailers: values(event.trailers, redactor) };
    if (event.e === 'piece') return pieces.shift() ?? event;
    return { ...event, ...rewriteStored(event, event.size, redactor, blobs) };
  });
}

function values(headers: HeaderPairs, redactor: Redactor): HeaderPairs {
  return headers.map(([name, value]) => [name, redactor.text(value)]);
}

function rewritePieces(events: readonly JournalEvent[], redactor: Redactor): JournalEvent[] {
  const pieces = events.filter((event) => event.e === 'piece');
  const bytes = redactor.bytes(streamBytes(pieces));
  let done = 0;
  return pieces.map((piece) => {
    const { i, e, at, size } = piece;
    const from = done;
    done += inlineBytes(piece).length;
    return { i, e, at, size, ...inline(bytes.subarray(from, done)) };
  });
}

function rewriteStored(stored: Stored, size: number, redactor: Redactor, blobs: Blobs): Stored {
  if ('digest' in stored) {
    const parts = stored.parts?.map(({ text, ...part }) => ({
      ...part,
      ...(text !== undefined && { text: redactor.text(text) }),
    }));
    return { digest: stored.digest, ...(parts && { parts }) };
  }
  if ('blob' in stored) return rewriteBlob(stored.blob, size, redactor, blobs);
  return inline(redactor.bytes(inlineBytes(stored)));
}

function rewriteBlob(sha256: string, size: number, redactor: Redactor, blobs: Blobs): Stored {
  blobs.check(sha256, size);
  const fd = openSync(blobs.path(sha256), 'r');
  const copy = blobs.begin();
  const filter = redactor.stream();
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) {
      copy.write(filter.push(chunk.subarray(0, count)));
    }
    copy.write(filter.finish());
  } finally {
    closeSync(fd);
  }
  return { blob: copy.finishSync() };
}

import { Body, type FormDataPart, MAX_READ_BYTES } from '../http/body.ts';
import { filterWhole } from '../redaction/byte-filter.ts';
import type { BlobStore } from './blobs.ts';
import { inlineBytes } from './body-encoding.ts';
import { boundaryFilter, placeholderBoundary } from './form-boundary.ts';
import type { Stored, StoredPart } from './lines.ts';

export function restoreBoundary(body: Body, boundary: string | null): Body {
  const bytes = boundary === null ? null : body.bytes;
  if (boundary === null || bytes === null) return body;
  return Body.stored(null, body.size, () =>
    filterWhole(boundaryFilter(placeholderBoundary(boundary), boundary), bytes),
  );
}

export function storedBody(stored: Stored, size: number, blobs: Pick<BlobStore, 'read'>): Body {
  if ('blob' in stored) {
    if (size > MAX_READ_BYTES) return Body.digest(stored.blob, size);
    return Body.stored(stored.blob, size, () => blobs.read(stored.blob, size));
  }
  if ('digest' in stored) return Body.digest(stored.digest, size, stored.parts?.map(restorePart) ?? null);
  return Body.from(inlineBytes(stored));
}

export function restorePart({ sha256, size, text, ...rest }: StoredPart): FormDataPart {
  return { ...rest, body: text === undefined ? Body.digest(sha256, size) : Body.from(text) };
}

export function storedPart({ body, ...rest }: FormDataPart): StoredPart {
  const { size, sha256, text } = body;
  return { ...rest, size, sha256, ...(text !== null && { text }) };
}

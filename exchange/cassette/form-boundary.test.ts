import { expect, test } from 'vitest';
import { boundaryFilter, headersWithBoundary, placeholderBoundary } from './form-boundary.ts';

const BOUNDARY = '----form-boundary-0123456789';
const PLACEHOLDER = placeholderBoundary(BOUNDARY);

/** A form whose content repeats the boundary without a line break before it, so that it is not a delimiter there. */
function formWith(boundary: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nnot --${BOUNDARY}\r\r\n--${boundary}--\r\n`;
}

function filterPieces(form: string, size: number, { from, to }: { from: string; to: string }): string {
  const filter = boundaryFilter(from, to);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < form.length; at += size)
    pieces.push(filter.push(Buffer.from(form.slice(at, at + size))));
  return Buffer.concat([...pieces, filter.finish()]).toString();
}

test('the boundary is replaced in delimiters only, wherever the bytes are cut', () => {
  const form = formWith(BOUNDARY);
  for (let size = 1; size <= form.length; size += 1) {
    const stored = filterPieces(form, size, { from: BOUNDARY, to: PLACEHOLDER });
    expect(stored, `pieces of ${size} bytes`).toBe(formWith(PLACEHOLDER));
  }
});

test('a boundary with replacement patterns is restored unchanged in the content type', () => {
  const boundary = '----form-$$-$&-0123456789';
  const placeholder = placeholderBoundary(boundary);
  const headersOf = (value: string) =>
    [['Content-Type', `multipart/form-data; boundary="${value}"`]] as const;
  const stored = headersWithBoundary(headersOf(boundary), boundary, placeholder);
  expect(stored).toEqual(headersOf(placeholder));
  expect(headersWithBoundary(stored, placeholder, boundary)).toEqual(headersOf(boundary));
});

test('a boundary that equals its placeholder is left as it is', () => {
  const form = formWith(PLACEHOLDER);
  expect(filterPieces(form, form.length, { from: PLACEHOLDER, to: PLACEHOLDER })).toBe(form);
});

import { parseMediaType } from '../http/content.ts';
import type { HarPostData } from './format.ts';

/** Builds a form body from the fields that the file contains; the content of uploads is often left out. */
export function formBody({ mimeType, params: given }: HarPostData): Buffer {
  const type = parseMediaType(mimeType ?? null);
  const params = given ?? [];
  if (type?.essence === 'application/x-www-form-urlencoded') {
    return Buffer.from(
      new URLSearchParams(params.map(({ name, value }): [string, string] => [name, value ?? ''])).toString(),
    );
  }
  const boundary = type?.boundary ?? null;
  if (boundary === null) return Buffer.alloc(0);
  const parts = params.map(({ name, value, fileName }) => {
    const file = fileName == null ? '' : `; filename="${quoted(fileName)}"`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n\r\n${value ?? ''}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
}

/** A parameter value as RFC 7578 writes it in a part's header. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

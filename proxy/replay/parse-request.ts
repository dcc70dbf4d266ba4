import type { HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';

export class InvalidRequestText extends Error {
  override readonly name = 'InvalidRequestText';
}

/**
 * Parses a request in its wire format: `POST /v1/threads`, header fields, an empty line, the body. Lines may end with
 * LF alone, and the version may be missing. Throws InvalidRequestText.
 */
export function parseRequest(bytes: Buffer): HttpRequest {
  // Latin-1 maps each byte to one character, so offsets in the text are offsets in the bytes.
  const text = bytes.toString('latin1');
  const separator = /\r?\n\r?\n/.exec(text);
  const headEnd = separator === null ? text.length : separator.index + separator[0].length;
  const head = text.slice(0, headEnd);
  const [first = '', ...lines] = head.trimEnd().split(/\r?\n/);
  const [, method, url] = /^([A-Za-z]+) +(\S+)(?: +HTTP\/\d(?:\.\d)?)?$/.exec(first) ?? [];
  if (method === undefined || url === undefined || !URL.canParse(url, 'http://localhost')) {
    throw new InvalidRequestText(
      `${JSON.stringify(first.slice(0, 80))} is not a request line. A request begins with a line such as POST /v1/threads HTTP/1.1.`,
    );
  }
  const { pathname, search } = new URL(url, 'http://localhost');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    if (colon > 0) return [line.slice(0, colon), line.slice(colon + 1).trim()];
    throw new InvalidRequestText(
      `${JSON.stringify(line.slice(0, 80))} is not a header field. Write lines such as Content-Type: application/json after the request line, then an empty line, then the body.`,
    );
  });
  const body = Body.from(bytes.subarray(headEnd));
  return {
    method: method.toUpperCase(),
    target: url.startsWith('/') ? url : `${pathname}${search}`,
    headers,
    body,
  };
}

/** Where a target listens: its origin, and the path before the specification's `/v1` (empty for most). */
export interface BaseUrl {
  readonly origin: string;
  readonly prefix: string;
  /** As people write it, with `/v1`. */
  readonly href: string;
}

export class InvalidBaseUrl extends Error {
  override readonly name = 'BadBaseUrl';
}

/** Reads a base URL given with or without `/v1`; throws BadBaseUrl with what to write instead. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = parse(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidBaseUrl(
      `The base URL ${quote(text)} begins with ${url.protocol}//; http:// or https:// is needed.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidBaseUrl(
      'The base URL holds credentials; pass them with --header or --api-key-env instead.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidBaseUrl(
      `The base URL ${quote(text)} has a query or a fragment; it is only scheme, host and path.`,
    );
  }
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  return { origin: url.origin, prefix, href: `${url.origin}${prefix}/v1` };
}

/** The request target that returns an absolute URL; null where that lies on another host, or beside its prefix. */
export function targetPathOf({ origin, prefix }: BaseUrl, href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) return null;
  return `${url.pathname.slice(prefix.length)}${url.search}`;
}

function parse(text: string): URL {
  try {
    // `localhost:8000` reads as a URL of the scheme `localhost`.
    if (/^[\w.-]+:\d+(\/|$)/.test(text)) throw new TypeError('no scheme');
    return new URL(text);
  } catch {
    const example = /^[\w.-]+(:\d+)?(\/|$)/.test(text) ? `http://${text}` : 'http://127.0.0.1:8000/v1';
    throw new InvalidBaseUrl(`The base URL ${quote(text)} is not a URL; an example: ${example}`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@'));
}

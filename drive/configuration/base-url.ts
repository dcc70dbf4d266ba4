export interface BaseUrl {
  /** Scheme, host and port: `https://localhost:8443`; a default port is left out. */
  readonly origin: string;
  /** Path before `/v1` without a trailing slash, such as `/openai`; usually empty. */
  readonly prefix: string;
  /** Origin, prefix and `/v1`, without a trailing slash. */
  readonly href: string;
}

export class InvalidBaseUrl extends Error {
  override readonly name = 'InvalidBaseUrl';
}

export function parseBaseUrl(text: string): BaseUrl {
  const url = parseUrl(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidBaseUrl(
      `The base URL ${quoteUrl(text)} has the scheme ${url.protocol.slice(0, -1)}; it must begin with http:// or https://.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidBaseUrl(
      'The base URL holds credentials; pass them with --header or --api-key-env instead.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidBaseUrl(
      `The base URL ${quoteUrl(text)} has a query or a fragment; it may have only scheme, host and path.`,
    );
  }
  // `/v1` is part of every path of the specification, so it is cut off here.
  const prefix = url.pathname.replace(/(?:\/+v1)?\/*$/, '');
  return { origin: url.origin, prefix, href: `${url.origin}${prefix}/v1` };
}

export function targetPathOf({ origin, prefix }: BaseUrl, href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) return null;
  return `${url.pathname.slice(prefix.length)}${url.search}`;
}

function parseUrl(text: string): URL {
  try {
    // `localhost:8000` parses as a URL of the scheme `localhost`.
    if (/^[\w.-]+:\d+(\/|$)/.test(text)) throw new TypeError('no scheme');
    return new URL(text);
  } catch {
    const example = /^[\w.-]+(:\d+)?(\/[^@]*)?$/.test(text) ? `http://${text}` : 'http://127.0.0.1:8000/v1';
    throw new InvalidBaseUrl(`The base URL ${quoteUrl(text)} is not a URL; an example: ${example}`);
  }
}

/** Masks a text up to its last `@` unless it is a URL with a host and no credentials: a password may contain an `@`. */
function quoteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const hasNoCredentials = url !== null && url.host !== '' && url.username === '' && url.password === '';
  return JSON.stringify(hasNoCredentials ? text : text.replace(/^([a-z][\w+.-]*:\/\/)?.*@/is, '$1…@'));
}

import { ApiError, shorten } from '../server/api-error.ts';

/** The part of a route that a request is matched with. */
interface Place {
  readonly method: string;
  /** `/v1/files/{file_id}`. */
  readonly path: string;
}

interface Entry<T extends Place> {
  readonly route: T;
  /** The name of a parameter, or the text that a segment must be. */
  readonly segments: readonly { readonly name: string | null; readonly text: string }[];
}

/** A matched route with its path parameters, percent-decoded. */
export interface Match<T> {
  readonly route: T;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a request. A fixed segment wins over a parameter; `HEAD` is served like `GET`. */
export class Router<T extends Place> {
  /** By number of segments. */
  readonly #entries = new Map<number, Entry<T>[]>();

  constructor(routes: Iterable<T>) {
    for (const route of routes) {
      const segments = route.path
        .split('/')
        .map((text) => ({ name: /^\{(\w+)\}$/.exec(text)?.[1] ?? null, text }));
      const alike = this.#entries.get(segments.length) ?? [];
      this.#entries.set(segments.length, [...alike, { route, segments }]);
    }
    for (const entries of this.#entries.values()) entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** @throws Refusal 400 for a path with a broken percent-encoding, 404 for an unknown path, 405 for a known path with another method. */
  find(method: string, path: string): Match<T> {
    const segments = path.split('/').map((segment) => decode(segment, path));
    const fitting = (this.#entries.get(segments.length) ?? []).filter((entry) => fits(entry, segments));
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = fitting.find(({ route }) => route.method === wanted);
    if (found === undefined) throw unknown(method, path, fitting);
    const named = found.segments.flatMap(({ name }, n) => (name === null ? [] : [[name, segments[n] ?? '']]));
    return { route: found.route, params: Object.fromEntries(named) };
  }
}

/** Sorts fixed segments before parameters, from left to right. */
function order({ segments }: Entry<Place>): string {
  return segments.map(({ name }) => (name === null ? '0' : '1')).join('');
}

function fits({ segments }: Entry<Place>, given: readonly string[]): boolean {
  return segments.every(({ name, text }, n) => name !== null || text === given[n]);
}

function decode(segment: string, path: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError(400, `'${shorten(path)}' is not a valid URL path: its percent-encoding is broken.`);
  }
}

function unknown(method: string, path: string, fitting: readonly Entry<Place>[]): ApiError {
  const methods = fitting.map(({ route }) => route.method);
  const asked = `${method} ${shorten(path)}`;
  if (methods.length === 0) {
    return new ApiError(404, `Unknown request URL: ${asked}; check the method and the path.`, {
      code: 'unknown_url',
    });
  }
  return new ApiError(405, `Not allowed: ${asked}; this path takes ${methods.join(', ')}.`, {
    code: 'method_not_allowed',
    headers: { allow: methods.join(', ') },
  });
}

// Matches requests to routes; a fixed segment takes precedence over a parameter.
import findMyWay from 'find-my-way';
import { withoutUndefined } from '../../schemas/maps.ts';
import { ApiError, shorten } from './api-error.ts';
import type { ServiceRoute } from './route.ts';

/** In characters; node limits the whole head of a request to 16 KiB. */
const MAX_PARAMETER_LENGTH = 16 * 1024;

interface Match<T> {
  readonly route: T;
  readonly params: Readonly<Record<string, string>>;
}

/** `HEAD` is served like `GET`. */
export class Router<T extends Pick<ServiceRoute, 'method' | 'path'>> {
  readonly #router = findMyWay({ maxParamLength: MAX_PARAMETER_LENGTH, onBadUrl: ignore });
  readonly #methods: ReadonlySet<T['method']>;

  constructor(routes: readonly T[]) {
    this.#methods = new Set(routes.map(({ method }) => method));
    for (const route of routes) {
      this.#router.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), ignore, route);
    }
  }

  /** @throws ApiError 400 for a broken percent-encoding, 404 for an unknown path, 405 for another method. */
  find(method: string, path: string): Match<T> {
    const servedMethod = method === 'HEAD' ? 'GET' : method;
    const registered = [...this.#methods].find((candidate) => candidate === servedMethod);
    const match = registered === undefined ? null : this.#lookup(registered, path);
    if (match !== null && match !== 'bad-url') return match;
    const others = [...this.#methods].map((other) => ({ method: other, result: this.#lookup(other, path) }));
    if (others.some(({ result }) => result === 'bad-url'))
      throw new ApiError(400, `'${shorten(path)}' is not a valid URL path: its percent-encoding is broken.`);
    throw noRoute(
      method,
      path,
      others.flatMap((other) => (other.result === null ? [] : [other.method])),
    );
  }

  #lookup(method: T['method'], path: string): Match<T> | 'bad-url' | null {
    const match = this.#router.find(method, path);
    if (match === null) return null;
    // For a broken percent-encoding, the match has the handler `onBadUrl` and no route.
    const route: T | null = match.store;
    if (route === null) return 'bad-url';
    return { route, params: withoutUndefined(match.params) };
  }
}

/** The router requires a handler, but the caller of `find` handles the route. */
function ignore(): void {}

function noRoute(method: string, path: string, allowed: readonly string[]): ApiError {
  const requested = `${method} ${shorten(path)}`;
  if (allowed.length === 0) {
    return new ApiError(404, `Unknown request URL: ${requested}; check the method and the path.`, {
      code: 'unknown_url',
    });
  }
  return new ApiError(405, `Not allowed: ${requested}; this path takes ${allowed.join(', ')}.`, {
    code: 'method_not_allowed',
    headers: { allow: allowed.join(', ') },
  });
}

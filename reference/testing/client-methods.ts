import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type FamilyName,
  matchOperation,
  operation,
  operations,
  type ResponseShape,
  schemaValidator,
} from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';

type Fetch = (url: string, init?: Init) => Promise<FetchResponse>;
interface Init {
  readonly method?: string;
  readonly headers?: unknown;
}
interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  clone(): { text(): Promise<string> };
}

/**
 * Records which method of a client library sends which requests, and which responses violate their schemas. The client
 * keeps its own transport, timeouts and retries.
 */
export class MethodRecorder {
  /** Ids of the operations that each client method calls; method and path if the specification lacks the operation. */
  readonly operationsByMethod = new Map<string, Set<string>>();
  readonly violations: string[] = [];
  /** The client method that is running; it survives the awaits inside the client. */
  readonly #method = new AsyncLocalStorage<string>();
  /** Validations in progress; they read copies, so that the client is not delayed. */
  readonly #validations: Promise<void>[] = [];

  /** Returns a proxy that records every call of a client, at any depth. The client must have a field `fetch`. */
  watch<Client extends object>(client: Client): Client {
    // as: both versions of the client library call fetch with a string
    const original = Reflect.get(client, 'fetch') as Fetch;
    const recordingFetch: Fetch = async (url, init) => {
      const response = await original.call(undefined, url, init);
      this.#validations.push(this.#record(url, init, response));
      return response;
    };
    Reflect.set(client, 'fetch', recordingFetch);
    return this.#proxy(client, '');
  }

  async settle(): Promise<void> {
    await Promise.all(this.#validations);
  }

  listUnused(families: readonly FamilyName[]): string[] {
    const used = new Set([...this.operationsByMethod.values()].flatMap((ids) => [...ids]));
    const expected = operations().filter(({ variants }) =>
      variants.some(({ family }) => families.includes(family)),
    );
    return expected.map(({ id }) => id).filter((id) => !used.has(id));
  }

  formatTable(): string {
    const rows = [...this.operationsByMethod].sort(([a], [b]) => a.localeCompare(b));
    const width = Math.max(...rows.map(([method]) => method.length));
    return rows.map(([method, ids]) => `${method.padEnd(width)}  ${[...ids].join(', ')}`).join('\n');
  }

  #proxy<T extends object>(target: T, name: string): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof key !== 'string' || key === '_client') return value;
        const inner = name === '' ? key : `${name}.${key}`;
        if (typeof value === 'function') {
          return (...args: unknown[]) => this.#method.run(inner, () => Reflect.apply(value, target, args));
        }
        return isResource(value) ? this.#proxy(value, inner) : value;
      },
    });
  }

  async #record(url: string, init: Init | undefined, response: FetchResponse): Promise<void> {
    const { pathname } = new URL(url);
    const method = (init?.method ?? 'GET').toUpperCase();
    const match = matchClientPath(method, pathname);
    const caller = this.#method.getStore() ?? '(next page)';
    const id = match?.operation.id ?? `${method} ${pathname.replaceAll(/\/[a-z]+[-_]\w{20,}/gi, '/{id}')}`;
    getOrMake(this.operationsByMethod, caller, () => new Set<string>()).add(id);
    const type = response.headers.get('content-type') ?? '';
    if (match === null || response.status >= 300 || !/json|event-stream/.test(type)) return;
    const text = await response
      .clone()
      .text()
      .catch(() => null);
    if (text === null) return; // the client hung up
    const shapes = shapesOf(match.operation.id, init?.headers).filter(({ contentType }) =>
      type.includes(contentType),
    );
    for (const message of validate(text, shapes)) this.violations.push(`${method} ${pathname}: ${message}`);
  }
}

/** Clients write `file_batches` where the specification writes `files_batches`. */
const matchClientPath = (method: string, path: string) =>
  matchOperation(method, path) ?? matchOperation(method, path.replace('/file_batches/', '/files_batches/'));

function shapesOf(id: string, headers: unknown): readonly ResponseShape[] {
  const sent = JSON.stringify(headers);
  const { variants } = operation(id);
  return variants.find(({ beta }) => beta === null || sent.includes(beta))?.answers ?? [];
}

/** A response may have one of several shapes; returns the violations of the shape with the fewest. */
function validate(text: string, shapes: readonly ResponseShape[]): string[] {
  const violations = shapes.map(({ schema, events }) => {
    if (events !== null)
      return parseFrames(text).flatMap(({ event, data }) => validateEvent(event, data, events));
    return schema === null ? [] : violationsOf(schema, JSON.parse(text));
  });
  return violations.sort((a, b) => a.length - b.length)[0] ?? [];
}

function parseFrames(text: string): { event: string; data: string }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const field = (name: string) => frame.split('\n').find((line) => line.startsWith(`${name}: `));
      return { event: field('event')?.slice(7) ?? '', data: field('data')?.slice(6) ?? '' };
    });
}

function validateEvent(event: string, data: string, events: Readonly<Record<string, string>>): string[] {
  const schema = events[event];
  if (schema === undefined || data === '[DONE]') return [];
  return violationsOf(schema, JSON.parse(data)).map((violation) => `${event}: ${violation}`);
}

const violationsOf = (schema: string, value: unknown): string[] =>
  schemaValidator(schema)(value).map(({ pointer, message }) => `${schema}${pointer} ${message}`);

/** All methods that a client offers at or below the resource `root`, such as `beta.threads.messages.list`. */
export function methodsOf(client: object, root: string): string[] {
  let resource: unknown = client;
  for (const key of root.split('.')) resource = Reflect.get(Object(resource), key);
  if (typeof resource !== 'object' || resource === null) return [];
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter(
    (name) => name !== 'constructor',
  );
  const inner = Object.entries(resource).flatMap(([key, value]) =>
    key !== '_client' && isResource(value) ? methodsOf(client, `${root}.${key}`) : [],
  );
  return [...own.map((name) => `${root}.${name}`), ...inner];
}

function isResource(value: unknown): value is object {
  return typeof value === 'object' && value !== null && '_client' in value;
}

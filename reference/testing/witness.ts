// Records which method of a client library sends which requests, and whether the responses of the service conform to the
// schemas. The client keeps its own transport, timeouts and retries.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type FamilyName,
  matchOperation,
  operation,
  operations,
  type ResponseShape,
  schemaValidator,
} from '../../schemas/index.ts';

type Fetch = (url: string, init?: Init) => Promise<FetchResponse>;
type Init = { readonly method?: string; readonly headers?: unknown; readonly body?: unknown };
/** The part that the Response types of all fetch implementations share. */
interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  clone(): { text(): Promise<string> };
}

/** Records the requests of a client by the method that sends them. */
export class MethodRecorder {
  /** Operation ids, or methods and paths beyond the specification, by the client's method. */
  readonly seen = new Map<string, Set<string>>();
  /** Responses that violate their schema, as messages. */
  readonly complaints: string[] = [];
  /** The client method that is running; it survives the awaits inside the client. */
  readonly #method = new AsyncLocalStorage<string>();
  /** Validations in progress; they read copies, so that the client is not delayed. */
  readonly #judging: Promise<void>[] = [];

  /** A proxy of a client that records every call, at any depth. The client must have its fetch in a field `fetch`. */
  watch<Client extends object>(client: Client): Client {
    // as: both clients call their fetch with a URL as text
    const original = Reflect.get(client, 'fetch') as Fetch;
    const watching: Fetch = async (url, init) => {
      const response = await original.call(undefined, url, init);
      this.#judging.push(this.#note(url, init, response));
      return response;
    };
    Reflect.set(client, 'fetch', watching);
    return this.#named(client, '');
  }

  /** Waits until everything received so far has been judged. */
  async settle(): Promise<void> {
    await Promise.all(this.#judging);
  }

  /** Operations of the given families, v1 or v2, that no call has used. */
  unused(families: readonly FamilyName[]): string[] {
    const used = new Set([...this.seen.values()].flatMap((requests) => [...requests]));
    const wanted = operations().filter(({ variants }) =>
      variants.some(({ family }) => families.includes(family)),
    );
    return wanted.map(({ id }) => id).filter((id) => !used.has(id));
  }

  /** The table method → operations, one line each. */
  table(): string {
    const rows = [...this.seen].sort(([a], [b]) => a.localeCompare(b));
    const width = Math.max(...rows.map(([method]) => method.length));
    return rows
      .map(([method, requests]) => `${method.padEnd(width)}  ${[...requests].join(', ')}`)
      .join('\n');
  }

  /** A proxy of a resource of the client; `name` is its path: `beta.threads`. */
  #named<T extends object>(target: T, name: string): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof key !== 'string' || key === '_client') return value;
        const inner = name === '' ? key : `${name}.${key}`;
        if (typeof value === 'function') {
          return (...given: unknown[]) => this.#method.run(inner, () => Reflect.apply(value, target, given));
        }
        const resource = typeof value === 'object' && value !== null && '_client' in value;
        return resource ? this.#named(value, inner) : value;
      },
    });
  }

  /** Notes a request under the method that sent it, and validates the response. */
  async #note(url: string, init: Init | undefined, response: FetchResponse): Promise<void> {
    const { pathname } = new URL(url);
    const method = (init?.method ?? 'GET').toUpperCase();
    const found = find(method, pathname);
    const caller = this.#method.getStore() ?? '(next page)';
    const requests = this.seen.get(caller) ?? new Set();
    this.seen.set(caller, requests);
    requests.add(found?.operation.id ?? `${method} ${pathname.replaceAll(/\/[a-z]+[-_]\w{20,}/gi, '/{id}')}`);
    const type = response.headers.get('content-type') ?? '';
    if (found === null || response.status >= 300 || !/json|event-stream/.test(type)) return;
    const text = await response
      .clone()
      .text()
      .catch(() => null);
    if (text === null) return; // the client hung up
    const shapes = shapesOf(found.operation.id, init?.headers).filter(({ contentType }) =>
      type.includes(contentType),
    );
    for (const complaint of judge(text, shapes)) this.complaints.push(`${method} ${pathname}: ${complaint}`);
  }
}

/** Clients write `file_batches` where the specification writes `files_batches`. */
const find = (method: string, path: string) =>
  matchOperation(method, path) ?? matchOperation(method, path.replace('/file_batches/', '/files_batches/'));

/**
 * The possible shapes of a response; empty if the specification has the operation only in the other form, such as runs under
 * v1.
 */
function shapesOf(id: string, headers: unknown): readonly ResponseShape[] {
  const sent = JSON.stringify(headers);
  const { variants } = operation(id);
  return variants.find(({ beta }) => beta === null || sent.includes(beta))?.answers ?? [];
}

/** A response may have one of several shapes: these are the violations of the shape with the fewest. */
function judge(text: string, shapes: readonly ResponseShape[]): string[] {
  const complaints = shapes.map(({ schema, events }) => {
    if (events !== null) return frames(text).flatMap(({ event, data }) => judgeEvent(event, data, events));
    return schema === null ? [] : broken(schema, JSON.parse(text));
  });
  return complaints.sort((a, b) => a.length - b.length)[0] ?? [];
}

/** The frames of an event stream. */
function frames(text: string): { event: string; data: string }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const field = (name: string) => frame.split('\n').find((line) => line.startsWith(`${name}: `));
      return { event: field('event')?.slice(7) ?? '', data: field('data')?.slice(6) ?? '' };
    });
}

/** Violations of one event; unknown events and the final `[DONE]` have none. */
function judgeEvent(event: string, data: string, events: Readonly<Record<string, string>>): string[] {
  const schema = events[event];
  if (schema === undefined || data === '[DONE]') return [];
  return broken(schema, JSON.parse(data)).map((complaint) => `${event}: ${complaint}`);
}

/** Violations of a schema, as messages. */
const broken = (schema: string, value: unknown): string[] =>
  schemaValidator(schema)(value).map(({ pointer, message }) => `${schema}${pointer} ${message}`);

/** Every method that a client offers below `root`, as `root.resource.method`. */
export function methodsOf(client: object, root: string): string[] {
  const resource: unknown = root
    .split('.')
    .reduce((here: unknown, key) => Reflect.get(Object(here), key), client);
  if (typeof resource !== 'object' || resource === null) return [];
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter(
    (name) => name !== 'constructor',
  );
  const inner = Object.entries(resource).flatMap(([key, value]) =>
    key !== '_client' && typeof value === 'object' && value !== null && '_client' in value
      ? methodsOf(client, `${root}.${key}`)
      : [],
  );
  return [...own.map((name) => `${root}.${name}`), ...inner];
}

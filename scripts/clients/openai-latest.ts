// A session of the latest openai, in which ids of parent objects are parameters and vector stores are no longer beta.
import type OpenAI4 from 'openai';
import OpenAI, { toFile } from 'openai-latest';
import { runV2Session } from './openai-4.47.1.ts';

/** The parameters for ids of parents, outermost first, by the path of the resource in version 4. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  'beta.threads.messages': ['thread_id'],
  'beta.threads.runs': ['thread_id'],
  'beta.threads.runs.steps': ['thread_id', 'run_id'],
  'beta.vectorStores.files': ['vector_store_id'],
  'beta.vectorStores.fileBatches': ['vector_store_id'],
};

export async function runOpenAILatestSession(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: it has the methods of version 4
  await runV2Session(adaptToVersion4(client, client, '') as OpenAI4, toFile);
}

/** Wraps the resource of the client at a path, so that it has the methods and parameters of version 4. */
function adaptToVersion4(client: OpenAI, resource: object, path: string): object {
  return new Proxy(resource, {
    get: (_, key) => {
      if (typeof key !== 'string') return Reflect.get(resource, key);
      const inner = path === '' ? key : `${path}.${key}`;
      const value: unknown =
        inner === 'beta.vectorStores'
          ? client.vectorStores
          : Reflect.get(resource, key === 'del' ? 'delete' : key);
      if (typeof value === 'function')
        return (...args: unknown[]) => Reflect.apply(value, resource, withParents(args, PARENTS[path] ?? []));
      return typeof value === 'object' && value !== null ? adaptToVersion4(client, value, inner) : value;
    },
  });
}

/** Turns all leading ids but the last into parameters. Arguments of version 4 begin with ids, outermost first. */
function withParents(args: readonly unknown[], parents: readonly string[]): readonly unknown[] {
  const ids = args.slice(0, parents.length + 1).filter((one) => typeof one === 'string');
  if (ids.length < 2) return args;
  const parentIds = ids.slice(0, -1).map((id, n) => [parents[n], id] as const);
  return [ids.at(-1), { ...Object.fromEntries(parentIds), ...Object(args[ids.length]) }];
}

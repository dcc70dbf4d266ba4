// The latest openai: ids of parent objects are parameters, and vector stores are no longer beta.
import type OpenAI4 from 'openai';
import OpenAI, { toFile } from 'openai-latest';
import { betaSession } from './openai-4.47.1.ts';

/** The parameters for ids of parents, outermost first, by the path of the resource in version 4. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  'beta.threads.messages': ['thread_id'],
  'beta.threads.runs': ['thread_id'],
  'beta.threads.runs.steps': ['thread_id', 'run_id'],
  'beta.vectorStores.files': ['vector_store_id'],
  'beta.vectorStores.fileBatches': ['vector_store_id'],
};

export async function openAILatestSession(baseURL: string): Promise<void> {
  const client = new OpenAI({ baseURL, apiKey: 'key' });
  // as: it has the methods of version 4
  await betaSession(likeVersion4(client, client, '') as OpenAI4, toFile);
}

/** A resource of the client, at a path, with the methods and parameters of version 4. */
function likeVersion4(client: OpenAI, resource: object, path: string): object {
  return new Proxy(resource, {
    get: (_, key) => {
      if (typeof key !== 'string') return Reflect.get(resource, key);
      const inner = path === '' ? key : `${path}.${key}`;
      const value: unknown =
        inner === 'beta.vectorStores'
          ? client.vectorStores
          : Reflect.get(resource, key === 'del' ? 'delete' : key);
      if (typeof value === 'function')
        return (...given: unknown[]) =>
          Reflect.apply(value, resource, withParents(given, PARENTS[path] ?? []));
      return typeof value === 'object' && value !== null ? likeVersion4(client, value, inner) : value;
    },
  });
}

/** Converts arguments of a version 4 method, which begin with ids, outermost first: all ids but the last become parameters. */
function withParents(given: readonly unknown[], parents: readonly string[]): readonly unknown[] {
  const ids = given.slice(0, parents.length + 1).filter((one) => typeof one === 'string');
  if (ids.length < 2) return given;
  const named = ids.slice(0, -1).map((id, n) => [parents[n], id] as const);
  return [ids.at(-1), { ...Object.fromEntries(named), ...Object(given[ids.length]) }];
}

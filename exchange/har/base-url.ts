import type { HarEntry } from './format.ts';

const OPERATION_PATH =
  /^(https?:\/\/[^?#]*?)\/(?:chat\/completions|completions|embeddings|models|files|uploads|images\/\w+|audio\/\w+|moderations|batches|assistants|threads|vector_stores|fine_tuning\/jobs)(?=[/?#]|$)/;

const MAX_ORIGINS = 10;

/** The most frequent URL before `/v1`; null if no path contains `/v1`. */
export function findBaseUrl(entries: readonly HarEntry[]): string | null {
  const bases = entries.map(({ request }) => /^(https?:\/\/[^?#]*?)\/v1(?:\/|\?|$)/.exec(request.url)?.[1]);
  return sortByFrequency(bases.filter((base) => base !== undefined))[0] ?? null;
}

/** The part of a service's URL before `/v1`, without a default port. */
export function prefixOf(url: string): string {
  return withoutDefaultPort(url).replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** Some recorders write the default port, which users leave out when they name the service. */
export function withoutDefaultPort(url: string): string {
  return url.replace(/^(?:(http:\/\/[^/?#]+):80|(https:\/\/[^/?#]+):443)(?=[/?#]|$)/i, '$1$2');
}

/** Adds `/v1` to the entries under a root that lacks it, because paths of the specification begin with `/v1`. */
export function addVersionPrefix(entries: readonly HarEntry[], apiRoot: string): readonly HarEntry[] {
  const root = prefixOf(apiRoot);
  return entries.map((entry) => {
    const { url } = entry.request;
    if (!url.startsWith(`${root}/`) || url.startsWith(`${root}/v1/`)) return entry;
    return { ...entry, request: { ...entry.request, url: `${root}/v1${url.slice(root.length)}` } };
  });
}

/** Tells the user which root to read the file with, or which origins to choose it from. */
export function adviseApiRoot(entries: readonly HarEntry[]): string {
  const roots = entries.flatMap(({ request }) => OPERATION_PATH.exec(request.url)?.[1] ?? []);
  const [root] = sortByFrequency(roots);
  return root === undefined
    ? `Name the service with --api-root URL, the part of its URLs before paths such as /chat/completions. The file has exchanges with: ${listOrigins(entries).join(', ') || 'none'}.`
    : `Its paths lack it: read them with --api-root ${root}`;
}

/** The `MAX_ORIGINS` most frequent origins of HTTP entries, the most frequent first. */
export function listOrigins(entries: readonly HarEntry[]): string[] {
  const urls = entries.map(({ request }) => request.url);
  const webUrls = urls.filter((url) => /^https?:/i.test(url) && URL.canParse(url));
  return sortByFrequency(webUrls.map((url) => new URL(url).origin)).slice(0, MAX_ORIGINS);
}

function sortByFrequency(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

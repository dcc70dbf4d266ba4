import type { Cassette } from '../../exchange/cassette/cassette.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { MatchOptions } from './recordings.ts';

/** Parts of requests that the replay ignores; a recording that extends the cassette must ignore them as well. */
export type IgnoredParts = Pick<MatchOptions, 'normalise' | 'volatile'>;

export function recordCommand(
  cassette: Cassette | undefined,
  mode: 'record' | 'new',
  client?: string,
  { normalise = [], volatile = [] }: IgnoredParts = {},
): string {
  const clientWords = client === undefined ? '' : ` -- ${client}`;
  if (cassette === undefined) return `npx assay record --base-url URL --cassette DIR${clientWords}`;
  const newFlags = [
    ' --mode new',
    ...normalise.map((value) => ` --normalise ${shellQuote(value)}`),
    ...volatile.map((value) => ` --volatile ${shellQuote(value)}`),
  ].join('');
  const { baseUrl } = cassette.header.target;
  // The user may paste the command into a shell, which would execute text in a cassette from someone else.
  const url = /^[\w:/.[\]-]+$/.test(baseUrl) ? baseUrl : 'URL';
  return `npx assay record --base-url ${url} --cassette ${shellQuote(cassette.dir)}${mode === 'new' ? newFlags : ''}${clientWords}`;
}

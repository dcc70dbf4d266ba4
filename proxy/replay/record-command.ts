import type { Cassette } from '../../exchange/cassette/cassette.ts';
import type { MatchOptions } from './match.ts';

/** Parts of requests that the replay ignores; a recording that extends the cassette must ignore them as well. */
export type Uncompared = Pick<MatchOptions, 'normalise' | 'volatile'>;

/** The command that records a cassette: from scratch, or (`new`) keeping the existing recordings. */
export function recordCommand(
  cassette: Cassette | undefined,
  mode: 'record' | 'new',
  client?: string,
  { normalise = [], volatile = [] }: Uncompared = {},
): string {
  const sender = client === undefined ? '' : ` -- ${client}`;
  if (cassette === undefined) return `npx assay record --base-url URL --cassette DIR${sender}`;
  const flags = [
    ...normalise.map((value) => ` --normalise ${quoteWord(value)}`),
    ...volatile.map((value) => ` --volatile ${quoteWord(value)}`),
  ].join('');
  const { baseUrl } = cassette.header.target;
  // The user may paste the command into a shell, which would execute text in a cassette from someone else.
  const url = /^[\w:/.[\]-]+$/.test(baseUrl) ? baseUrl : 'URL';
  return `npx assay record --base-url ${url} --cassette ${cassette.dir}${mode === 'new' ? ` --mode new${flags}` : ''}${sender}`;
}

function quoteWord(value: string): string {
  return /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

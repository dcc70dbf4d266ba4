import type { Cassette } from '../../exchange/cassette/cassette.ts';

/** The command that records into a cassette: afresh, or (`new`) keeping what it has. */
export function recordCommand(
  cassette: Cassette | undefined,
  mode: 'record' | 'new',
  client?: string,
): string {
  const sender = client === undefined ? '' : ` -- ${client}`;
  if (cassette === undefined) return `npx assay record --base-url URL --cassette DIR${sender}`;
  const { baseUrl } = cassette.header.target;
  // A shell would execute what a cassette of others has there.
  const url = /^[\w:/.[\]-]+$/.test(baseUrl) ? baseUrl : 'URL';
  return `npx assay record --base-url ${url} --cassette ${cassette.dir}${mode === 'new' ? ' --mode new' : ''}${sender}`;
}

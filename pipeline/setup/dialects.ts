import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import type { TraceHeader } from '../../exchange/trace.ts';
import { isKnownCause, listedCauses } from '../../judge/acceptance/feature-list.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import { readDialect } from '../../judge/dialects/dialect-file.ts';
import { requirementsOf } from '../../judge/requirements/catalogue.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from './usage-error.ts';

/**
 * Folder of the shipped dialects, found through the package, since source and compiled code lie at different
 * depths.
 */
const folder = dirname(createRequire(import.meta.url).resolve('#dialects/dialect.schema.json'));

/** The dialects that come with assay. */
function shipped(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
    .map((file) => basename(file, '.json'));
}

/** The dialect of a name, or of a file. Throws DialectError, and UsageError where it does not exist. */
export async function loadDialect(nameOrFile: string): Promise<Dialect> {
  const isShipped = shipped().includes(nameOrFile);
  if (!isShipped && !/[./\\]/.test(nameOrFile)) {
    throw new UsageError(
      `Unknown dialect ${JSON.stringify(nameOrFile)}; there is ${shipped().join(', ')}, or name a file.`,
    );
  }
  const path = isShipped ? `${folder}/${nameOrFile}.json` : nameOrFile;
  const dialect = readDialect(readFileSync(path, 'utf8'), path);
  // An erratum for an id that does not exist would excuse nothing, and hide a misspelt one.
  const known = [...requirementsOf(await catalogue('both')).keys(), ...listedCauses()];
  // Pairs of features are not listed one by one.
  const stray = dialect.strays(known).find((one) => !isKnownCause(one));
  if (stray !== undefined)
    throw new UsageError(`${path} excuses ${stray}, but no requirement is called so; see assay list.`);
  return dialect;
}

/** The dialect under which recorded traffic is judged: the one that is asked for, else the one it was driven under. */
export async function dialectOfTraffic(header: TraceHeader, asked: string | null): Promise<Dialect | null> {
  const driven = header.dialect;
  if (asked !== null) return loadDialect(asked);
  if (driven === null) return null;
  const known = shipped().includes(driven.name) ? await loadDialect(driven.name) : null;
  // A dialect of the same name may have changed since; verdicts by another one would differ from those of the
  // run.
  if (known?.digest === driven.digest) return known;
  throw new UsageError(
    known === null
      ? `The traffic was driven under the dialect ${driven.name}: give its file with --dialect.`
      : `The traffic was driven under another version of the dialect ${driven.name}; judge it by this one with --dialect ${driven.name}.`,
  );
}

/** The header of recorded traffic under a dialect. */
export function withDialect(header: TraceHeader, dialect: Dialect | null): TraceHeader {
  if (dialect === null) return header;
  const { name, digest, betaHeader } = dialect;
  return { ...header, dialect: { name, digest }, betaHeader: betaHeader ?? header.betaHeader };
}

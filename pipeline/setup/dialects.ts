import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import type { Exchange } from '../../exchange/exchange.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { isKnownCause, listedCauses } from '../../judge/acceptance/feature-list.ts';
import { type Dialect, readDialect } from '../../judge/dialects/dialect.ts';
import { requirementsOf } from '../../judge/requirements/catalogue.ts';
import { Call } from '../../judge/trace/call.ts';
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from './usage-error.ts';

/** Found through the package, because source and compiled code are at different depths. */
const dialectFolder = dirname(createRequire(import.meta.url).resolve('#dialects/dialect.schema.json'));

function shippedDialects(): readonly string[] {
  return readdirSync(dialectFolder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
    .map((file) => basename(file, '.json'));
}

/** Loads a dialect of the package or a file. Throws DialectError, and UsageError if there is no such dialect. */
export async function loadDialect(nameOrFile: string): Promise<Dialect> {
  const isShipped = shippedDialects().includes(nameOrFile);
  if (!isShipped && !/[./\\]/.test(nameOrFile)) {
    throw new UsageError(
      `Unknown dialect ${JSON.stringify(nameOrFile)}; there is ${shippedDialects().join(', ')}, or name a file.`,
    );
  }
  const path = isShipped ? `${dialectFolder}/${nameOrFile}.json` : nameOrFile;
  const dialect = readDialect(readRegularFile(path), path);
  // An erratum with an unknown id is a typo, and would excuse nothing.
  const all = await catalogue('both');
  const known = [...requirementsOf(all).keys(), ...listedCauses()];
  const stray = dialect.strays(known).find((one) => !isKnownCause(one));
  if (stray !== undefined)
    throw new UsageError(
      `${path} excuses ${stray}, but there is no such requirement${nearestNames(stray, known)}. assay list prints all of them.`,
    );
  const choices = new Map(all.choices.map(({ id, alternatives }) => [id, alternatives]));
  for (const [id, pinned] of Object.entries(dialect.choices)) {
    const alternatives = choices.get(id);
    if (alternatives === undefined)
      throw new UsageError(
        `${path} pins ${id}, but there is no such choice${nearestNames(id, [...choices.keys()])}. assay list prints all of them.`,
      );
    if (!alternatives.includes(pinned))
      throw new UsageError(
        `${path} pins ${id} to ${JSON.stringify(pinned)}; its alternatives are ${alternatives.join(', ')}.`,
      );
  }
  return dialect;
}

/** How many failing requirements a dialect of the package would excuse, by the findings that the report keeps. */
export function excusedBy(
  name: string,
  failing: readonly RequirementVerdict[],
  {
    exchange,
    betaHeader,
  }: { readonly exchange: (id: string) => Exchange | undefined; readonly betaHeader: string },
): number {
  const path = `${dialectFolder}/${name}.json`;
  const dialect = readDialect(readRegularFile(path), path);
  // The report keeps only the first finding of each signature; it stands for the others.
  return failing.filter(({ id, findings }) =>
    findings.every((finding) => {
      const shown = exchange(finding.exchange);
      const call = shown === undefined ? null : Call.from(shown, betaHeader, dialect);
      return dialect.excuse(id, { ...finding, actual: finding.actual }, call) !== null;
    }),
  ).length;
}

/** The requested dialect, else the one under which the traffic was driven. */
export async function dialectOfTraffic(header: TraceHeader, asked: string | null): Promise<Dialect | null> {
  const driven = header.dialect;
  if (asked !== null) return loadDialect(asked);
  if (driven === null) return null;
  const known = shippedDialects().includes(driven.name) ? await loadDialect(driven.name) : null;
  // The shipped dialect of that name may have changed since; its verdicts would differ from the run's.
  if (known?.digest === driven.digest) return known;
  throw new UsageError(
    known === null
      ? `The traffic was recorded with the dialect ${driven.name}: give its file with --dialect.`
      : `The traffic was recorded with another version of the dialect ${driven.name}; judge it by this one with --dialect ${driven.name}.`,
  );
}

export function withDialect(header: TraceHeader, dialect: Dialect | null): TraceHeader {
  if (dialect === null) return header;
  const { name, digest, betaHeader } = dialect;
  return { ...header, dialect: { name, digest }, betaHeader: betaHeader ?? header.betaHeader };
}

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import type { Exchange } from '../../exchange/exchange.ts';
import { isFile, readRegularFile } from '../../exchange/regular-file.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { isKnownCause, listedCauses } from '../../judge/acceptance/feature-list.ts';
import { type Dialect, readDialect } from '../../judge/dialects/dialect.ts';
import { requirementsOf } from '../../judge/requirements/catalogue.ts';
import { Call } from '../../judge/trace/call.ts';
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from './usage-error.ts';

/** Found through the package, because source and compiled code are at different depths. */
const dialectFolder = dirname(createRequire(import.meta.url).resolve('#dialects/dialect.schema.json'));

function shippedDialects(): readonly string[] {
  return readdirSync(dialectFolder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
    .map((file) => basename(file, '.json'));
}

/** Shipped dialects have names without these characters, so a file in the current folder cannot hide one. */
export function namesFile(nameOrFile: string): boolean {
  return /[./\\]/.test(nameOrFile);
}

/** Loads a shipped dialect or a file. Rejects with DialectError, and with UsageError for an unknown dialect or id. */
export async function loadDialect(nameOrFile: string): Promise<Dialect> {
  const isShipped = shippedDialects().includes(nameOrFile);
  if (!isShipped && !namesFile(nameOrFile)) {
    throw new UsageError(
      `Unknown dialect ${JSON.stringify(nameOrFile)}; name ${shippedDialects().join(', ')}, or the path of a dialect file.`,
    );
  }
  const path = isShipped ? `${dialectFolder}/${nameOrFile}.json` : nameOrFile;
  if (!isFile(path))
    throw new UsageError(`There is no dialect file ${path}; name one, or ${shippedDialects().join(', ')}.`);
  const dialect = readDialect(readRegularFile(path), path);
  await rejectUnknownIds(dialect, path);
  return dialect;
}

/** Rejects with UsageError for an unknown requirement, choice or alternative: a typo, which would have no effect. */
async function rejectUnknownIds(dialect: Dialect, path: string): Promise<void> {
  const all = await catalogue('both');
  const knownIds = [...requirementsOf(all).keys(), ...listedCauses()];
  const unknown = dialect.unknownPatterns(knownIds).find((pattern) => !isKnownCause(pattern));
  if (unknown !== undefined)
    throw new UsageError(
      `${path} excuses ${unknown}, but there is no such requirement${suggestNames(unknown, knownIds)}. assay list prints all of them.`,
    );
  const choices = new Map(all.choices.map(({ id, alternatives }) => [id, alternatives]));
  for (const [id, pinned] of Object.entries(dialect.choices)) {
    const alternatives = choices.get(id);
    if (alternatives === undefined)
      throw new UsageError(
        `${path} pins ${id}, but there is no such choice${suggestNames(id, [...choices.keys()])}. assay list prints all of them.`,
      );
    if (!alternatives.includes(pinned))
      throw new UsageError(
        `${path} pins ${id} to ${JSON.stringify(pinned)}; its alternatives are ${alternatives.join(', ')}.`,
      );
  }
}

/** Counts the failing requirements that a shipped dialect would excuse. */
export function countExcused(
  name: string,
  failing: readonly RequirementVerdict[],
  traffic: { readonly exchange: (id: string) => Exchange | undefined; readonly betaHeader: string },
): number {
  const path = `${dialectFolder}/${name}.json`;
  const dialect = readDialect(readRegularFile(path), path);
  // The report keeps only some findings of a requirement; the others are assumed to be excused like them.
  return failing.filter(({ id, findings }) =>
    findings.every((finding) => {
      const exchange = traffic.exchange(finding.exchange);
      const call = exchange === undefined ? null : Call.from(exchange, traffic.betaHeader, dialect);
      return dialect.excuse(id, { ...finding, actual: finding.actual }, call) !== null;
    }),
  ).length;
}

/**
 * The requested dialect, else that of the recording; null for neither. Rejects with UsageError if the recorded one is
 * not shipped or has changed.
 */
export async function dialectOfTraffic(
  header: TraceHeader,
  requested: string | null,
): Promise<Dialect | null> {
  if (requested !== null) return loadDialect(requested);
  const recorded = header.dialect;
  if (recorded === null) return null;
  const shipped = shippedDialects().includes(recorded.name) ? await loadDialect(recorded.name) : null;
  // The shipped dialect of that name may have changed since; its verdicts would differ from the run's.
  if (shipped?.digest === recorded.digest) return shipped;
  throw new UsageError(
    shipped === null
      ? `The traffic was recorded with the dialect ${recorded.name}: give its file with --dialect.`
      : `The traffic was recorded with another version of the dialect ${recorded.name}; judge it by the current version with --dialect ${recorded.name}.`,
  );
}

export function withDialect(header: TraceHeader, dialect: Dialect | null): TraceHeader {
  if (dialect === null) return header;
  const { name, digest, betaHeader } = dialect;
  return { ...header, dialect: { name, digest }, betaHeader: betaHeader ?? header.betaHeader };
}

import { randomBytes } from 'node:crypto';
import {
  configureForReference,
  configureForTarget,
  type RunConfiguration,
  type Settings,
} from '../drive/configuration/configuration.ts';
import { PreflightClient } from '../drive/preflight/preflight-client.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import { loadDialect } from './setup/dialects.ts';
import { UsageError } from './setup/usage-error.ts';
import { startEmbeddedReference } from './threads/embedded-reference.ts';

/** Factor by which the clock of the embedded reference is faster than real time, so that scenarios wait less. */
export const REFERENCE_CLOCK_SPEED = 10;

interface PreparedTarget {
  readonly configuration: RunConfiguration;
  readonly dialect: Dialect | null;
  close(): Promise<void>;
}

/** Uses the target of the settings; without one, starts a reference service with random keys. */
export async function prepareTarget(settings: Settings): Promise<PreparedTarget> {
  const dialect = settings.dialect === null ? null : await loadDialect(settings.dialect);
  if (settings.baseUrl !== null)
    return {
      configuration: configureForTarget(settings, requestDialectOf(dialect, settings)),
      dialect,
      close: async () => {},
    };
  const [apiKey, secondKey] = [generateKey(), generateKey()];
  const betaHeader = dialect?.betaHeader ?? settings.betaHeader;
  const pace = REFERENCE_CLOCK_SPEED;
  const { modelRoles } = await import('../reference/model/catalogue.ts');
  const reference = await startEmbeddedReference({ apiKey, secondKey, betaHeader, pace });
  const embedded = { baseUrl: reference.url, apiKey, secondKey, models: modelRoles, pace };
  return {
    configuration: configureForReference(settings, embedded, requestDialectOf(dialect, settings)),
    dialect,
    close: () => reference.close(),
  };
}

/** A key that no other process of this machine knows. Without keys, the requirements on them could not be judged. */
function generateKey(): string {
  return `assay-${randomBytes(16).toString('hex')}`;
}

export function requestDialectOf(
  dialect: Dialect | null,
  { dialect: given }: Pick<Settings, 'dialect'>,
): RunConfiguration['dialect'] {
  if (dialect === null) return null;
  const { name, digest, betaHeader, paths } = dialect;
  return { given: given ?? name, name, digest, betaHeader, paths };
}

/** Waits at most `waitFor` seconds for a response. Rejects with UsageError if none comes. */
export async function awaitService(settings: Settings): Promise<void> {
  const { waitFor, baseUrl } = settings;
  const client = new PreflightClient(configureForTarget(settings, null));
  try {
    const obstacle = await client.awaitTarget(waitFor, new AbortController().signal);
    if (obstacle === null) return;
    throw new UsageError(
      `${baseUrl} did not respond within ${waitFor} s (${obstacle}): start the service, or raise --wait-for.`,
    );
  } finally {
    await client.close();
  }
}

/** The service at `baseUrl`; else a new reference with `betaHeader` or the dialect's. Rejects as `loadDialect` does. */
export async function openService(
  { dialect }: Pick<Settings, 'dialect'>,
  { baseUrl, betaHeader }: { readonly baseUrl?: string; readonly betaHeader?: string },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (baseUrl !== undefined) return { url: baseUrl, close: async () => {} };
  const dialectHeader = dialect === null ? null : (await loadDialect(dialect)).betaHeader;
  return startEmbeddedReference({ betaHeader: betaHeader ?? dialectHeader ?? undefined });
}

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

/** How much faster the clock of the embedded reference runs, so that scenarios wait less. */
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
  // Random, so that no other process of this machine can use the service, and requirements on keys can be judged.
  const [apiKey = '', secondKey = ''] = [1, 2].map(() => `assay-${randomBytes(16).toString('hex')}`);
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

export function requestDialectOf(
  dialect: Dialect | null,
  { dialect: given }: Pick<Settings, 'dialect'>,
): RunConfiguration['dialect'] {
  if (dialect === null) return null;
  const { name, digest, betaHeader, paths } = dialect;
  return { given: given ?? name, name, digest, betaHeader, paths };
}

/** Waits at most `waitFor` seconds for a response. Throws UsageError if none comes. */
export async function awaitService(settings: Settings): Promise<void> {
  const { waitFor, baseUrl } = settings;
  const client = new PreflightClient(configureForTarget(settings, null));
  try {
    const missing = await client.awaitTarget(waitFor, new AbortController().signal);
    if (missing === null) return;
    throw new UsageError(
      `${baseUrl} did not respond within ${waitFor} s (${missing}): start the service, or raise --wait-for.`,
    );
  } finally {
    await client.close();
  }
}

/** The service of the settings, else the embedded reference with the dialect's beta header. Throws UsageError and DialectError. */
export async function answeringService(
  { dialect }: Pick<Settings, 'dialect'>,
  { baseUrl, betaHeader }: { readonly baseUrl?: string; readonly betaHeader?: string },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (baseUrl !== undefined) return { url: baseUrl, close: async () => {} };
  const named = dialect === null ? null : (await loadDialect(dialect)).betaHeader;
  return startEmbeddedReference({ betaHeader: betaHeader ?? named ?? undefined });
}

import { randomBytes } from 'node:crypto';
import {
  configureForReference,
  configureForTarget,
  type RunConfiguration,
  type Settings,
} from '../drive/configuration/configuration.ts';
import { PreflightClient } from '../drive/preflight/preflight-client.ts';
import type { Dialect } from '../judge/dialects/dialect.ts';
import { startEmbeddedReference } from './embedded-reference/embedded-reference.ts';
import { UsageError } from './usage-error.ts';

/** The clock of the embedded reference runs faster: scenarios wait for another second of it, and not so long. */
export const REFERENCE_CLOCK_SPEED = 10;

/** A configuration with its target up, and how to take down what was started for it. */
export interface PreparedTarget {
  readonly configuration: RunConfiguration;
  readonly dialect: Dialect | null;
  close(): Promise<void>;
}

/** Aims at the target that the settings name; without one, at a reference service that is started for it, with a random key. */
export async function prepareTarget(settings: Settings): Promise<PreparedTarget> {
  const dialect =
    settings.dialect === null ? null : await (await import('./dialects.ts')).loadDialect(settings.dialect);
  if (settings.baseUrl !== null)
    return {
      configuration: configureForTarget(settings, requestDialectOf(dialect)),
      dialect,
      close: async () => {},
    };
  // A random key, so that another process on this machine cannot use the service, and requirements on keys
  // can be judged.
  const apiKey = `assay-${randomBytes(16).toString('hex')}`;
  const betaHeader = dialect?.betaHeader ?? settings.betaHeader;
  const { modelRoles } = await import('../reference/model/catalogue.ts');
  const reference = await startEmbeddedReference({ apiKey, betaHeader, pace: REFERENCE_CLOCK_SPEED });
  const embedded = { baseUrl: reference.url, apiKey, models: modelRoles, pace: REFERENCE_CLOCK_SPEED };
  return {
    configuration: configureForReference(settings, embedded, requestDialectOf(dialect)),
    dialect,
    close: () => reference.close(),
  };
}

/** The part of a dialect that changes requests, as plain data. */
export function requestDialectOf(dialect: Dialect | null): RunConfiguration['dialect'] {
  if (dialect === null) return null;
  const { name, digest, betaHeader, paths } = dialect;
  return { name, digest, betaHeader, paths };
}

/** Waits until the service of the settings answers a request, at most `waitFor` seconds. Throws UsageError where it does not. */
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

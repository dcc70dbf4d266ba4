import { randomBytes } from 'node:crypto';
import { aimAtReference, aimAtTarget, type RunConfiguration, type Settings } from '../drive/configuration.ts';
import type { Dialect } from '../judge/dialect.ts';
import { startEmbeddedReference } from './embedded-reference.ts';

/** The clock of the embedded reference runs faster: scenarios wait for another second of it, and not so long. */
export const PACE = 10;

/** A configuration with its target up, and how to take down what was started for it. */
export interface Aimed {
  readonly configuration: RunConfiguration;
  readonly dialect: Dialect | null;
  close(): Promise<void>;
}

/** Aims at the target that the settings name; without one, at a reference service that is started for it, with a random key. */
export async function aim(settings: Settings): Promise<Aimed> {
  const dialect =
    settings.dialect === null ? null : await (await import('./dialects.ts')).dialectOf(settings.dialect);
  if (settings.baseUrl !== null)
    return { configuration: aimAtTarget(settings, told(dialect)), dialect, close: async () => {} };
  const apiKey = `assay-${randomBytes(16).toString('hex')}`;
  const betaHeader = dialect?.betaHeader ?? settings.betaHeader;
  const { modelRoles } = await import('../reference/model/catalogue.ts');
  const reference = await startEmbeddedReference({ apiKey, betaHeader, pace: PACE });
  const embedded = { baseUrl: reference.url, apiKey, models: modelRoles, pace: PACE };
  return {
    configuration: aimAtReference(settings, embedded, told(dialect)),
    dialect,
    close: () => reference.close(),
  };
}

/** What driving needs of a dialect, as plain data. */
export function told(dialect: Dialect | null): RunConfiguration['dialect'] {
  if (dialect === null) return null;
  const { name, digest, betaHeader, paths } = dialect;
  return { name, digest, betaHeader, paths };
}

import { randomBytes } from 'node:crypto';
import {
  aimAtReference,
  aimAtTarget,
  ConfigurationError,
  type RunConfiguration,
  type Settings,
} from '../drive/configuration.ts';

/** The clock of the embedded reference runs faster: scenarios wait for another second of it, and not so long. */
const PACE = 5;

/** A configuration with its target up, and how to take down what was started for it. */
export interface Aimed {
  readonly configuration: RunConfiguration;
  close(): Promise<void>;
}

/** Aims at the target that the settings name; without one, at a reference service started here with a random key. */
export async function aim(settings: Settings): Promise<Aimed> {
  if (settings.dialect !== null) {
    throw new ConfigurationError(
      `There is no dialect ${JSON.stringify(settings.dialect)}; the specification is the only one.`,
    );
  }
  if (settings.baseUrl !== null) return { configuration: aimAtTarget(settings, null), close: async () => {} };
  const [{ startReference }, { modelRoles }] = await Promise.all([
    import('../reference/service.ts'),
    import('../reference/model/catalogue.ts'),
  ]);
  const apiKey = `assay-${randomBytes(16).toString('hex')}`;
  const reference = await startReference({ apiKey, betaHeader: settings.betaHeader, pace: PACE });
  const embedded = { baseUrl: reference.url, apiKey, models: modelRoles, pace: PACE };
  return { configuration: aimAtReference(settings, embedded, null), close: () => reference.close() };
}

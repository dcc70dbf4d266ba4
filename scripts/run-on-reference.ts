// Drives the suite against a reference in this process, for scripts that need more than one run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnsweringProxy } from '../cli/testing/answering-proxy.ts';
import { configureForReference } from '../drive/configuration/configuration.ts';
import { readSettings } from '../drive/configuration/settings.ts';
import { runScenarios } from '../drive/run.ts';
import { modelRoles } from '../reference/model/catalogue.ts';
import { type Reference, type ReferenceOptions, serveReference } from '../reference/service.ts';

/** The key of the service, which checks keys so that the scenarios on missing and wrong ones give evidence. */
export const API_KEY = 'assay-the-key-of-a-run-in-process';
const SECOND_KEY = 'assay-the-key-of-another-organization';

export interface ReferenceRunOptions {
  readonly reference?: ReferenceOptions;
  readonly prepare?: (reference: Reference) => Promise<void>;
  readonly flags?: Readonly<Record<string, string | number>>;
  /** Seconds on the reference's clock per real second. Default 5, which keeps waits short. */
  readonly pace?: number;
  /** If false, the run treats the reference as a remote service, for example without postponing scenarios. */
  readonly embedded?: boolean;
  /** Decides which requests a proxy in front of the reference answers itself or changes. */
  readonly answer?: Parameters<typeof startAnsweringProxy>[1];
}

export async function runOnReference<T>(
  { reference = {}, prepare, flags = {}, pace = 5, embedded = true, answer }: ReferenceRunOptions,
  read: (cassette: string, settings: ReturnType<typeof readSettings>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-reference-run-'));
  const keys = { apiKey: API_KEY, secondKey: SECOND_KEY };
  let service: Reference | null = null;
  let proxy: Awaited<ReturnType<typeof startAnsweringProxy>> | null = null;
  try {
    service = await serveReference({ ...keys, pace, directory: join(folder, 'files'), ...reference });
    await prepare?.(service);
    if (answer !== undefined) proxy = await startAnsweringProxy(service.url, answer);
    const allFlags = { ...flags, reportDir: join(folder, 'report') };
    const settings = readSettings({ flags: allFlags, env: {}, file: null, readText: () => '' });
    const connection = { ...keys, baseUrl: (proxy ?? service).url, models: modelRoles, pace };
    const configuration = configureForReference(settings, connection, null);
    const target = { ...configuration.target, embedded };
    const { cassette, stopReason, crashed } = await runScenarios({ ...configuration, target });
    if (stopReason !== 'completed') throw new Error(`The run ended early: ${stopReason}.`);
    if (crashed.length > 0) throw new Error(`Scenarios crashed: ${JSON.stringify(crashed)}`);
    return await read(cassette, settings);
  } finally {
    await proxy?.close();
    await service?.close();
    await rm(folder, { recursive: true });
  }
}

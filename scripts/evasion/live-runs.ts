// Whole runs on the reference behind a service that refuses one request wherever it comes: they must be judged like the edited
// trace of a run without the refusal.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answeringProxy } from '../../cli/testing/answering-proxy.ts';
import { configureForReference } from '../../drive/configuration/configuration.ts';
import { readSettings } from '../../drive/configuration/settings.ts';
import { runScenarios } from '../../drive/run.ts';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { Body } from '../../exchange/http/body.ts';
import type { HeaderPairs } from '../../exchange/http/headers.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { startReference } from '../../reference/service.ts';
import type { EvasionJudge, EvasionVerdict } from './evasion-judge.ts';
import type { DistinctRequest } from './recorded-run.ts';
import { requestIdentity } from './request-identity.ts';

/** How many seconds of the service's clock pass in one of ours, so that scenarios wait little for its next second. */
const PACE = 5;
/** The service checks keys, so that the scenarios about missing and wrong ones show something. */
const apiKey = 'assay-the-key-of-an-evasion';

/** The verdict on a whole run against a service that refuses a request. @throws Error when the run ends early. */
export async function liveVerdict(
  judge: EvasionJudge,
  { identity }: DistinctRequest,
  betaHeader: string,
): Promise<EvasionVerdict> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-evasion-'));
  const service = await startReference({ apiKey, pace: PACE, directory: join(folder, 'files') });
  const before = await answeringProxy(service.url, ({ method, target, headers, body }) => {
    const request = { method, target, headers, body: Body.of(Buffer.from(body, 'latin1')) };
    return isAuthorized(headers) && requestIdentity(request, betaHeader) === identity
      ? { status: 400 }
      : null;
  });
  try {
    const settings = readSettings({
      flags: { reportDir: join(folder, 'report') },
      env: {},
      file: null,
      readText: () => '',
    });
    // Driven as the embedded reference, so that waiting is short.
    const embedded = { baseUrl: before.url, apiKey, models: modelRoles, pace: PACE };
    const { cassette, stopReason } = await runScenarios(configureForReference(settings, embedded, null));
    if (stopReason !== 'completed') throw new Error(`The run ended early: ${stopReason}.`);
    const { header, items } = await readTrace(cassette);
    return judge.ofAll(items, header);
  } finally {
    await before.close();
    await service.close();
    await rm(folder, { recursive: true });
  }
}

/** Requests without a key, or with another one, are refused by the service itself. */
function isAuthorized(headers: HeaderPairs): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'authorization' && value.endsWith(apiKey));
}

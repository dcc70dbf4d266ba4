import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JobWaits } from '../../drive/cleanup/job-waits.ts';
import { ResourceLedger } from '../../drive/cleanup/resource-ledger.ts';
import { configureForReference } from '../../drive/configuration/configuration.ts';
import { readSettings } from '../../drive/configuration/settings.ts';
import { PreflightClient } from '../../drive/preflight/preflight-client.ts';
import { RunSession } from '../../drive/run-session.ts';
import { WaitReports } from '../../drive/scenario/wait-reports.ts';
import { TargetScenarioContext } from '../../drive/scenario-runner.ts';
import { MemoryRecorder } from '../../exchange/cassette/recording.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { probeRequirementId } from '../../judge/probe/request-constraints.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { type Reference, serveReference } from '../../reference/service.ts';
import { importModules } from '../../schemas/import-modules.ts';
import { constraintsFor, isProbeLeftOut } from './probe-scenarios.ts';
import { probesOf } from './probes.ts';
import { type BaseRequest, isBaseRequest } from './requests.ts';

const modules = await importModules('suites', /^base\.[jt]s$/);
const bases = [...modules.values()].flatMap((module) => Object.values(module).flat().filter(isBaseRequest));
const operations = [...new Set(bases.map(({ operation }) => operation))];

let folder = '';
let reference: Reference;
let session: RunSession;
let context: TargetScenarioContext;

/** Prerequisites are created on the reference, so that base requests name objects that exist. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-bases-'));
  reference = await serveReference({ pace: 5 });
  const settings = readSettings({ flags: {}, env: {}, file: null, readText: () => '' });
  const embedded = { baseUrl: reference.url, apiKey: 'any', secondKey: null, models: modelRoles, pace: 5 };
  const configuration = configureForReference(settings, embedded, null);
  session = new RunSession(
    configuration,
    new MemoryRecorder(Redactor.none),
    new PreflightClient(configuration),
  );
  const header = {
    ledger: 1,
    baseUrl: reference.url,
    betaHeader: configuration.betaHeader,
    tag: 'assay',
  } as const;
  context = new TargetScenarioContext('bases', {
    tag: 'assay-1',
    session,
    ledger: ResourceLedger.create(join(folder, 'ledger.jsonl'), header),
    resumeState: null,
    jobWaits: new JobWaits(),
    waitReports: new WaitReports(() => {}),
  });
});

afterAll(async () => {
  await session.close();
  await reference.close();
  rmSync(folder, { recursive: true });
});

test.each(operations)(
  'the base requests of %s exercise every side of every constraint, or say why not',
  async (operation) => {
    const declared = bases.filter((base) => base.operation === operation);
    const missing: string[] = [];
    for (const base of declared) {
      const ready = await base.ready(context);
      for (const constraint of constraintsFor(base, declared)) {
        const planned = probesOf(constraint, base, ready, context);
        for (const side of constraint.sides) {
          const probeSide = side === 'accepted' ? 'valid' : 'violation';
          const isPlanned = planned.some(({ probe }) => probe.side === probeSide);
          if (!isPlanned && !isProbeLeftOut(base, constraint, side))
            missing.push(probeRequirementId(constraint, side));
        }
      }
    }
    expect(missing).toEqual([]);
  },
);

const excludingOperations = operations.filter((operation) =>
  bases.some((base) => base.operation === operation && Object.keys(base.leave ?? {}).length > 0),
);

test.each(excludingOperations)(
  'every exclusion of the base requests of %s matches a constraint',
  (operation) => {
    const declared = bases.filter((base) => base.operation === operation);
    for (const base of declared) {
      for (const glob of Object.keys(base.leave ?? {})) {
        const onlyThis: BaseRequest = { ...base, leave: { [glob]: '' } };
        const excluded = constraintsFor(base, declared).filter((constraint) =>
          constraint.sides.some((side) => isProbeLeftOut(onlyThis, constraint, side)),
        );
        expect({ glob, matches: excluded.length > 0 }).toEqual({ glob, matches: true });
      }
    }
  },
);

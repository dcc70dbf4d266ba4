import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Settings } from '../../drive/configuration/configuration.ts';
import { parseClaims } from '../../exchange/claims.ts';
import { type Requirement, requirementsOf } from '../../judge/requirements/catalogue.ts';
import { isClaimed, isFiltered } from '../../judge/requirements/selection.ts';
import type { Report } from '../../reports/report.ts';
import { groupBy } from '../../schemas/maps.ts';
import { catalogue } from '../../suites/index.ts';
import { type Configuration, runConformance, settingsOfConfiguration } from '../programmatic-run.ts';
import { activateExtensions } from '../setup/extensions-in-effect.ts';
import { refuseUnmatchedGlobs } from '../setup/unmatched-globs.ts';
import { type TestOutcome, testOutcomes } from './test-outcomes.ts';

export { type CassetteService, type CassetteTestOptions, cassetteTest } from '../../proxy/adapters/vitest.ts';

export interface StartedServer {
  /** Base URL of the server. */
  readonly url: string;
  /** Ends the server after the last test; may return a promise. */
  readonly close?: () => unknown;
}

export interface ConformanceOptions extends Omit<Configuration, 'baseUrl' | 'shard'> {
  /** The base URL of a running server, or a function that starts one before the first test. */
  readonly target: string | (() => StartedServer | Promise<StartedServer>);
  /** Name of the suite. Default: `assay`. */
  readonly name?: string;
}

interface JudgedRun {
  readonly report: Report;
  readonly outcomes: ReadonlyMap<string, TestOutcome>;
}

/**
 * Declares a suite with one test per requirement that the options select, grouped by family. The scenarios
 * run once, before the first test. A test fails where `assay run` would: with its findings, for an undecided MUST,
 * or for a defect of assay. It is skipped with the reason if the baseline accepts its result or nothing was decided.
 * The last test fails with the reasons for which `assay run` would not exit with 0, such as a missing operation.
 *
 *     conformance({ target: 'http://127.0.0.1:8000/v1', claim: ['chat'], model: { chat: 'my-model' } });
 */
export function conformance({ target, name = 'assay', ...configuration }: ConformanceOptions): void {
  describe(name, async () => {
    // A wrong option fails at collection, so that it does not look like a failing requirement.
    await activateExtensions(configuration.extension ?? []);
    const settings = settingsOfConfiguration(configuration);
    await refuseUnmatchedGlobs(settings);
    let server: StartedServer | null = null;
    let judged: JudgedRun | null = null;
    // A run takes as long as the target does; only the options limit it.
    beforeAll(async () => {
      server = typeof target === 'string' ? { url: target } : await target();
      judged = await runAgainst(server.url, configuration, settings);
    }, 0);
    afterAll(async () => {
      await server?.close?.();
    });
    const findOutcome = (id: string): TestOutcome =>
      judged?.outcomes.get(id) ?? { kind: 'skipped', reason: 'the run gave no verdict' };
    const selected = await selectRequirements(settings);
    for (const [family, requirements] of groupBy(selected, ({ families }) => families[0] ?? 'other')) {
      describe(family, () => {
        for (const { id } of requirements) declareTest(id, () => findOutcome(id));
      });
    }
    test('conforms', () => {
      if (judged === null) throw plainError('the run did not start');
      const { exitCode, verdict, reasons } = judged.report.summary;
      if (exitCode !== 0) throw plainError([`${verdict.replaceAll('-', ' ')}:`, ...reasons].join('\n'));
    });
  });
}

function declareTest(id: string, readOutcome: () => TestOutcome): void {
  test(id, async ({ annotate, skip }) => {
    const outcome = readOutcome();
    if (outcome.kind === 'skipped') skip(outcome.reason);
    else if (outcome.kind === 'annotated') await annotate(outcome.message, 'warning');
    else if (outcome.kind === 'failed') throw plainError(outcome.message);
  });
}

async function runAgainst(
  baseUrl: string,
  configuration: Omit<ConformanceOptions, 'target' | 'name'>,
  settings: Settings,
): Promise<JudgedRun> {
  let outcomes: JudgedRun['outcomes'] = new Map();
  const { report } = await runConformance(
    { ...configuration, baseUrl },
    {
      // The cassette is open only during this call.
      onReport: (finished) => {
        outcomes = testOutcomes(finished, settings);
      },
    },
  );
  return { report, outcomes };
}

async function selectRequirements({ claim, only, skip }: Settings): Promise<readonly Requirement[]> {
  return [...requirementsOf(await catalogue()).values()].filter(
    (requirement) =>
      (typeof claim === 'string' || isClaimed(requirement, parseClaims(claim))) &&
      !isFiltered(requirement, { only, skip }),
  );
}

/** An error whose stack is its message, because the place where assay threw it does not help. */
function plainError(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}

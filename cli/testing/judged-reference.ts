import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { TestUpstream } from '../../proxy/testing/upstream.ts';
import { modelRoles } from '../../reference/model/catalogue.ts';
import { type Reference, serveReference } from '../../reference/service.ts';
import type { Report } from '../../reports/report.ts';
import { startAnsweringProxy } from './answering-proxy.ts';
import { type CommandOptions, type CommandResult, runAssay } from './run-assay.ts';

export const MODEL_FLAGS = Object.entries(modelRoles).flatMap(([role, model]) => [
  '--model',
  `${role}=${model}`,
]);

export interface JudgedRun extends CommandResult {
  readonly dir: string;
}

type Answer = Parameters<typeof startAnsweringProxy>[1];

export interface JudgedReference {
  url(): string;
  /** Starts a proxy in front of the reference that answers or changes some requests; the caller closes it. */
  startBehind(answer: Answer): Promise<TestUpstream>;
  /** Runs `assay run` with its own report folder. `env` extends the environment of tests, where `CI` is set. */
  judge(url: string, flags: readonly string[], env?: CommandOptions['env']): Promise<JudgedRun>;
  judgeBehind(answer: Answer, flags: readonly string[]): Promise<JudgedRun>;
}

export function setUpJudgedReference(): JudgedReference {
  const folder = mkdtempSync(join(tmpdir(), 'assay-judged-'));
  let reference: Reference;
  beforeAll(async () => {
    reference = await serveReference({ pace: 5 });
  });
  afterAll(async () => {
    await reference.close();
    rmSync(folder, { recursive: true });
  });

  const startBehind = (answer: Answer) => startAnsweringProxy(reference.url, answer);
  const judge = async (url: string, flags: readonly string[], env: CommandOptions['env'] = {}) => {
    const dir = mkdtempSync(join(folder, 'run-'));
    const result = await runAssay(['run', '--base-url', url, '--report-dir', dir, ...flags], { env });
    return { ...result, dir };
  };
  const judgeBehind = async (answer: Answer, flags: readonly string[]) => {
    const target = await startBehind(answer);
    return judge(target.url, flags).finally(() => target.close());
  };
  return { url: () => reference.url, startBehind, judge, judgeBehind };
}

export function readReportIn(dir: string): Report {
  return JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
}

export function listFailing({ requirements }: Report): readonly string[] {
  return requirements.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []));
}

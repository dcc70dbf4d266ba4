// The recipes of docs/scale.md for Kubernetes and GitHub are valid by the schemas of these systems, and their commands
// give the same report as a check of the whole traffic.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runAssay } from '../cli/testing/run-assay.ts';
import { findCodeBlock, ROOT, readDocument } from './testing/documents.ts';
import { listSchemaErrors, readStoredSchema } from './testing/schema-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-recipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const page = readDocument('docs/scale.md');
const job = parse(findCodeBlock(page, 'yaml', 'kind: Job'));
const workflow = parse(findCodeBlock(page, 'yaml', 'on: workflow_dispatch'));
const [partitionCommand = ''] = commandsOf('partition');
const partCount = Number(/--parts (\d+)/.exec(partitionCommand)?.[1]);

test('the Job is valid for Kubernetes, with an index for each part', () => {
  const { definitions } = readStoredSchema('kubernetes-definitions.json') as { readonly definitions: object };
  const schema = { definitions, $ref: '#/definitions/io.k8s.api.batch.v1.Job' };
  expect(listSchemaErrors(job, schema)).toEqual([]);
  expect(listSchemaErrors({ ...job, spec: { ...job.spec, completions: 'four' } }, schema)).not.toEqual([]);
  // The schema is older than `completionMode` and does not check it.
  expect(job.spec).toMatchObject({ completionMode: 'Indexed', completions: partCount });
});

test('the workflow is valid for GitHub, with a job for each part', () => {
  const schema = readStoredSchema('github-workflow.json');
  expect(listSchemaErrors(workflow, schema)).toEqual([]);
  expect(listSchemaErrors({ ...workflow, jobs: { merge: { steps: 'none' } } }, schema)).not.toEqual([]);
  expect(workflow.jobs.check.strategy.matrix.part).toHaveLength(partCount);
});

test('the commands of the Job and the workflow judge each part, and give the same report as a check of the whole', async () => {
  cpSync(join(ROOT, 'cassettes/assistant-session'), join(folder, 'cassettes/day'), { recursive: true });
  const [container] = job.spec.template.spec.containers;
  const [checkCommand = ''] = commandsOf('check');
  const [mergeCommand = ''] = commandsOf('merge');
  expect((await run(partitionCommand)).code).toBe(0);
  for (const part of workflow.jobs.check.strategy.matrix.part) {
    // The Job judges the even parts, the workflow the odd ones.
    const command =
      part % 2 === 0
        ? container.args[0].replaceAll('$JOB_COMPLETION_INDEX', part)
        : checkCommand.replaceAll(/\$\{\{ matrix\.part \}\}/g, part);
    expect((await run(command)).code).toBe(0);
    expect(existsSync(join(folder, `partials/${part}.json`))).toBe(true);
  }
  const files = workflow.jobs.check.strategy.matrix.part.map((part: number) => `partials/${part}.json`);
  const merged = await run(mergeCommand.replace('partials/*.json', files.join(' ')));
  const checked = await run('npx assay check cassettes/day --report json --report-dir whole');
  expect(merged.code).toBe(checked.code);
  expect(reportIn('assay-report')).toBe(reportIn('whole'));
});

function commandsOf(name: string): readonly string[] {
  const steps: readonly { readonly run?: string }[] = workflow.jobs[name].steps;
  return steps.flatMap(({ run: command = '' }) => (command.startsWith('npx assay') ? [command] : []));
}

function run(command: string) {
  const words = command.trim().split(' ').slice(2);
  return runAssay(
    words.map((word) => word.replaceAll('"', '')),
    { cwd: folder },
  );
}

function reportIn(name: string): string {
  return readFileSync(join(folder, name, 'report.json'), 'utf8');
}

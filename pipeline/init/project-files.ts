import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import { UsageError } from '../usage-error.ts';
import type { Installation } from './installation.ts';
import type { TargetFindings } from './look-at-target.ts';
import { githubWorkflow, gitlabJob } from './workflows.ts';

/** Which CI system `assay init` writes a workflow for. */
export type WorkflowKind = 'github' | 'gitlab' | 'none';

/** What the files are made of. No secret is part of them. */
export interface ProjectFacts {
  /** The target, with `/v1`. */
  readonly baseUrl: string;
  /** Environment variable of the key; null where none is set now. The key itself is written nowhere. */
  readonly keyVariable: string | null;
  /** Name or file, as `--dialect` takes it; null for none. */
  readonly dialect: string | null;
  readonly findings: Pick<TargetFindings, 'claim' | 'models'>;
  /** Shell command that starts the service in the workflow; null where it runs elsewhere, or is not known. */
  readonly start: string | null;
  readonly workflow: WorkflowKind;
  /** How the workflow gets assay. */
  readonly installation: Installation;
}

/** The files that a run reads, of which only one may exist; `init` writes the first. */
const CONFIGURATIONS = ['assay.config.json', 'assay.config.mjs', 'assay.config.ts'];
/** Where a CI system looks for its file, or a person includes it from. */
const WORKFLOWS: Readonly<Record<Exclude<WorkflowKind, 'none'>, string>> = {
  github: '.github/workflows/assay.yml',
  gitlab: 'assay.gitlab-ci.yml',
};

/**
 * Writes `assay.config.json` and the workflow into a folder; returns their paths in it. Throws UsageError where one of them exists
 * and `replace` is not given: people edit these files.
 */
export function writeProjectFiles(
  folder: string,
  facts: ProjectFacts,
  existing: 'keep' | 'replace',
): readonly string[] {
  const { workflow } = facts;
  const files = [
    { path: 'assay.config.json', text: configurationText(facts) },
    ...(workflow === 'none' ? [] : [{ path: WORKFLOWS[workflow], text: workflowText(facts, workflow) }]),
  ];
  const old = [...CONFIGURATIONS, ...files.map(({ path }) => path)].filter((path) =>
    existsSync(join(folder, path)),
  );
  // Of several configuration files, a run takes none.
  const other = old.find((path) => CONFIGURATIONS.slice(1).includes(path));
  if (other !== undefined) throw new UsageError(`There is ${other} already; edit it, or remove it first.`);
  if (old.length > 0 && existing === 'keep')
    throw new UsageError(
      `There is ${[...new Set(old)].join(' and ')} already; --force replaces what assay init writes.`,
    );
  for (const { path, text } of files) {
    makeDirectory(dirname(join(folder, path)));
    writeFileSync(join(folder, path), text);
  }
  return files.map(({ path }) => path);
}

/** The options of a run on this target, as `assay.config.json`. */
function configurationText({ baseUrl, keyVariable, dialect, findings }: ProjectFacts): string {
  const { claim, models } = findings;
  const values = {
    format: 1,
    baseUrl,
    ...(keyVariable !== null && { apiKeyEnv: keyVariable }),
    ...(dialect !== null && { dialect }),
    claim,
    ...(Object.keys(models).length > 0 && { model: models }),
  };
  return `${JSON.stringify(values, null, 2)}\n`;
}

/** The file of one CI system. */
function workflowText(facts: ProjectFacts, kind: Exclude<WorkflowKind, 'none'>): string {
  return kind === 'github' ? githubWorkflow(facts) : gitlabJob(facts);
}

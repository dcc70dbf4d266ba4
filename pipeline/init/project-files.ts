import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import { isFile, readRegularFile } from '../../exchange/regular-file.ts';
import { writeNamedFile } from '../../exchange/replace-file.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../../schemas/json.ts';
import { UsageError } from '../setup/usage-error.ts';
import { type GitignoreOutcome, ignoreReportFolders } from './ignored-folders.ts';
import type { TargetFindings } from './look-at-target.ts';
import { githubWorkflow, gitlabJob, type WorkflowFacts } from './workflows.ts';

export type WorkflowKind = 'github' | 'gitlab' | 'none';

interface ProjectFacts extends WorkflowFacts {
  readonly dialect: string | null;
  readonly findings: Pick<TargetFindings, 'claim' | 'models'>;
  readonly workflow: WorkflowKind;
}

/** Options that `init` sets anew; it keeps the others, except a `baseline` whose file is missing. */
const REWRITTEN_OPTIONS = ['format', 'baseUrl', 'apiKeyEnv', 'dialect', 'claim', 'model'];

const CONFIGURATION_FILE = 'assay.config.json';
/** A run accepts only one of these; `init` writes the first. */
const CONFIGURATION_FILES = [CONFIGURATION_FILE, 'assay.config.mjs', 'assay.config.ts'];
const WORKFLOW_FILES: Readonly<Record<Exclude<WorkflowKind, 'none'>, string>> = {
  github: '.github/workflows/assay.yml',
  gitlab: 'assay.gitlab-ci.yml',
};

export interface WrittenProject {
  readonly files: readonly string[];
  readonly keptOptions: JsonObject;
  readonly gitignore: GitignoreOutcome;
}

/**
 * Writes the project files, and adds the report folders to `.gitignore`. Throws UsageError if another configuration
 * file exists, or one of the files to write does and `existing` is `keep`: people edit them.
 */
export function writeProjectFiles(
  folder: string,
  facts: ProjectFacts,
  existing: 'keep' | 'replace',
): WrittenProject {
  const { workflow } = facts;
  const keptOptions = readKeptOptions(folder);
  const files = [{ path: CONFIGURATION_FILE, text: configurationText(facts, keptOptions) }];
  if (workflow !== 'none') {
    const text = workflow === 'github' ? githubWorkflow(facts) : gitlabJob(facts);
    files.push({ path: WORKFLOW_FILES[workflow], text });
  }
  const foundPaths = [...CONFIGURATION_FILES, ...files.map(({ path }) => path)].filter((path) =>
    existsSync(join(folder, path)),
  );
  const otherFile = foundPaths.find((path) => CONFIGURATION_FILES.slice(1).includes(path));
  if (otherFile !== undefined)
    throw new UsageError(`${otherFile} already exists; edit it, or remove it first.`);
  const names = [...new Set(foundPaths)];
  if (names.length > 0 && existing === 'keep') {
    const verb = names.length === 1 ? 'exists' : 'exist';
    throw new UsageError(`${names.join(' and ')} already ${verb}; --force replaces what assay init writes.`);
  }
  for (const { path, text } of files) {
    makeDirectory(dirname(join(folder, path)));
    writeNamedFile(join(folder, path), text);
  }
  return { files: files.map(({ path }) => path), keptOptions, gitignore: ignoreReportFolders(folder) };
}

function readKeptOptions(folder: string): JsonObject {
  const path = join(folder, CONFIGURATION_FILE);
  if (!existsSync(path)) return {};
  const values = tryParseJson(readRegularFile(path));
  // A user who removed the baseline wants a new one, and a run with a missing baseline file ends immediately.
  const isMissingBaseline = ([name, value]: readonly [string, unknown]) =>
    name === 'baseline' && typeof value === 'string' && !isFile(resolve(folder, value));
  const options = Object.entries(isJsonObject(values) ? values : {});
  return Object.fromEntries(
    options.filter((option) => !REWRITTEN_OPTIONS.includes(option[0]) && !isMissingBaseline(option)),
  );
}

function configurationText(
  { baseUrl, keyVariable, dialect, findings, accepted = null }: ProjectFacts,
  keptOptions: JsonObject,
): string {
  const { claim, models } = findings;
  const values = {
    format: 1,
    baseUrl,
    ...(keyVariable !== null && { apiKeyEnv: keyVariable }),
    ...(dialect !== null && { dialect }),
    claim,
    ...(Object.keys(models).length > 0 && { model: isOnePath(models) ? Object.values(models)[0] : models }),
    ...(accepted !== null && { baseline: accepted.path }),
    ...keptOptions,
  };
  return `${JSON.stringify(values, null, 2)}\n`;
}

/** Whether several roles share a model whose id looks like a path, as the id of a local server's only model does. */
function isOnePath(models: TargetFindings['models']): boolean {
  const [id = '', ...others] = new Set(Object.values(models));
  return Object.keys(models).length > 1 && others.length === 0 && id.includes('/') && !/[=,\n]/.test(id);
}

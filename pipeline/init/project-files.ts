import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../exchange/directory.ts';
import { isJsonObject, type Json, type JsonObject } from '../../schemas/json.ts';
import { UsageError } from '../setup/usage-error.ts';
import type { TargetFindings } from './look-at-target.ts';
import { githubWorkflow, gitlabJob, type Installation } from './workflows.ts';

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

const CONFIGURATION = 'assay.config.json';
/** The files that a run reads, of which only one may exist; `init` writes the first. */
const CONFIGURATIONS = [CONFIGURATION, 'assay.config.mjs', 'assay.config.ts'];
/** Where a CI system looks for its file, or a person includes it from. */
const WORKFLOWS: Readonly<Record<Exclude<WorkflowKind, 'none'>, string>> = {
  github: '.github/workflows/assay.yml',
  gitlab: 'assay.gitlab-ci.yml',
};

/** What was written. */
export interface WrittenProject {
  /** Paths of the files in the folder. */
  readonly files: readonly string[];
  /** Options of the earlier configuration that stand in the new one. */
  readonly kept: JsonObject;
  /** Whether git ignores the folders of reports. */
  readonly ignored: IgnoredFolders;
}

/**
 * Writes `assay.config.json` and the workflow into a folder. Throws UsageError where one of them exists
 * and `replace` is not given: people edit these files. The folders of reports are added to the `.gitignore` of a repository. Options of an earlier configuration that it does not find out are kept.
 */
export function writeProjectFiles(
  folder: string,
  facts: ProjectFacts,
  existing: 'keep' | 'replace',
): WrittenProject {
  const { workflow } = facts;
  const kept = configured(join(folder, CONFIGURATION));
  const files = [
    { path: CONFIGURATION, text: configurationText(facts, kept) },
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
  return { files: files.map(({ path }) => path), kept, ignored: ignoreReportFolders(folder) };
}

/** The options that `init` finds out anew each time. */
const FOUND = ['format', 'baseUrl', 'apiKeyEnv', 'dialect', 'claim', 'model'];

/** The options of the configuration that is replaced which `init` does not find out, such as the baseline; none where it has none. */
function configured(path: string): JsonObject {
  if (!existsSync(path)) return {};
  const old = parsed(readFileSync(path, 'utf8'));
  return Object.fromEntries(Object.entries(old).filter(([name]) => !FOUND.includes(name)));
}

/** The object of a JSON text; an empty one where it is something else. */
function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as Json; // as: JSON.parse gives nothing else
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The options of a run on this target, as `assay.config.json`; `kept` comes last. */
function configurationText(
  { baseUrl, keyVariable, dialect, findings }: ProjectFacts,
  kept: JsonObject,
): string {
  const { claim, models } = findings;
  const values = {
    format: 1,
    baseUrl,
    ...(keyVariable !== null && { apiKeyEnv: keyVariable }),
    ...(dialect !== null && { dialect }),
    claim,
    ...(Object.keys(models).length > 0 && { model: models }),
    ...kept,
  };
  return `${JSON.stringify(values, null, 2)}\n`;
}

/** The file of one CI system. */
function workflowText(facts: ProjectFacts, kind: Exclude<WorkflowKind, 'none'>): string {
  return kind === 'github' ? githubWorkflow(facts) : gitlabJob(facts);
}

/** Folders that commands write into: reports with the recorded traffic, which does not belong in a repository. */
const FOLDERS = ['assay-report/', 'assay-again/', 'assay-client/', 'assay-watch/'];

/** Whether the folders are ignored now: by lines that were added, or by those that were there; null outside a git repository. */
export type IgnoredFolders = 'added' | 'there' | null;

/**
 * Adds the folders of reports to the `.gitignore` of a folder that is in a git repository, or that has such a file. Folders that
 * a line names already, be it as an exception, stay as they are.
 */
export function ignoreReportFolders(folder: string): IgnoredFolders {
  const path = join(folder, '.gitignore');
  const old = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (old === null && !isInRepository(folder)) return null;
  const named = new Set((old ?? '').split(/\r?\n/).map(nameIn));
  if (named.has('assay-*')) return 'there';
  const missing = FOLDERS.filter((one) => !named.has(nameIn(one)));
  if (missing.length === 0) return 'there';
  const lineBreak = old?.includes('\r\n') === true ? '\r\n' : '\n';
  const begun = old === null || old === '' || old.endsWith('\n') ? (old ?? '') : `${old}${lineBreak}`;
  writeFileSync(path, `${begun}${missing.map((one) => `${one}${lineBreak}`).join('')}`);
  return 'added';
}

/** The name in a line of `.gitignore`, without the signs that say where and how it applies. */
function nameIn(line: string): string {
  return line
    .trim()
    .replace(/^!?\/?/, '')
    .replace(/\/$/, '');
}

/** Whether the folder, or one above it, is the root of a repository; in a worktree, `.git` is a file. */
function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const above = dirname(folder);
  return above !== folder && isInRepository(above);
}

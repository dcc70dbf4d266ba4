// Checks of the sources themselves: `tsx scripts/check-sources.ts [CHECK…] [--list]`, part of `npm run check`.
// Without names all checks run; `--list` prints every violation, also of checks that are within their limit.

import { duplicateNames } from './checks/exported-names.ts';
import { folderReadmes } from './checks/folder-readme.ts';
import { largeFolders, sparseComments } from './checks/folders.ts';
import { booleanParameters, longFunctions, manyParameters } from './checks/functions.ts';
import { glossary } from './checks/glossary.ts';
import { importCycles } from './checks/import-cycles.ts';
import { allowedBy, type CheckName, LIMITS } from './checks/limits.ts';
import type { CheckResult } from './checks/problem.ts';
import { commentProse, publicProse } from './checks/prose.ts';
import { repeatedLines } from './checks/repeated-lines.ts';
import { readSources, repositoryFiles } from './checks/sources.ts';
import { testFiles } from './checks/test-files.ts';
import { unusedCode } from './checks/unused-code.ts';
import { scriptArguments } from './words.ts';

const { values, positionals } = scriptArguments(
  { list: { type: 'boolean' } },
  `tsx scripts/check-sources.ts [${Object.keys(LIMITS).join('|')}] [--list]`,
);
// npm runs scripts in the root of the repository.
const root = process.cwd();
const files = repositoryFiles(root);
const sources = readSources(root, files);

// Each check is called only when it is asked for: reading the dead code takes longer than all others
// together.
const CHECKS: Readonly<Record<CheckName, () => CheckResult>> = {
  'import-cycles': () => importCycles(sources),
  'long-functions': () => longFunctions(sources),
  'many-parameters': () => manyParameters(sources),
  'boolean-parameters': () => booleanParameters(sources),
  'large-folders': () => largeFolders(files),
  'sparse-comments': () => sparseComments(sources),
  'folder-readmes': () => folderReadmes(root, files),
  'duplicate-names': () => duplicateNames(sources),
  'repeated-lines': () => repeatedLines(sources),
  'public-prose': () => publicProse(root, files, sources),
  'comment-prose': () => commentProse(sources),
  'test-files': () => testFiles(sources),
  'unused-code': () => unusedCode(root),
  glossary: () => glossary(root, sources),
};

for (const name of namesOf(positionals)) {
  const { violations, total } = CHECKS[name]();
  const { allowed, goal } = allowedBy(LIMITS[name], total);
  const isTooMany = violations.length > allowed;
  if (isTooMany || values.list)
    for (const { file, line, problem, advice } of violations)
      console.log(`${file}:${line}  ${problem}  → ${advice}`);
  const state = isTooMany ? 'FAIL' : violations.length > goal ? 'todo' : 'ok  ';
  console.log(`${state}  ${name}: ${violations.length} violations, ${allowed} allowed, goal ${goal}`);
  if (isTooMany) process.exitCode = 1;
}

/**
 * The checks to run, in their usual order. Ends with 2 for an unknown name, because a typing error would pass
 * as "ok".
 */
function namesOf(given: readonly string[]): readonly CheckName[] {
  const names = Object.keys(LIMITS).filter((name): name is CheckName => name in LIMITS);
  const unknown = given.find((name) => !names.some((known) => known === name));
  if (unknown === undefined) return given.length === 0 ? names : names.filter((name) => given.includes(name));
  console.error(`Unknown check "${unknown}". The checks are ${names.join(', ')}.`);
  process.exit(2);
}

// Installs assay like the GitHub action: from its sources, with only what the command needs.
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from './installers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Installs a copy of the tracked files, and judges the reference with it. Rejects if either fails. */
export async function installAction(
  folder: string,
  called: (program: Program, cwd: string) => Promise<string>,
): Promise<void> {
  const copy = join(folder, 'action');
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 });
  // A runner has neither the build output nor the packages of this folder.
  for (const file of listed.split('\0').filter((name) => name !== ''))
    cpSync(join(root, file), join(copy, file));
  await called(['env', `GITHUB_ACTION_PATH=${copy}`, 'bash', join(copy, 'scripts/action-install.sh')], copy);
  const flags = ['--claim', 'models', '--report-dir', join(copy, 'report')];
  const output = await called([process.execPath, join(copy, 'dist/cli/main.js'), 'run', ...flags], copy);
  if (!output.includes('3 of 3 operations exercised')) throw new Error(output);
}

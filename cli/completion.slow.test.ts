import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from './program.ts';
import { runAssay } from './testing/run-assay.ts';

const { stdout: script } = await runAssay(['completion', 'bash']);

test.for([
  [['assay', ''], [...COMMAND_NAMES]],
  [
    ['assay', 'comp'],
    ['compare', 'completion'],
  ],
  [['assay', 'run', '--fail'], ['--fail-on']],
  [
    ['assay', 'init', '--workflow', ''],
    ['github', 'gitlab', 'none'],
  ],
  [
    ['assay', 'init', '--workflow', 'gi'],
    ['github', 'gitlab'],
  ],
  [['assay', 'check', 'assay-rep'], []],
] as const)('the bash script completes %j with %j', ([words, expected]) => {
  const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _assay; printf '%s\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8' });
  expect(printed.split('\n').filter((word) => word !== '')).toEqual(expected);
});

test('the zsh script is the bash script after bashcompinit', async () => {
  expect((await runAssay(['completion', 'zsh'])).stdout).toBe(
    `autoload -U +X bashcompinit && bashcompinit\n${script}`,
  );
});

test('the fish script completes commands, and the values of an option', async () => {
  const { stdout: fish } = await runAssay(['completion', 'fish']);
  expect(fish).toContain("__fish_use_subcommand -a scan -d '");
  expect(fish).toMatch(/__fish_seen_subcommand_from init" -l workflow -x -a 'github gitlab none' -d '/);
});

test.for(['tcsh', 'constructor'])('the unsupported shell %s is rejected', async (shell) => {
  const { code, stderr } = await runAssay(['completion', shell]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Use bash, zsh or fish')]);
});

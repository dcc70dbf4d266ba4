import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

/** Maximum ratio of the time of an installation to that of installing only the two largest dependencies. */
const MAX_RATIO = 5;
/** The fastest round counts, because other load only adds time. The first one fills the cache and does not count. */
const ROUNDS = 3;

/**
 * Measures and prints the time of `npm install` with a warm cache, and its ratio to that of installing only the two
 * largest dependencies; both are measured in turn, because seconds depend on the load. Rejects if the ratio exceeds the
 * limit.
 */
export async function checkInstallTime(folder: string, tarball: string): Promise<void> {
  const subjects = { assay: [tarball], bare: ['undici@7', 'ajv@8'] } as const;
  const times = { assay: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['assay', 'bare'] as const) {
      const seconds = await measureInstall(folder, subjects[name]);
      if (round > 0) times[name] = Math.min(times[name], seconds);
    }
  const ratio = times.assay / times.bare;
  console.log(
    `      npm install, warm: ${times.assay.toFixed(1)} s, ${ratio.toFixed(1)} × undici and ajv alone (${times.bare.toFixed(1)} s; at most ${MAX_RATIO} ×)`,
  );
  if (ratio > MAX_RATIO)
    throw new Error(
      `npm install of assay takes ${ratio.toFixed(1)} times as long as that of undici and ajv; the limit is ${MAX_RATIO} times. Remove or replace a dependency.`,
    );
}

async function measureInstall(folder: string, packages: readonly string[]): Promise<number> {
  const project = mkdtempSync(join(folder, 'time-'));
  writeFileSync(join(project, 'package.json'), '{"name":"project","version":"1.0.0","private":true}');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const began = performance.now();
  await runProgram(['npm', 'install', ...flags, ...packages], project);
  const seconds = (performance.now() - began) / 1000;
  rmSync(project, { recursive: true, force: true });
  return seconds;
}

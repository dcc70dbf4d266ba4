// The time of `npm install` with a warm cache, as a ratio to the installation of only its two largest dependencies, measured
// alternately, because seconds depend on the load. If these two take 1.2 s, the limit is 6 s.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './installers.ts';

/** Maximum ratio to the two packages. */
const MOST = 5;
/** Rounds; the fastest counts, because other load only adds. The first one fills the cache. */
const ROUNDS = 3;

type Call = (program: Program, cwd: string) => Promise<string>;

/** Measures and prints the time of an installation. Throws if it exceeds the limit. */
export async function checkInstallTime(folder: string, tarball: string, call: Call): Promise<void> {
  const subjects = { assay: [tarball], bare: ['undici@7', 'ajv@8'] } as const;
  const times = { assay: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['assay', 'bare'] as const) {
      const seconds = await timeOfInstall(folder, subjects[name], call);
      if (round > 0) times[name] = Math.min(times[name], seconds);
    }
  const ratio = times.assay / times.bare;
  console.log(
    `      npm install, warm: ${times.assay.toFixed(1)} s, ${ratio.toFixed(1)} × undici and ajv alone (${times.bare.toFixed(1)} s; at most ${MOST} ×)`,
  );
  if (ratio > MOST) throw new Error(`npm install takes ${ratio.toFixed(1)} × as long, at most ${MOST} ×`);
}

async function timeOfInstall(folder: string, packages: readonly string[], call: Call): Promise<number> {
  const project = mkdtempSync(join(folder, 'time-'));
  writeFileSync(join(project, 'package.json'), '{"name":"project","version":"1.0.0","private":true}');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const began = performance.now();
  await call(['npm', 'install', ...flags, ...packages], project);
  const seconds = (performance.now() - began) / 1000;
  rmSync(project, { recursive: true, force: true });
  return seconds;
}

// `npm run sample`: what a report looks like. A whole run against the reference, kept under reports/samples/reference.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kept = 'reports/samples/reference';
const folder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
try {
  const run = ['cli/main.ts', 'run', '--report', 'terminal,json,html,markdown', '--report-dir', folder];
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', ...run], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The reference does not conform: no sample is made of that.');
  mkdirSync(kept, { recursive: true });
  for (const file of ['report.json', 'report.html', 'summary.md'])
    copyFileSync(join(folder, file), join(kept, file));
} finally {
  rmSync(folder, { recursive: true });
}

// `npm run sample`: runs everything against the reference and keeps the report under reports/samples/reference.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kept = 'reports/samples/reference';
// The cassette is large and not needed for the page.
const folder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
try {
  const run = ['cli/main.ts', 'run', '--report', 'terminal,json,html,markdown', '--report-dir', folder];
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', ...run], { stdio: 'inherit' });
  // A sample with failures would look like a defect of the reference.
  if (status !== 0) throw new Error('The reference does not conform: no sample is made of that.');
  mkdirSync(kept, { recursive: true });
  // JUnit and CTRF, which only programs read, are not kept.
  for (const file of ['report.json', 'report.html', 'summary.md'])
    copyFileSync(join(folder, file), join(kept, file));
} finally {
  rmSync(folder, { recursive: true });
}

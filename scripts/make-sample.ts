// `npm run sample`: runs everything against the reference and keeps the report under reports/samples/reference.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kept = 'reports/samples/reference';
// The cassette of the run stays outside the repository: it is large, and the page does not need it.
const folder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
try {
  const run = ['cli/main.ts', 'run', '--report', 'terminal,json,html,markdown', '--report-dir', folder];
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', ...run], { stdio: 'inherit' });
  // A sample with failures would look like a defect of the reference to every reader.
  if (status !== 0) throw new Error('The reference does not conform: no sample is made of that.');
  mkdirSync(kept, { recursive: true });
  // JUnit and CTRF are not kept: they are read by programs, and say the same.
  for (const file of ['report.json', 'report.html', 'summary.md'])
    copyFileSync(join(folder, file), join(kept, file));
} finally {
  rmSync(folder, { recursive: true });
}

// `npm run sample`: runs everything against the reference and keeps the report under reports/samples/reference.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { REPORT_FOLDER } from '../drive/configuration/settings.ts';

const kept = 'reports/samples/reference';
// The cassette is large and not needed for the page.
const folder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
try {
  // The command runs in the temporary folder, so that the page names no folder of this machine.
  const command = ['--import', import.meta.resolve('tsx'), resolve('cli/main.ts'), 'run'];
  const run = [...command, '--report', 'terminal,json,html,markdown'];
  const { status } = spawnSync(process.execPath, run, { stdio: 'inherit', cwd: folder });
  // A sample with failures would look like a defect of the reference.
  if (status !== 0) throw new Error('The reference does not conform: no sample is written.');
  mkdirSync(kept, { recursive: true });
  // JUnit and CTRF, which only programs read, are not kept.
  for (const file of ['report.json', 'report.html', 'summary.md'])
    copyFileSync(join(folder, REPORT_FOLDER, file), join(kept, file));
} finally {
  rmSync(folder, { recursive: true });
}

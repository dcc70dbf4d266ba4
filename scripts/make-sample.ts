// `npm run sample` runs all but the large scenarios on the reference and writes a report to reports/samples/reference.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { REPORT_FOLDER } from '../drive/configuration/settings.ts';

const sampleFolder = 'reports/samples/reference';
// The run writes here, because its cassette is large and not part of the sample.
const runFolder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
try {
  // The command runs in the temporary folder, so that the report contains no path of this machine.
  const program = ['--import', import.meta.resolve('tsx'), resolve('cli/main.ts')];
  const args = [...program, 'run', '--report', 'terminal,json,html,markdown'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: runFolder });
  // A sample with failures would look like a defect of the reference.
  if (status !== 0) throw new Error(`assay run ended with ${status}: no sample is written. See its output.`);
  mkdirSync(sampleFolder, { recursive: true });
  for (const file of ['report.json', 'report.html', 'summary.md'])
    copyFileSync(join(runFolder, REPORT_FOLDER, file), join(sampleFolder, file));
} finally {
  rmSync(runFolder, { recursive: true });
}

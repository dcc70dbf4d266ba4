// `npm run generate:clients` writes docs/client-map.md from sessions of real clients. With `--session PACKAGE`, it runs
// one of these sessions against ASSAY_BASE_URL.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Report } from '../../reports/report.ts';
import { type JudgedClient, renderClientMap } from './client-map.ts';
import { CLIENTS, clientArguments } from './clients.ts';

const { values } = parseArgs({ options: { session: { type: 'string' } } });
if (values.session === undefined) writeMap();
else await runSession(values.session);

async function runSession(name: string): Promise<void> {
  const { ASSAY_BASE_URL: baseUrl } = process.env;
  const client = CLIENTS.find((one) => one.package === name);
  if (client === undefined)
    throw new Error(`--session ${name}: name one of ${CLIENTS.map((one) => one.package).join(', ')}.`);
  if (baseUrl === undefined) throw new Error('--session needs ASSAY_BASE_URL: run it with assay client.');
  // Node exits with 1 on an error, which would look like a verdict of assay.
  process.once('exit', (code) => (process.exitCode = code === 0 ? 0 : 3));
  await (await client.session())(baseUrl);
}

/** Judges the clients one at a time, because each loads a large library. */
function writeMap(): void {
  const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'));
  const script = ['--import', 'tsx', fileURLToPath(import.meta.url)];
  try {
    const judgedClients = CLIENTS.map((client, n): JudgedClient => {
      const dir = join(folder, `${n}`);
      const args = ['--import', 'tsx', 'cli/main.ts', ...clientArguments(client, script, dir)];
      const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      // as: our own report, whose schema is tested elsewhere
      const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
      // assay exits with the code of a session that failed.
      if (status !== report.summary.exitCode)
        throw new Error(`The session of ${client.name} failed: see above.`);
      return { client, report };
    });
    writeFileSync('docs/client-map.md', renderClientMap(judgedClients));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

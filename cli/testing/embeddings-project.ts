import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { createProjectWithExamples } from '../../extension/testing/project.ts';
import { runAssay } from './run-assay.ts';

export const EXTENSION = 'examples/embeddings/extension.json';

export interface EmbeddingsServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startEmbeddings(fault: string | null = null): Promise<EmbeddingsServer> {
  // as: the example is JavaScript, for readers who run it as it is
  const { startServer } = (await import(
    new URL('../../examples/embeddings/server.mjs', import.meta.url).href
  )) as {
    startServer(options: { readonly fault: string | null }): Promise<EmbeddingsServer>;
  };
  return startServer({ fault });
}

export function createEmbeddingsProject() {
  const folder = createProjectWithExamples();
  afterAll(() => rmSync(folder, { recursive: true }));

  const judge = async (url: string, name: string) => {
    const reportDir = join(folder, name);
    const flags = ['--base-url', url, '--claim', 'embeddings', '--report', 'json', '--report-dir', reportDir];
    const outcome = await runAssay(['run', '--extension', EXTENSION, ...flags], { cwd: folder });
    // A usage error, after which there is no report, names --help.
    expect(outcome.stderr).not.toContain('--help');
    return { ...outcome, report: JSON.parse(readFileSync(join(reportDir, 'report.json'), 'utf8')) };
  };
  return { folder, judge };
}

export function listIdsWith(
  report: { readonly requirements: readonly { id: string; verdict: string }[] },
  verdict: string,
) {
  return report.requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);
}

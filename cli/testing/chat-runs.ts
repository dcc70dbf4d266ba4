import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startReference } from '../../pipeline/faulty-reference/faulty-reference.ts';
import type { Reference } from '../../reference/service.ts';
import { runAssay } from './run-assay.ts';

/** The requirement that the reference breaks; also the name of its fault. */
export const BROKEN_REQUIREMENT = 'chat.stream.finish-reason-ends-choice';

const SCENARIOS = 'chat.plain,chat.stream.usage';
export const CHAT_FLAGS = ['--claim', 'chat', '--scenario', SCENARIOS, '--only', BROKEN_REQUIREMENT];

/** Starts a faulty reference for the tests of a file; each test has an empty working directory. */
export function prepareChatRuns() {
  let reference: Reference;
  let cwd: string;
  beforeAll(async () => {
    reference = await startReference({ fault: BROKEN_REQUIREMENT });
  });
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'assay-chat-'));
    return () => rmSync(cwd, { recursive: true });
  });
  afterAll(() => reference.close());
  return {
    cwd: () => cwd,
    referenceUrl: () => reference.url,
    run: (baseUrl: string, ...flags: readonly string[]) =>
      runAssay(['run', '--base-url', baseUrl, ...flags], { cwd }),
    readReportFile: (name: string) => readFileSync(join(cwd, 'assay-report', name), 'utf8'),
  };
}

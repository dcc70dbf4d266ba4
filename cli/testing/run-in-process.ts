import { vi } from 'vitest';
import { main } from '../program.ts';
import type { CommandResult } from './run-assay.ts';

/** Runs a command line in this process, which is quicker than in one of its own. */
export async function runInProcess(args: readonly string[]): Promise<CommandResult> {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(args);
    const said = ({ mock }: typeof stdout) => mock.calls.map(([text]) => String(text)).join('');
    return { code, stdout: said(stdout), stderr: said(stderr) };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

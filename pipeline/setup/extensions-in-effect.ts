// The module that loads extensions is imported only if there are any; most runs have none.
import type { TraceHeader } from '../../exchange/trace.ts';
import { extensions, useExtensions } from '../../schemas/index.ts';
import { UsageError } from './usage-error.ts';

/** Activates exactly these extensions in this thread. Rejects with ExtensionError or MissingPeer. */
export async function activateExtensions(files: readonly string[]): Promise<void> {
  if (files.length === 0) useExtensions([]);
  else await (await import('../../extension/load.ts')).loadExtensions(files);
}

/** Throws UsageError if an extension of the traffic is not active: its calls would be judged as unknown. */
export function refuseMissingExtensions({ extensions: recorded = [] }: TraceHeader): void {
  const missing = recorded.find(({ name }) => !extensions().some((active) => active.name === name));
  if (missing === undefined) return;
  throw new UsageError(
    `The traffic was recorded with the extension ${missing.name}: give it with --extension.`,
  );
}

let inProgress = { runs: 0, files: '' };

/** Activates extensions, which stay active, and calls `act`. Rejects with UsageError if a concurrent run has others. */
export async function withExtensions<T>(
  files: readonly string[] | undefined = [],
  act: () => Promise<T>,
): Promise<T> {
  const fileList = JSON.stringify(files);
  if (inProgress.runs > 0 && inProgress.files !== fileList)
    throw new UsageError(
      'Concurrent runs in one process need the same extensions: give them the same `extension`, or run them one after the other.',
    );
  inProgress = { runs: inProgress.runs + 1, files: fileList };
  try {
    await activateExtensions(files);
    return await act();
  } finally {
    inProgress = { ...inProgress, runs: inProgress.runs - 1 };
  }
}

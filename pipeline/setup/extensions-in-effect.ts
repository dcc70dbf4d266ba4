// The module that loads extensions is imported only if there are any.
import type { TraceHeader } from '../../exchange/trace.ts';
import { extensions, useExtensions } from '../../schemas/index.ts';
import { UsageError } from './usage-error.ts';

/** Activates exactly these extensions in this thread. Throws ExtensionError. */
export async function putIntoEffect(files: readonly string[]): Promise<void> {
  if (files.length === 0) useExtensions([]);
  else await (await import('../../extension/load.ts')).loadExtensions(files);
}

/** Throws UsageError if an extension of the traffic is not active: its calls would be judged as unknown. */
export function refuseMissingExtensions({ extensions: driven = [] }: TraceHeader): void {
  const missing = driven.find(({ name }) => !extensions().some((one) => one.name === name));
  if (missing === undefined) return;
  throw new UsageError(
    `The traffic was recorded with the extension ${missing.name}: give its file with --extension.`,
  );
}

let active = { runs: 0, files: '' };

export async function withExtensions<T>(
  files: readonly string[] | undefined = [],
  act: () => Promise<T>,
): Promise<T> {
  const fileList = JSON.stringify(files);
  if (active.runs > 0 && active.files !== fileList)
    throw new UsageError('Concurrent runs in one process need the same extensions.');
  active = { runs: active.runs + 1, files: fileList };
  try {
    await putIntoEffect(files);
    return await act();
  } finally {
    active = { ...active, runs: active.runs - 1 };
  }
}

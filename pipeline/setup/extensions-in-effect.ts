// Extensions of the commands, of programs and of the judging thread: the code that loads them is itself loaded only where there are any.
import type { TraceHeader } from '../../exchange/trace.ts';
import { extensions, useExtensions } from '../../schemas/index.ts';
import { UsageError } from './usage-error.ts';

/** Puts the extensions of these files, and no others, into effect in this thread. Throws ExtensionError. */
export async function putIntoEffect(files: readonly string[]): Promise<void> {
  if (files.length === 0) useExtensions([]);
  else await (await import('../../extension/load.ts')).loadExtensions(files);
}

/** Throws UsageError where traffic was driven with an extension that is not in effect: its calls would be judged as unknown ones. */
export function refuseMissingExtensions({ extensions: driven = [] }: TraceHeader): void {
  const missing = driven.find(({ name }) => !extensions().some((one) => one.name === name));
  if (missing === undefined) return;
  throw new UsageError(
    `The traffic was driven with the extension ${missing.name}: give its file with --extension.`,
  );
}

/** Runs of this process that are under way, and the extensions of all of them. */
let underWay = { runs: 0, files: '' };

/** Does something with the extensions of these files in effect. Throws UsageError where something else is done with other ones meanwhile. */
export async function withExtensions<T>(
  files: readonly string[] | undefined = [],
  act: () => Promise<T>,
): Promise<T> {
  const named = JSON.stringify(files);
  if (underWay.runs > 0 && underWay.files !== named)
    throw new UsageError('Two runs of one process at the same time need the same extensions.');
  underWay = { runs: underWay.runs + 1, files: named };
  try {
    await putIntoEffect(files);
    return await act();
  } finally {
    underWay = { ...underWay, runs: underWay.runs - 1 };
  }
}

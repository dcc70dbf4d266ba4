import { join } from 'node:path';
import { unknownVariableLines } from '../../drive/configuration/variables.ts';
import { printable } from '../../exchange/printable.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { CONFIGURATION_FILES } from './config-file.ts';

/**
 * Returns the warnings about variables `ASSAY_…` that nothing reads. `args`: the command line. The text of a
 * configuration file is searched rather than its values, because no other code has read or run it yet, and a program
 * may read variables of its own.
 */
export function variableNotices(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  folder: string,
): readonly string[] {
  const words = new Set(args.flatMap((word) => word.split(/[=,]/)));
  let fileWords: ReadonlySet<string> | null = null;
  const isNamed = (name: string): boolean => {
    if (words.has(name)) return true;
    fileWords ??= new Set(
      CONFIGURATION_FILES.flatMap((file) => readIfPresent(join(folder, file)).split(/\W+/)),
    );
    return fileWords.has(name);
  };
  return unknownVariableLines(env, isNamed).map(printable);
}

/** The text of a file; empty if it cannot be read, which its own reader reports. */
function readIfPresent(path: string): string {
  try {
    return readRegularFile(path);
  } catch {
    return '';
  }
}

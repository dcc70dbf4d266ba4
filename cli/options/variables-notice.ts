import { join } from 'node:path';
import { unknownVariableLines } from '../../drive/configuration/variables.ts';
import { printable } from '../../exchange/printable.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { CONFIGURATION_FILES } from './config-file.ts';

/**
 * The warnings about variables `ASSAY_…` that nothing reads. `args`: the command line. The text of a configuration file
 * is searched rather than its values, because this comes before any other code reads or runs it, and a program may read
 * variables of its own.
 */
export function variableNotices(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  folder: string,
): readonly string[] {
  const words = new Set(args.flatMap((word) => word.split(/[=,]/)));
  let texts: readonly string[] | null = null;
  const isNamed = (name: string): boolean => {
    if (words.has(name)) return true;
    texts ??= CONFIGURATION_FILES.map((file) => readIfPresent(join(folder, file)));
    return texts.some((text) => text.includes(name));
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

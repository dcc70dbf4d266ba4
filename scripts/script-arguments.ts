// Parses the arguments of scripts, and answers `--help`.
import { createHash } from 'node:crypto';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../schemas/error-message.ts';

export function scriptArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  options: O,
  usage: string,
): ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>> {
  // Before parsing, so that --help works with any other argument.
  if (process.argv.includes('--help')) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`${messageOf(error)}\nUsage: ${usage}`);
    process.exit(2);
  }
}

/** A number derived from a text, which selects a sample. */
export function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

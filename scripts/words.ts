// The command lines of scripts: their options, their help, and what an unknown option gives.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../schemas/error-message.ts';

/** The arguments of a script. Prints the usage and ends the process for --help (0) and for an unknown option (2). */
export function scriptArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  options: O,
  usage: string,
): ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>> {
  // Before parsing, so that help is printed beside any other word.
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

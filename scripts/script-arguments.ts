import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../schemas/error-message.ts';

export function parseScriptArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  options: O,
  usage: string,
): ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>> {
  // --help comes before parsing, so that it works with any other argument.
  if (process.argv.includes('--help')) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return rejectArguments(messageOf(error), usage);
  }
}

export function rejectArguments(problem: string, usage: string): never {
  console.error(`${problem}\nUsage: ${usage}`);
  process.exit(2);
}

import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The words after the name of a script. Where it knows no such option, or is asked for help, it says how it is used and ends. */
export function scriptArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  options: O,
  usage: string,
) {
  if (process.argv.includes('--help')) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: ${usage}`);
    process.exit(2);
  }
}

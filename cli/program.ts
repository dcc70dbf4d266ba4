import { Command } from 'commander';
import { tool } from '../pipeline/tool.ts';
import { UsageError } from '../pipeline/usage-error.ts';
import { check } from './check.ts';
import { cleanup } from './cleanup.ts';
import type { AddCommand } from './command.ts';
import { compare } from './compare.ts';
import { explain } from './explain.ts';
import { exitCode, words } from './failing.ts';
import { har } from './har.ts';
import { list } from './list.ts';
import { matrix } from './matrix.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';
import { run } from './run.ts';
import { scan } from './scan.ts';
import { serve } from './serve.ts';
import { show } from './show.ts';
import { verify } from './verify.ts';
import { watch } from './watch.ts';

/** Commands that start the command given after `--` beside a server of ours. */
const WITH_COMMAND: readonly AddCommand[] = [serve, record, replay, watch];
const COMMANDS: readonly AddCommand[] = [
  run,
  check,
  ...WITH_COMMAND,
  verify,
  show,
  scan,
  har,
  list,
  explain,
  compare,
  matrix,
  cleanup,
];

/**
 * Runs one command line (without `node assay`); answers with the exit code: 0, 1 or 2 as the gate says,
 * 2 where nothing could be done, a child's own where there is one.
 */
export async function main(args: readonly string[]): Promise<number> {
  let code = 0;
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const command = end === -1 ? [] : args.slice(end + 1);
  const finish = (result: number) => {
    code = result;
  };
  const program = makeProgram(own);
  for (const add of COMMANDS) {
    add(program, { command, finish });
    if (!WITH_COMMAND.includes(add)) refuseCommand(program, command);
  }
  try {
    await program.parseAsync(own, { from: 'user' });
    return code;
  } catch (error) {
    const message = words(error);
    if (message !== null) process.stderr.write(`${message}\n`);
    return exitCode(error);
  }
}

function makeProgram(args: readonly string[]): Command {
  return new Command('assay')
    .configureOutput({ outputError: (text, write) => write(`${text}${meant(text, args)}`) })
    .description('Tells whether an HTTP service keeps the specification of the assistants-and-inference API.')
    .version(tool().version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(--help lists what there is)')
    .exitOverride();
}

/** Commands that take no words of their own, and what is meant by one that stands there. */
function meant(error: string, args: readonly string[]): string {
  const [, name] = /^error: too many arguments for '(\w+)'/.exec(error) ?? [];
  if (name === undefined) return '';
  if (['serve', 'record', 'watch'].includes(name))
    return `(a command to run stands after --, as in: assay ${name} … -- npm test)\n`;
  const takesUrl = name === 'run' && args.some((word) => /^https?:\/\//.test(word));
  return takesUrl ? '(the target is named with --base-url)\n' : '';
}

/** The command added last is not one that runs others. */
function refuseCommand(program: Command, command: readonly string[]): void {
  const added = program.commands.at(-1);
  added?.hook('preAction', () => {
    if (command.length > 0)
      throw new UsageError(`assay ${added.name()} runs no command; leave out what follows --.`);
  });
}

import { Command } from 'commander';
import { packageInfo } from '../pipeline/setup/package-info.ts';
import { UsageError } from '../pipeline/setup/usage-error.ts';
import { errorMessage, exitCodeOf, isWrongUsage } from './command-errors.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import type { Invocation } from './options/command.ts';

/**
 * Runs one command line (without `node assay`). Resolves to the exit code: that of the gate, 2 if the command
 * could not run, or that of the child process. Never rejects.
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
  const name = own.find((word) => !word.startsWith('-') && word !== 'help');
  try {
    for (const entry of COMMANDS) {
      if (entry.name === name) await addWhole(program, entry, { command, finish });
      else addListed(program, entry);
    }
    await program.parseAsync(own, { from: 'user' });
    return code;
  } catch (error) {
    const message = errorMessage(error);
    const help = isWrongUsage(error) && isCommand(name) ? `(${helpHint(name)})\n` : '';
    if (message !== null) process.stderr.write(`${message}\n${help}`);
    if (message !== null && asksForAnnotations(own)) {
      // Loaded here: it needs most of the reports, which would slow every start.
      const { githubError } = await import('../reports/formats/github.ts');
      process.stdout.write(githubError(message));
    }
    return exitCodeOf(error);
  }
}

/** Whether `--report` names github: the error that ended the command is then annotated like a failure. */
function asksForAnnotations(args: readonly string[]): boolean {
  return args.some((word, n) => {
    const formats = args[n - 1] === '--report' ? word : (/^--report=(.*)$/.exec(word)?.[1] ?? '');
    return formats.split(',').includes('github');
  });
}

function isCommand(word: string | undefined): word is string {
  return COMMANDS.some(({ name }) => name === word);
}

function helpHint(command: string): string {
  return `assay ${command} --help lists its options`;
}

/** With `exitOverride`, commander throws instead of exiting, so that cassettes and ports are closed first. */
function makeProgram(args: readonly string[]): Command {
  return new Command('assay')
    .configureOutput({ outputError: (text, write) => write(`${text}${hintOn(text, args)}`) })
    .description(
      'Checks whether an HTTP service conforms to the specification of the assistants-and-inference API.',
    )
    .version(packageInfo().version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(assay --help lists the commands)')
    .exitOverride();
}

/** A superfluous argument is probably a command, or the URL of a target. */
function hintOn(error: string, args: readonly string[]): string {
  const [, name] = /^error: too many arguments for '(\w+)'/.exec(error) ?? [];
  if (name === undefined) return '';
  if (['serve', 'record', 'watch', 'client'].includes(name))
    return `(write the command to run after --, as in: assay ${name} … -- npm test)\n`;
  const takesUrl = name === 'run' && args.some((word) => /^https?:\/\//.test(word));
  return takesUrl ? '(give the target with --base-url)\n' : '';
}

/** A command that starts no child rejects words after `--`. */
export async function addWhole(program: Command, entry: CommandEntry, invocation: Invocation): Promise<void> {
  const { addCommand } = await entry.load();
  addCommand(program, invocation);
  const added = program.commands.at(-1)?.summary(entry.summary);
  added?.showHelpAfterError(`(${helpHint(entry.name)})`);
  if (entry.startsCommand) return;
  added?.hook('preAction', () => {
    if (invocation.command.length > 0)
      throw new UsageError(`assay ${entry.name} runs no command; leave out what follows --.`);
  });
}

/** For commands that this command line does not use: the help only lists name, summary and arguments. */
function addListed(program: Command, { name, summary, args }: CommandEntry): void {
  const listed = program.command(name).summary(summary).option('--listed');
  for (const arg of args) listed.argument(arg);
}

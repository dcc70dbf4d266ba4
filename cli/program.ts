import { Command } from 'commander';
import { packageInfo } from '../pipeline/setup/package-info.ts';
import { UsageError } from '../pipeline/setup/usage-error.ts';
import { errorMessage, exitCodeOf, isWrongUsage } from './command-errors.ts';
import { COMMANDS, type CommandEntry } from './commands.ts';
import type { Invocation } from './options/command.ts';

/**
 * Runs one command line (without `node assay`); resolves to the exit code: 0, 1 or 2 as the gate decides, 2 where the command
 * could not run, that of a child process where there is one. Never rejects.
 */
export async function main(args: readonly string[]): Promise<number> {
  let code = 0;
  // Words after `--` belong to the child process; commander must not read them as options of assay.
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const command = end === -1 ? [] : args.slice(end + 1);
  const finish = (result: number) => {
    code = result;
  };
  const program = makeProgram(own);
  const asked = own.find((word) => !word.startsWith('-') && word !== 'help');
  try {
    for (const entry of COMMANDS) {
      if (entry.name === asked) await addWhole(program, entry, { command, finish });
      else addListed(program, entry);
    }
    await program.parseAsync(own, { from: 'user' });
    return code;
  } catch (error) {
    const message = errorMessage(error);
    // A wrong option is put right with the help of its command.
    const help = isWrongUsage(error) && isCommand(asked) ? `(${helpHint(asked)})\n` : '';
    if (message !== null) process.stderr.write(`${message}\n${help}`);
    if (message !== null && asksForAnnotations(own)) {
      // Loaded here, as it needs most of the reports: every command would start later for it.
      const { githubError } = await import('../reports/formats/github.ts');
      process.stdout.write(githubError(message));
    }
    return exitCodeOf(error);
  }
}

/** Whether `--report` names github: what ended the command is then annotated like a failure, though no report was made. */
function asksForAnnotations(args: readonly string[]): boolean {
  return args.some((word, n) => {
    const formats = args[n - 1] === '--report' ? word : (/^--report=(.*)$/.exec(word)?.[1] ?? '');
    return formats.split(',').includes('github');
  });
}

/** Whether a word names a command of assay. */
function isCommand(word: string | undefined): word is string {
  return COMMANDS.some(({ name }) => name === word);
}

/** Where the options of a command are listed. */
function helpHint(command: string): string {
  return `assay ${command} --help lists its options`;
}

/**
 * `exitOverride` makes commander throw instead of ending the process, so that open cassettes and ports are
 * closed first.
 */
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

/** A hint after the message on a superfluous argument: it is probably a command, or the URL of a target. */
function hintOn(error: string, args: readonly string[]): string {
  const [, name] = /^error: too many arguments for '(\w+)'/.exec(error) ?? [];
  if (name === undefined) return '';
  if (['serve', 'record', 'watch', 'client'].includes(name))
    return `(write the command to run after --, as in: assay ${name} … -- npm test)\n`;
  const takesUrl = name === 'run' && args.some((word) => /^https?:\/\//.test(word));
  return takesUrl ? '(give the target with --base-url)\n' : '';
}

/** Adds a command with its options. One that starts no command rejects words after `--`. */
export async function addWhole(program: Command, entry: CommandEntry, invocation: Invocation): Promise<void> {
  const add = await entry.load();
  add(program, invocation);
  const added = program.commands.at(-1)?.summary(entry.summary);
  added?.showHelpAfterError(`(${helpHint(entry.name)})`);
  if (entry.startsCommand) return;
  added?.hook('preAction', () => {
    if (invocation.command.length > 0)
      throw new UsageError(`assay ${entry.name} runs no command; leave out what follows --.`);
  });
}

/** Adds a command that is not used by this command line: the help lists it by name, summary and arguments. */
function addListed(program: Command, { name, summary, args }: CommandEntry): void {
  const listed = program.command(name).summary(summary).option('--listed');
  for (const arg of args) listed.argument(arg);
}

import { createRequire } from 'node:module';
import { Command, Option } from 'commander';
import { TOOL } from '../exchange/tool.ts';
import { UsageError } from '../pipeline/setup/usage-error.ts';
import { errorMessage, exitCodeOf, isWrongUsage } from './command-errors.ts';
import type { Execute } from './options/command.ts';
import { PARSERS } from './options/flag-values.ts';

interface OptionRow {
  readonly flags: string;
  readonly says: string;
  readonly parse?: keyof typeof PARSERS;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly required?: true;
}

interface CommandRow {
  readonly summary: string;
  readonly description: string;
  /** A usage text that contains `-- command` declares that the command runs the words after `--`. */
  readonly usage?: string;
  readonly arguments?: Readonly<Record<string, string>>;
  /** Options of this command, names of shared options, or `@` and the name of a group of shared options. */
  readonly options: readonly (OptionRow | string)[];
  readonly example: string;
}

interface CommandTable {
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly options: Readonly<Record<string, OptionRow>>;
  readonly commands: Readonly<Record<string, CommandRow>>;
}

const COMMAND_TABLE = createRequire(import.meta.url)('#cli/commands.json') as CommandTable; // as: cli/help.slow.test.ts covers every row

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMAND_TABLE.commands);

/** Commands are loaded on use, which keeps startup short. */
const COMMAND_MODULES: Readonly<Record<string, () => Promise<{ readonly execute: Execute<never> }>>> = {
  run: () => import('./commands/run.ts'),
  init: () => import('./commands/init.ts'),
  check: () => import('./commands/check.ts'),
  partition: () => import('./commands/partition.ts'),
  merge: () => import('./commands/merge.ts'),
  serve: () => import('./commands/serve.ts'),
  record: () => import('./commands/record.ts'),
  replay: () => import('./commands/replay.ts'),
  watch: () => import('./commands/watch.ts'),
  client: () => import('./commands/client.ts'),
  verify: () => import('./commands/verify.ts'),
  show: () => import('./commands/show.ts'),
  scan: () => import('./commands/scan.ts'),
  recover: () => import('./commands/recover.ts'),
  har: () => import('./commands/har.ts'),
  list: () => import('./commands/list.ts'),
  explain: () => import('./commands/explain.ts'),
  prove: () => import('./commands/prove.ts'),
  compare: () => import('./commands/compare.ts'),
  matrix: () => import('./commands/matrix.ts'),
  report: () => import('./commands/report.ts'),
  cleanup: () => import('./commands/cleanup.ts'),
  completion: () => import('./commands/completion.ts'),
};

/** Leaves out `help` before an unknown command: commander would print general help and not reject the name. */
function withoutUselessHelp(args: readonly string[]): readonly string[] {
  const [first, name] = args;
  const isUnknown =
    first === 'help' &&
    name !== undefined &&
    name !== 'help' &&
    !name.startsWith('-') &&
    !Object.hasOwn(COMMAND_TABLE.commands, name);
  return isUnknown ? [name] : args;
}

/** Runs a command line (without `node assay`). Resolves to its exit code, 2 after an error; never rejects. */
export async function main(args: readonly string[]): Promise<number> {
  let code = 0;
  const separator = args.indexOf('--');
  const ownArgs = withoutUselessHelp(separator === -1 ? args : args.slice(0, separator));
  const command = separator === -1 ? [] : args.slice(separator + 1);
  const program = makeProgram(ownArgs);
  for (const [name, row] of Object.entries(COMMAND_TABLE.commands))
    addCommand(program, name, row).action(async (...parameters: readonly unknown[]) => {
      const self = parameters.at(-1) as Command; // as: commander passes the command last
      await warnOfUnknownVariables(ownArgs);
      if (command.length > 0 && !startsCommand(row))
        throw new UsageError(`assay ${name} runs no command; leave out what follows --.`);
      refuseMissingOption(self, row);
      const load = COMMAND_MODULES[name];
      if (load === undefined) throw new Error(`cli/program.ts has no module for the command ${name}`);
      // as: the table declares the flags that each command reads
      code = await (await load()).execute({ args: self.args, flags: self.opts() as never, self, command });
    });
  try {
    await program.parseAsync(ownArgs, { from: 'user' });
    return code;
  } catch (error) {
    const message = errorMessage(error);
    const name = findCommandName(ownArgs);
    const help = isWrongUsage(error) && name !== undefined ? `(${helpHint(name)})\n` : '';
    if (message !== null) process.stderr.write(`${message}\n${help}`);
    if (message !== null && asksForAnnotations(ownArgs)) {
      // Loaded only here, because it needs most of the reports, which would slow every start.
      const { githubError } = await import('../reports/formats/github.ts');
      process.stdout.write(githubError(message));
    }
    return exitCodeOf(error);
  }
}

/** A misspelt variable may explain any error that follows, so this comes first. */
async function warnOfUnknownVariables(args: readonly string[]): Promise<void> {
  // Most environments have no such variable, and loading the module would slow every start.
  if (!Object.keys(process.env).some((name) => name.startsWith('ASSAY_'))) return;
  const { variableNotices } = await import('./options/variables-notice.ts');
  for (const line of variableNotices(process.env, args, process.cwd())) process.stderr.write(`${line}\n`);
}

function addCommand(program: Command, name: string, row: CommandRow): Command {
  const command = program
    .command(name)
    .summary(row.summary)
    .description(row.description)
    .showHelpAfterError(`(${helpHint(name)})`)
    .addHelpText('after', `\nExample:\n${row.example}`);
  if (row.usage !== undefined) command.usage(row.usage);
  for (const [argument, says] of Object.entries(row.arguments ?? {})) command.argument(argument, says);
  for (const option of row.options.flatMap(optionRows)) command.addOption(makeOption(option));
  return command;
}

function optionRows(row: OptionRow | string): readonly OptionRow[] {
  if (typeof row !== 'string') return [row];
  if (row.startsWith('@')) return (COMMAND_TABLE.groups[row.slice(1)] ?? []).flatMap(optionRows);
  const shared = COMMAND_TABLE.options[row];
  if (shared === undefined) throw new Error(`cli/commands.json has no option ${row}`);
  return [shared];
}

function makeOption({ flags, says, parse, choices, ...row }: OptionRow): Option {
  const option = new Option(flags, says);
  if (choices !== undefined) option.choices(choices);
  // as: commander passes each parser the value that it returned before
  if (parse !== undefined) option.argParser(PARSERS[parse] as (text: string, before: unknown) => unknown);
  return 'default' in row ? option.default(row.default) : option;
}

/** Commander would check this before unknown options, and report a misspelt required option as missing. */
function refuseMissingOption(command: Command, row: CommandRow): void {
  for (const { required, flags } of row.options.flatMap(optionRows))
    if (required === true && command.getOptionValue(new Option(flags).attributeName()) === undefined)
      command.error(`error: required option '${flags}' not specified`);
}

function startsCommand({ usage = '' }: CommandRow): boolean {
  return usage.includes('-- command');
}

function asksForAnnotations(args: readonly string[]): boolean {
  return args.some((word, n) => {
    const formats = args[n - 1] === '--report' ? word : (/^--report=(.*)$/s.exec(word)?.[1] ?? '');
    return formats.split(/[,\n]/).some((format) => format.trim() === 'github');
  });
}

function findCommandName(args: readonly string[]): string | undefined {
  return args.find((word) => COMMAND_NAMES.includes(word));
}

function helpHint(command: string): string {
  return `assay ${command} --help lists its options`;
}

/** With `exitOverride`, commander throws instead of exiting, so that cassettes and ports are closed first. */
function makeProgram(args: readonly string[]): Command {
  return new Command('assay')
    .configureOutput({
      outputError: (text, write) =>
        write(`${replaceSuggestion(hideValue(text), args)}${describeExcessArgument(text, args)}`),
    })
    .description(
      'Checks whether an HTTP service conforms to the specification of the assistants-and-inference API.',
    )
    .version(TOOL.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(assay --help lists the commands)')
    .exitOverride();
}

/** Removes the value of an unknown option, because it is a key if `--api-key-env` was meant. */
function hideValue(error: string): string {
  return error.replace(/^(error: unknown option '-[^=]*)=.*'(?=\n)/s, "$1'");
}

/**
 * Replaces the suggestion of commander for `--config`, because `--no-config` would ignore the intended file, and for
 * `--api-key`, because a user who writes it has a key and not the name of a variable.
 */
function replaceSuggestion(error: string, args: readonly string[]): string {
  return error
    .replace(
      /(unknown option '--config')\n\(Did you mean --no-config\?\)/,
      '$1\n(assay.config.ts, .mjs or .json of the working directory is read without an option)',
    )
    .replace(
      /(unknown option '--api[-_]?key')(?:\n\(Did you mean .*\))?/i,
      (_, option: string) => `${option}${keyHint(args)}`,
    );
}

/** Says how the command of the arguments gets a key; returns an empty text if it takes none. */
function keyHint(args: readonly string[]): string {
  const row = COMMAND_TABLE.commands[findCommandName(args) ?? ''];
  const option = row?.options.flatMap(optionRows).find(({ flags }) => flags.startsWith('--api-key-env'));
  if (option === undefined) return '';
  return option.says.includes('ASSAY_API_KEY')
    ? '\n(the key is read from ASSAY_API_KEY; --api-key-env NAME names another variable)'
    : '\n(the key is read from the variable that --api-key-env NAME names)';
}

function describeExcessArgument(error: string, args: readonly string[]): string {
  const [, name] = /^error: too many arguments for '(\w+)'/.exec(error) ?? [];
  if (name === undefined) return '';
  const row = COMMAND_TABLE.commands[name];
  if (row !== undefined && startsCommand(row) && row.arguments === undefined)
    return `(write the command to run after --, as in: assay ${name} … -- npm test)\n`;
  const hasUrl = name === 'run' && args.some((word) => /^https?:\/\//.test(word));
  return hasUrl ? '(give the target with --base-url)\n' : '';
}

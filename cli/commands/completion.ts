import type { Command, Option } from 'commander';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { Execute } from '../options/command.ts';

/** Derives the script from the command table, so that it matches this version. */
export const execute: Execute<object> = async ({ args: [shell = ''], self }) => {
  const writeScript = SCRIPTS.get(shell);
  if (writeScript === undefined)
    throw new UsageError(`No completion script for ${JSON.stringify(shell)}. Use bash, zsh or fish.`);
  process.stdout.write(`${writeScript(self.parent?.commands ?? []).join('\n')}\n`);
  return 0;
};

const SCRIPTS: ReadonlyMap<string, (commands: readonly Command[]) => readonly string[]> = new Map([
  ['bash', bashScript],
  ['zsh', (commands) => ['autoload -U +X bashcompinit && bashcompinit', ...bashScript(commands)]],
  ['fish', fishScript],
]);

/** Completes commands, options and values of options; where none matches, `-o default` completes paths. */
function bashScript(commands: readonly Command[]): readonly string[] {
  const values = commands.flatMap((command) =>
    command.options
      .filter(({ argChoices }) => argChoices !== undefined)
      .map(({ long, argChoices }) => [`${command.name()} ${long}`, argChoices?.join(' ') ?? '']),
  );
  const options = commands.map((command) => [`${command.name()} -*`, longNames(command).join(' ')]);
  return [
    '_assay() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    '  local words="" current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}"',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${commands.map((command) => command.name()).join(' ')}"`,
    '  else',
    '    case "$command $before" in',
    ...values.map(([pattern, words]) => `      "${pattern}") words="${words}" ;;`),
    '    esac',
    '    [ -z "$words" ] && case "$command $current" in',
    ...options.map(([pattern, words]) => `      ${pattern?.replace(' ', '\\ ')}) words="${words}" ;;`),
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _assay assay',
  ];
}

function longNames({ options }: Command): readonly string[] {
  return [...options.flatMap(({ long }) => long ?? []), '--help'];
}

function fishScript(commands: readonly Command[]): readonly string[] {
  return commands.flatMap((command) => [
    `complete -c assay -f -n __fish_use_subcommand -a ${command.name()} -d ${quoteForFish(command.summary())}`,
    ...command.options.map(
      (option) =>
        `complete -c assay -n "__fish_seen_subcommand_from ${command.name()}" -l ${option.name()}${fishValue(option)} -d ${quoteForFish(option.description)}`,
    ),
  ]);
}

function fishValue({ argChoices, required }: Option): string {
  if (argChoices !== undefined) return ` -x -a ${quoteForFish(argChoices.join(' '))}`;
  return required ? ' -r' : '';
}

/** Quotes a string for fish, where only backslash and single quote are special between single quotes. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}

import { printableLines } from '../../exchange/printable.ts';
import { publish } from '../../pipeline/publish.ts';
import { publishIndex } from '../../pipeline/publish-index.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { verdictSentence } from '../../reports/verdict-words.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Execute, Invocation } from '../options/command.ts';

interface Flags {
  readonly cassette: string;
  readonly dialect?: string;
  readonly extension?: readonly string[];
  readonly expires: number;
}

/** Exits with 0 whatever the published verdict is, and with 2 if the index had to leave out an unreadable folder. */
export const execute: Execute<Flags> = async ({ args: [action = '', dir = ''], flags, self }) => {
  if (dir.trim() === '') throw new UsageError(`report ${action}: the name of the folder is empty.`);
  if (action === 'index') {
    refuseFlagsOfPublish(self);
    const { folders, problems } = publishIndex(dir, Date.now());
    print(
      ...problems,
      folders.length === 0
        ? `${dir}/index.html lists no folder, because none could be read`
        : `${dir}/index.html lists ${plural(folders.length, 'published folder')}: ${folders.join(', ')}`,
    );
    return problems.length === 0 ? 0 : 2;
  }
  if (action !== 'publish')
    throw new UsageError(`report ${action}: unknown action. Use report publish DIR, or report index DIR.`);
  print(await publishFolder(dir, flags));
  return 0;
};

function refuseFlagsOfPublish(self: Invocation<Flags>['self']): void {
  const flag = ['cassette', 'dialect', 'extension', 'expires'].find(
    (name) => self.getOptionValueSource(name) === 'cli',
  );
  if (flag !== undefined)
    throw new UsageError(`--${flag} has no effect on report index. Give it to report publish.`);
}

function print(...lines: readonly string[]): void {
  process.stderr.write(`${printableLines(lines.join('\n'))}\n`);
}

async function publishFolder(dir: string, flags: Flags): Promise<string> {
  const { cassette, dialect = null, extension: extensions = [], expires: days } = flags;
  const { report, expires } = await publish({ dir, cassette, dialect, extensions, days, now: Date.now() });
  return `${dir} says: ${verdictSentence(report)}. It expires on ${expires}. Host it as it is; ${dir}/index.html is the page. The command on the page fetches assay from the npm registry.`;
}

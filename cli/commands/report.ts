import { printableLines } from '../../exchange/printable.ts';
import { publish, publishIndex } from '../../pipeline/publish.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { plural } from '../../reports/report.ts';
import { verdictSentence } from '../../reports/verdict-sentence.ts';
import type { Execute, Invocation } from '../options/command.ts';

interface Flags {
  readonly cassette: string;
  readonly dialect?: string;
  readonly extension?: readonly string[];
  readonly expires: number;
}

/** Exits with 0 whatever the verdict is: it was published. */
export const execute: Execute<Flags> = async ({ args: [action = '', dir = ''], flags, self }) => {
  if (action === 'index') refuseFlagsOfPublish(self);
  const line = action === 'index' ? indexed(dir) : await published(action, dir, flags);
  process.stderr.write(`${printableLines(line)}\n`);
  return 0;
};

function refuseFlagsOfPublish(self: Invocation<Flags>['self']): void {
  const given = ['cassette', 'dialect', 'extension', 'expires'].find(
    (name) => self.getOptionValueSource(name) === 'cli',
  );
  if (given !== undefined)
    throw new UsageError(`--${given} has no effect on report index. Give it to report publish.`);
}

function indexed(dir: string): string {
  const names = publishIndex(dir, Date.now());
  return `${dir}/index.html lists ${plural(names.length, 'published folder')}: ${names.join(', ')}`;
}

async function published(action: string, dir: string, flags: Flags): Promise<string> {
  if (action !== 'publish') throw new UsageError(`report ${action}: it takes publish DIR, or index DIR.`);
  const { cassette, dialect = null, extension: extensions = [], expires: days } = flags;
  const { report, expires } = await publish({ dir, cassette, dialect, extensions, days, now: Date.now() });
  return `${dir} says: ${verdictSentence(report)}. It expires on ${expires}. Host it as it is; ${dir}/index.html is the page`;
}

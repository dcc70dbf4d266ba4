// No two places of the suites share 12 or more equal lines: what is said twice is changed once.
import type { CheckResult, SourceProblem } from './problem.ts';
import { isTest, type Source } from './sources.ts';

/** So many equal lines make a copy. Imports, comments and blank lines do not count. */
const MIN_LINES = 12;

/** One line of code without its indentation. */
interface CodeLine {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** A run of lines, and the place where the same run stands before. */
interface Place {
  readonly file: string;
  readonly line: number;
}

/** Places in the suites that repeat the lines of an earlier place; each is reported once, where it begins. */
export function repeatedLines(sources: readonly Source[]): CheckResult {
  const seen = new Map<string, Place>();
  const violations: SourceProblem[] = [];
  for (const source of sources) {
    if (!source.file.startsWith('suites/') || isTest(source.file)) continue;
    let reported = -1;
    const lines = codeLines(source);
    for (let i = 0; i + MIN_LINES <= lines.length; i += 1) {
      const run = lines
        .slice(i, i + MIN_LINES)
        .map(({ text }) => text)
        .join('\n');
      const line = lines[i]?.line ?? 1;
      const before = seen.get(run);
      if (before === undefined) seen.set(run, { file: source.file, line });
      // A longer copy is a series of runs, each of which begins one line later.
      else if (i > reported) violations.push(problemOf({ file: source.file, line }, before));
      if (before !== undefined) reported = i + MIN_LINES;
    }
  }
  return { violations };
}

/** The later place, with the earlier one in words. */
function problemOf({ file, line }: Place, before: Place): SourceProblem {
  return {
    file,
    line,
    problem: `${MIN_LINES} or more lines are equal to those from ${before.file}:${before.line}`,
    advice: 'State once what both share, with a parameter for the rest.',
  };
}

/** The lines of a source that hold code. */
function codeLines({ text, program, comments, lineOf }: Source): readonly CodeLine[] {
  const left = new Set<number>();
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration');
  for (const { start, end } of [...imports, ...comments])
    for (let line = lineOf(start); line <= lineOf(end - 1); line += 1) left.add(line);
  return text
    .split('\n')
    .map((one, i) => ({ text: one.trim(), line: i + 1 }))
    .filter((one) => one.text !== '' && !left.has(one.line));
}

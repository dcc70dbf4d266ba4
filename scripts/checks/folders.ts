// At most 15 files in a folder beside its tests, and enough comments in each.
import { posix } from 'node:path';
import type { CheckResult, SourceProblem } from './problem.ts';
import { isTest, type Source } from './sources.ts';

/** As many names as a reader takes in at a glance. */
const MAX_FILES = 15;
/** Lower bound of well-documented projects of this field; they have 15 to 40 %. */
const MIN_COMMENT_SHARE = 0.15;

/** Folders that hold data, or one file for each family, object, fault or command: they may be as large as their subject. */
const ONE_FILE_EACH =
  /^(suites\/data\/choices|schemas\/(examples|objects|requests|envelopes|events|lines)|reference\/families|reference\/faults\/(families|filed)|reference\/audio\/clips|reports\/samples|cassettes|cli\/commands)(\/|$)/;

/** Files whose content is data in the form of TypeScript: literals that explain themselves by their fields. */
const IS_DATA =
  /\.(requirements|suite)\.ts$|\/(exclusions|base|samples|resources|states|benign|equivalent-mutants)\.ts$|^reference\/(faults|choices)\/(families|filed)\/|^bench\//;

/** Folders with too many files. Tests, the README and what lies deeper do not count. */
export function largeFolders(files: readonly string[]): CheckResult {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = posix.dirname(file);
    // The root holds what tools expect there, and documents are not sources.
    if (folder === '.' || file.endsWith('.test.ts') || file.endsWith('.md') || ONE_FILE_EACH.test(folder))
      continue;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const violations: SourceProblem[] = [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => ({
      file: folder,
      line: 1,
      problem: `${count} files, at most ${MAX_FILES} allowed beside tests`,
      advice: 'Group files that change together into a folder named after their job.',
    }));
  return { violations };
}

/** Folders whose code has too few comment lines, data and tests left out. Blank lines do not count. */
export function sparseComments(sources: readonly Source[]): CheckResult {
  const folders = new Map<string, { lines: number; comments: number }>();
  for (const source of sources) {
    if (isTest(source.file) || IS_DATA.test(source.file)) continue;
    const folder = posix.dirname(source.file);
    const sum = folders.get(folder) ?? { lines: 0, comments: 0 };
    // Blank lines separate, and say nothing about how much is explained.
    sum.lines += source.text.split('\n').filter((line) => line.trim() !== '').length;
    sum.comments += commentLines(source);
    folders.set(folder, sum);
  }
  const violations: SourceProblem[] = [...folders]
    .filter(([folder, { lines, comments }]) => folder !== '.' && comments / lines < MIN_COMMENT_SHARE)
    .sort()
    .map(([folder, { lines, comments }]) => ({
      file: folder,
      line: 1,
      problem: `${comments} of ${lines} lines are comments (${percent(comments / lines)}), at least ${percent(MIN_COMMENT_SHARE)} wanted`,
      advice: 'Give every exported type and function a sentence: meaning, units, errors, invariants.',
    }));
  return { violations };
}

/** Lines that hold a comment, alone or after code. */
function commentLines(source: Source): number {
  const lines = new Set<number>();
  for (const { start, end } of source.comments)
    for (let line = source.lineOf(start); line <= source.lineOf(end - 1); line += 1) lines.add(line);
  return lines.size;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

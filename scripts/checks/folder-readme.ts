// Each folder says its job in two sentences: a reader who opens it learns what belongs there before opening a file.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { CheckResult, SourceProblem } from './problem.ts';
import { isTest } from './sources.ts';

/** Sentences that the job of a folder takes at least: what it does, and where to begin or what does not belong there. */
const SENTENCES = 2;

/** Folders that the page of the folder above describes as a kind: `suites/README.md` has one folder for each family. */
const DESCRIBED_ABOVE = /^suites\/(?!generate)/;

/** Folders with sources whose README.md, or the comment at the head of whose main file, is missing or too short. */
export function folderReadmes(root: string, files: readonly string[]): CheckResult {
  const folders = new Set(
    files.filter((file) => file.endsWith('.ts') && !isTest(file)).map((file) => posix.dirname(file)),
  );
  const violations: SourceProblem[] = [...folders]
    .filter((folder) => folder !== '.' && !DESCRIBED_ABOVE.test(folder))
    .filter((folder) => !descriptionsOf(root, folder).some((text) => sentencesIn(text) >= SENTENCES))
    .sort()
    .map((folder) => ({
      file: folder,
      line: 1,
      problem: 'the folder does not say its job in two sentences',
      advice: `Write ${folder}/README.md: what the folder does, and which file to open first.`,
    }));
  return { violations };
}

/** The first paragraph of the README.md, and the first comment of the main file; either one is enough. */
function descriptionsOf(root: string, folder: string): readonly string[] {
  const main = ['index.ts', 'main.ts', `${posix.basename(folder)}.ts`].map((name) => `${folder}/${name}`);
  return [
    firstParagraph(read(root, `${folder}/README.md`)),
    ...main.map((file) => headComment(read(root, file))),
  ];
}

/** The text of a file; empty where it does not exist. */
function read(root: string, file: string): string {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The first lines of a page that are not a heading, up to an empty line. */
export function firstParagraph(text: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const length = lines.slice(Math.max(from, 0)).findIndex((line) => line.trim() === '');
  return from === -1 ? '' : lines.slice(from, length === -1 ? undefined : from + length).join(' ');
}

/** The line comments with which a source begins. */
export function headComment(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join(' ');
}

/** Number of sentences. A full stop within a name, such as `run.ts`, ends none. */
export function sentencesIn(text: string): number {
  return text.match(/[.!?](?=\s|$)/g)?.length ?? 0;
}

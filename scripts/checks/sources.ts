// Reads and parses the TypeScript sources of the repository once, for all checks that look at their syntax.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comment, type Program, parseSync } from 'oxc-parser';

/** A node of the syntax tree (ESTree with TypeScript nodes). Fields depend on `type`. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A parsed source file. Offsets are UTF-16 code units, lines count from 1. */
export interface Source {
  /** Path from the root of the repository, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  lineOf(offset: number): number;
}

/** Tracked and new files below `root`, as git lists them; deleted ones are left out. */
export function repositoryFiles(root: string): readonly string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return list.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
}

/** The parsed sources below `root`; declaration files, which are generated, are left out. Throws on a syntax error. */
export function readSources(root: string, files: readonly string[]): readonly Source[] {
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => parseSource(file, readFileSync(join(root, file), 'utf8')));
}

/** Parses one source. Throws an Error that names the file when the text is not valid TypeScript. */
export function parseSource(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`);
  // Offsets of the lines, once for each file: checks ask for thousands of line numbers.
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return { file, text, program, comments, lineOf: (offset) => lineAt(starts, offset) };
}

/** True for tests and for what only tests use. */
export function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/testing/') || file === 'vitest.config.ts';
}

/** The direct children of a node, in the order of their fields. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** Calls `visit` for a node and everything below it, parents first. */
export function walkSyntax(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | null) => void,
  parent: SyntaxNode | null = null,
): void {
  visit(node, parent);
  for (const child of childrenOf(node)) walkSyntax(child, visit, node);
}

/** Whether a value is a node of the syntax tree. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}

/** The root of a source's tree. */
export function rootOf(source: Source): SyntaxNode {
  const { program } = source;
  if (!isNode(program)) throw new Error(`${source.file} has no syntax tree`);
  return program;
}

/** The number of the line that contains an offset, by binary search. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

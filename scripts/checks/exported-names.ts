// One name for one thing: a name that two files export has to mean the same in both.

import type { CheckResult, SourceProblem } from './problem.ts';
import { isNode, isTest, rootOf, type Source, type SyntaxNode } from './sources.ts';

/** Names that files of one sort export by agreement, because they are found by the name of their file. */
const BY_AGREEMENT: Readonly<Record<string, RegExp>> = {
  routes: /^reference\/families\//,
  choices: /^reference\/choices\/families\//,
  faults: /^reference\/faults\/(families|filed)\//,
  rows: /^bench\/.*\.bench\.ts$/,
};

/** Everything that a suite's files export is found by the kind of the file; only names that others import matter. */
const FOUND_BY_FILE =
  /^suites\/.*(\.(requirements|suite)|\/(exclusions|states|benign|equivalent-mutants)|^suites\/exclusions)\.ts$/;

/** Types that two rooms declare on purpose, with one meaning: the reference shares no code with what judges it. */
const SAME_MEANING = new Set(['ToolCall']);

/** Names that several files export. Re-exports are not counted. */
export function duplicateNames(sources: readonly Source[]): CheckResult {
  const places = new Map<string, SourceProblem[]>();
  for (const source of sources) {
    // Tests export nothing that others import.
    if (source.file.endsWith('.test.ts') || FOUND_BY_FILE.test(source.file)) continue;
    for (const [name, line] of exportedNames(source)) {
      // Names by agreement are fine within their folder, and nowhere else.
      if (SAME_MEANING.has(name) || BY_AGREEMENT[name]?.test(source.file)) continue;
      const found = places.get(name) ?? [];
      found.push({ file: source.file, line, problem: name, advice: '' });
      places.set(name, found);
    }
  }
  const violations = [...places].flatMap(([name, found]) => (found.length > 1 ? describe(name, found) : []));
  return { violations };
}

/** One violation in each file that exports the name. */
function describe(name: string, found: readonly SourceProblem[]): readonly SourceProblem[] {
  return found.map(({ file, line }) => ({
    file,
    line,
    problem: `${name} is also exported by ${found.flatMap((other) => (other.file === file ? [] : [other.file])).join(', ')}`,
    advice: isTest(file)
      ? 'Name what the test double is.'
      : 'Name each after its own meaning, or keep one and import it.',
  }));
}

/** The names that a file declares and exports, with their lines. */
export function exportedNames(source: Source): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const statements = rootOf(source)['body'];
  for (const statement of Array.isArray(statements) ? statements.filter(isNode) : []) {
    const declaration = statement['declaration'];
    if (statement.type !== 'ExportNamedDeclaration' || !isNode(declaration)) continue;
    for (const id of declaredIn(declaration)) {
      const name = id['name'];
      if (typeof name === 'string' && !names.has(name)) names.set(name, source.lineOf(id.start));
    }
  }
  return names;
}

/** Identifiers that a declaration introduces; destructuring patterns are not exported here. */
function declaredIn(declaration: SyntaxNode): readonly SyntaxNode[] {
  const { id, declarations } = declaration;
  if (isNode(id)) return [id];
  if (!Array.isArray(declarations)) return [];
  return declarations.filter(isNode).flatMap((one) => (isNode(one['id']) ? [one['id']] : []));
}

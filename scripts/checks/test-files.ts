// Rules that keep the tests quick and independent of each other: `npm run test:fast` leaves out `*.slow.test.ts` by its name
// alone, and the test files of a worker share its process and modules.
import { posix } from 'node:path';
import type { CheckResult, SourceProblem } from './problem.ts';
import { childrenOf, isNode, rootOf, type Source, type SyntaxNode, walkSyntax } from './sources.ts';

/** In milliseconds, for a test or a hook. */
const MOST_TIME = 60_000;
/** Modules that start processes. */
const PROCESS_MODULES: ReadonlySet<string> = new Set(['node:child_process', 'esbuild']);
/** Functions of vitest that register a hook. */
const HOOKS: ReadonlySet<string> = new Set(['beforeAll', 'beforeEach', 'afterAll', 'afterEach']);
/** Functions of vitest that take a time limit. */
const TESTS: ReadonlySet<string> = new Set(['test', 'it', 'describe', ...HOOKS]);
/** Options of vitest that are time limits. */
const TIMES: ReadonlySet<string> = new Set(['timeout', 'testTimeout', 'hookTimeout']);

/** Test files and the modules in folders `testing/` that break one of the rules. */
export function testFiles(sources: readonly Source[]): CheckResult {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const violations = sources.flatMap((source) => {
    if (isTestFile(source.file)) return [...startsProcesses(source, byFile), ...waitsTooLong(source)];
    if (isSupport(source.file)) return hooksAtImport(source);
    return /^vitest\..*config\.ts$/.test(source.file) ? waitsTooLong(source) : [];
  });
  return { violations };
}

/** Whether a file holds tests. */
const isTestFile = (file: string): boolean => file.endsWith('.test.ts');
/** Whether a file holds code that several test files share. */
const isSupport = (file: string): boolean => file.includes('/testing/') && !isTestFile(file);

/** A fast test that starts processes, itself or by what it imports of `testing/` folders. */
function startsProcesses(source: Source, byFile: ReadonlyMap<string, Source>): readonly SourceProblem[] {
  if (source.file.endsWith('.slow.test.ts')) return [];
  const seen = new Set<string>();
  const waiting = [source];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of importedBy(next)) {
      const file = posix.join(posix.dirname(next.file), name);
      if (PROCESS_MODULES.has(name))
        return [
          {
            file: source.file,
            line: 1,
            problem: `a fast test that starts processes: ${next.file} imports ${name}`,
            advice: 'Give it the suffix .slow.test.ts.',
          },
        ];
      const support = isSupport(file) && !seen.has(file) ? byFile.get(file) : undefined;
      if (support !== undefined) waiting.push(support);
      seen.add(file);
    }
  }
  return [];
}

/** Modules that a source imports for their values, as they are named there. Imports of types start nothing. */
function importedBy(source: Source): readonly string[] {
  const names: string[] = [];
  walkSyntax(rootOf(source), (node) => {
    const specifier = node['source'];
    if (!/^(Import|Export)/.test(node.type) || node['importKind'] === 'type' || !isNode(specifier)) return;
    if (typeof specifier['value'] === 'string') names.push(specifier['value']);
  });
  return names;
}

/** Hooks outside of functions: the second test file of a worker that imports the module would not get them. */
function hooksAtImport(source: Source): readonly SourceProblem[] {
  return childrenOf(rootOf(source))
    .filter((node) => node.type === 'ExpressionStatement' && HOOKS.has(calleeOf(node['expression']) ?? ''))
    .map((node) => ({
      file: source.file,
      line: source.lineOf(node.start),
      problem: 'registers a hook when it is imported',
      advice: 'Register it in a function that each test file calls.',
    }));
}

/** Retries, and time limits above the highest. */
function waitsTooLong(source: Source): readonly SourceProblem[] {
  const violations: SourceProblem[] = [];
  const report = (node: SyntaxNode, problem: string, advice: string) =>
    violations.push({ file: source.file, line: source.lineOf(node.start), problem, advice });
  const isConfiguration = !isTestFile(source.file);
  const limits = (node: SyntaxNode) => {
    if (node.type === 'Literal' && Number(node['value']) > MOST_TIME)
      report(node, `a time limit above ${MOST_TIME / 1000} s`, 'Split the test, or try fewer cases.');
  };
  const options = (node: SyntaxNode) => {
    if (node.type !== 'ObjectExpression') return;
    for (const property of childrenOf(node)) {
      const [key, value] = [property['key'], property['value']];
      const name = isNode(key) ? key['name'] : undefined;
      if (name === 'retry')
        report(property, 'a test that is tried again', 'Find what makes it fail now and then.');
      if (typeof name === 'string' && TIMES.has(name) && isNode(value)) limits(value);
    }
  };
  walkSyntax(rootOf(source), (node) => {
    if (isConfiguration) options(node);
    if (node.type !== 'CallExpression' || !TESTS.has(calleeOf(node) ?? '')) return;
    for (const argument of childrenOf(node)) {
      limits(argument);
      options(argument);
    }
  });
  return violations;
}

/** The name that a call begins with: `test` in `test(…)`, `test.for(…)(…)` and `test.skip.each(…)(…)`. */
function calleeOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'CallExpression') return calleeOf(node['callee']);
  if (node.type === 'MemberExpression') return calleeOf(node['object']);
  return node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : null;
}

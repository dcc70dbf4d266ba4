// Files that import each other in a circle. Imports of types count: a circle of types is as hard to read.
import { posix } from 'node:path';
import type { CheckResult, SourceProblem } from './problem.ts';
import { isNode, rootOf, type Source, walkSyntax } from './sources.ts';

/** Every group of files in which each one leads to each other one; the violation shows one shortest circle. */
export function importCycles(sources: readonly Source[]): CheckResult {
  const graph = new Map(sources.map((source) => [source.file, importsOf(source)]));
  const violations: SourceProblem[] = [];
  const reported = new Set<string>();
  for (const file of [...graph.keys()].sort()) {
    // A circle is reported once, at the first of its files.
    const circle = reported.has(file) ? null : shortestCircle(graph, file);
    if (circle === null) continue;
    for (const member of circle) reported.add(member);
    const [, next = file] = circle;
    violations.push({
      file,
      line: graph.get(file)?.get(next) ?? 1,
      problem: `import cycle: ${[...circle, file].join(' → ')}`,
      advice: 'Move what both sides need into a file that neither of them is.',
    });
  }
  return { violations };
}

/** The files of the repository that a source imports or re-exports, also in `import()`, with the line. */
function importsOf(source: Source): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  walkSyntax(rootOf(source), (node) => {
    const specifier = node['source'];
    if (!/^(Import|Export)/.test(node.type) || !isNode(specifier)) return;
    const name = specifier['value'];
    if (typeof name !== 'string' || !name.startsWith('.')) return;
    found.set(posix.normalize(posix.join(posix.dirname(source.file), name)), source.lineOf(node.start));
  });
  return found;
}

/** Imported files by file, each with the line of the import. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Breadth first from `start` back to it; null where no way leads back. */
function shortestCircle(graph: Graph, start: string): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  let edge = [start];
  while (edge.length > 0) {
    const next: string[] = [];
    for (const file of edge) {
      for (const target of graph.get(file)?.keys() ?? []) {
        if (target === start) return pathTo(cameFrom, start, file);
        // The first way to a file is a shortest one, as the search goes level by level.
        if (cameFrom.has(target)) continue;
        cameFrom.set(target, file);
        next.push(target);
      }
    }
    edge = next;
  }
  return null;
}

/** The way from `start` to `end`, by the predecessors that the search has kept. */
function pathTo(cameFrom: ReadonlyMap<string, string>, start: string, end: string): readonly string[] {
  const path = [end];
  let last = end;
  while (last !== start) {
    last = cameFrom.get(last) ?? start;
    path.unshift(last);
  }
  return path;
}

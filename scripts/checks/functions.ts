// Functions of at most 40 lines, at most four positional parameters, none of them a boolean. Production code only.

import type { CheckResult, SourceProblem } from './problem.ts';
import { isNode, isTest, rootOf, type Source, type SyntaxNode, walkSyntax } from './sources.ts';

/** About the height of a screen, so that a function is read without scrolling. */
const MAX_LINES = 40;
/** Beyond it, callers confuse the positions. */
const MAX_PARAMETERS = 4;

/** Nodes with a body; overloads and interfaces have signatures only. */
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const SIGNATURES = new Set(['TSMethodSignature', 'TSDeclareFunction', 'TSAbstractMethodDefinition']);

/** Functions that are too long. Lines count from the first to the last one of the function, its name included. */
export function longFunctions(sources: readonly Source[]): CheckResult {
  return inProduction(sources, (source, node, parent) => {
    if (!FUNCTIONS.has(node.type)) return [];
    const lines = source.lineOf(node.end) - source.lineOf(node.start) + 1;
    if (lines <= MAX_LINES) return [];
    const advice = 'Move its steps into separate functions, each named after its job.';
    return [
      at(source, node, `${nameOf(node, parent)} has ${lines} lines, at most ${MAX_LINES} allowed`, advice),
    ];
  });
}

/** Functions and method signatures with too many positional parameters. */
export function manyParameters(sources: readonly Source[]): CheckResult {
  return inProduction(sources, (source, node, parent) => {
    const { length } = parametersOf(node);
    if (length <= MAX_PARAMETERS) return [];
    const problem = `${nameOf(node, parent)} has ${length} parameters, at most ${MAX_PARAMETERS} allowed`;
    return [at(source, node, problem, 'Take the later ones as one object with named properties.')];
  });
}

/** Positional parameters of type boolean: a call does not show what `true` means. */
export function booleanParameters(sources: readonly Source[]): CheckResult {
  return inProduction(sources, (source, node, parent) =>
    parametersOf(node)
      .filter(isBoolean)
      .map((parameter) => {
        const problem = `${nameOf(node, parent)} takes the boolean parameter ${textOf(source, parameter)}`;
        return at(
          source,
          parameter,
          problem,
          'Take a union of words, an object with named properties, or make two functions.',
        );
      }),
  );
}

/** Looks at one node of a source. */
type Look = (source: Source, node: SyntaxNode, parent: SyntaxNode | null) => readonly SourceProblem[];

/** Visits all nodes of production code; tests and benches may be long, as they are lists of cases. */
function inProduction(sources: readonly Source[], look: Look): CheckResult {
  const violations: SourceProblem[] = [];
  for (const source of sources) {
    if (isTest(source.file) || source.file.startsWith('bench/')) continue;
    walkSyntax(rootOf(source), (node, parent) => violations.push(...look(source, node, parent)));
  }
  return { violations };
}

/** The positional parameters of a function or signature; empty for any other node. */
function parametersOf(node: SyntaxNode): readonly SyntaxNode[] {
  if (!FUNCTIONS.has(node.type) && !SIGNATURES.has(node.type)) return [];
  const parameters = node['params'];
  return Array.isArray(parameters) ? parameters.filter(isNode) : [];
}

/** `x: boolean`, `x?: boolean` or `x = true`; a parameter property is looked at as its parameter. */
function isBoolean(parameter: SyntaxNode): boolean {
  const inner = parameter['parameter'];
  if (parameter.type === 'TSParameterProperty' && isNode(inner)) return isBoolean(inner);
  const { left, right } = parameter;
  if (parameter.type === 'AssignmentPattern')
    return (isNode(right) && typeof right['value'] === 'boolean') || (isNode(left) && isBoolean(left));
  const annotation = parameter['typeAnnotation'];
  if (parameter.type !== 'Identifier' || !isNode(annotation)) return false;
  const type = annotation['typeAnnotation'];
  return isNode(type) && type.type === 'TSBooleanKeyword';
}

/** The name of a function, or of the variable or member that holds it. */
function nameOf(node: SyntaxNode, parent: SyntaxNode | null): string {
  // Arrow functions are named by what they are assigned to.
  for (const holder of [node, parent]) {
    for (const field of ['id', 'key']) {
      const name = holder?.[field];
      if (isNode(name) && typeof name['name'] === 'string') return name['name'];
    }
  }
  return 'a function without a name';
}

/** The source text of a node. */
function textOf(source: Source, node: SyntaxNode): string {
  return source.text.slice(node.start, node.end);
}

/** A problem at the line where a node begins. */
function at(source: Source, node: SyntaxNode, problem: string, advice: string): SourceProblem {
  return { file: source.file, line: source.lineOf(node.start), problem, advice };
}

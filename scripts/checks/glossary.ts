// Every term of docs/glossary.md is in use, and every type that the package exports is explained there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckResult, SourceProblem } from './problem.ts';
import { isNode, rootOf, type Source } from './sources.ts';

const GLOSSARY = 'docs/glossary.md';
const ADVICE_UNUSED = 'Use the term in the code, or remove its row.';
const ADVICE_MISSING = `Add a row to ${GLOSSARY}: the term and one sentence.`;

/** A term and the line of its row. A term in code marks is an identifier; any other is a phrase of documents. */
interface Term {
  readonly name: string;
  readonly line: number;
}

/** Rows `| **term** or \`Identifier\` | sentence |` that are out of use, and exported types without a row. */
export function glossary(root: string, sources: readonly Source[]): CheckResult {
  const terms = termsOf(readFileSync(join(root, GLOSSARY), 'utf8'));
  const names = new Set(terms.map(({ name }) => name));
  // Identifiers in the sources and in comments: a term of documents alone is not in use.
  const words = new Set(sources.flatMap(({ text }) => text.match(/\b[A-Z]\w+/g) ?? []));
  const violations: SourceProblem[] = terms
    .filter(({ name }) => !words.has(name))
    .map(({ name, line }) => ({
      file: GLOSSARY,
      line,
      problem: `${name} is not in use`,
      advice: ADVICE_UNUSED,
    }));
  const index = sources.find(({ file }) => file === 'index.ts');
  for (const { name, line } of index === undefined ? [] : exportedTypes(index)) {
    if (names.has(name)) continue;
    violations.push({
      file: 'index.ts',
      line,
      problem: `${name} is not in ${GLOSSARY}`,
      advice: ADVICE_MISSING,
    });
  }
  return { violations };
}

/** The terms of all tables of the page. */
function termsOf(text: string): readonly Term[] {
  return text.split('\n').flatMap((row, index) => {
    const name = /^\| `(\w+)` \|/.exec(row)?.[1];
    return name === undefined ? [] : [{ name, line: index + 1 }];
  });
}

/** Types and classes that the package re-exports; options and errors explain themselves by what they belong to. */
function exportedTypes(index: Source): readonly Term[] {
  const statements = rootOf(index)['body'];
  return (Array.isArray(statements) ? statements.filter(isNode) : []).flatMap((statement) => {
    const specifiers = statement['specifiers'];
    return (Array.isArray(specifiers) ? specifiers.filter(isNode) : []).flatMap(({ exported, start }) => {
      const name = isNode(exported) ? exported['name'] : undefined;
      // Options, inputs and errors are named after the function that takes or throws them.
      const isConcept =
        typeof name === 'string' && /^[A-Z]/.test(name) && !/(Options|Input|Error)$/.test(name);
      return isConcept ? [{ name, line: index.lineOf(start) }] : [];
    });
  });
}

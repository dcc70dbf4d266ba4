// Plain technical English in public text (messages, help, documents, sentences of the ledger) and in comments.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckResult, SourceProblem } from './problem.ts';
import { PROSE_PATTERNS } from './prose-patterns.ts';
import { isTest, rootOf, type Source, walkSyntax } from './sources.ts';

/** A text that people read, and where it begins. */
interface Text {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Documents that speak to users and contributors. Samples of reports are made of other public text. */
const IS_DOCUMENT = /\.md$/;
const IS_GENERATED = /^(reports\/samples\/|CHANGELOG\.md$)/;
/** Sources of this check hold the patterns themselves. */
const HOLDS_PATTERNS = /^scripts\/checks\/prose/;

/** Public text: documents, messages and help of production code, and the sentences of the ledger. */
export function publicProse(root: string, files: readonly string[], sources: readonly Source[]): CheckResult {
  const texts = [
    ...files
      .filter((file) => IS_DOCUMENT.test(file) && !IS_GENERATED.test(file))
      .flatMap((file) => paragraphs(root, file)),
    ...sources.filter(({ file }) => !isTest(file) && !HOLDS_PATTERNS.test(file)).flatMap(messagesOf),
    ...schemaSentences(root, files),
  ];
  return found(texts);
}

/** Comments of all sources, those of tests included, sentence by sentence. `total` counts sentences. */
export function commentProse(sources: readonly Source[]): CheckResult {
  const texts = sources.filter(({ file }) => !HOLDS_PATTERNS.test(file)).flatMap(commentsOf);
  return found(texts.flatMap(sentences));
}

/** A violation for each pattern in each text. */
function found(texts: readonly Text[]): CheckResult {
  const violations: SourceProblem[] = texts.flatMap(({ file, line, text }) =>
    PROSE_PATTERNS.filter(({ matches }) => matches.test(text)).map(({ name, advice }) => ({
      file,
      line,
      problem: `${name}: ${brief(text)}`,
      advice,
    })),
  );
  return { violations, total: texts.length };
}

/** Paragraphs, headings, list items and table rows; code blocks and inline code (ids, output, options) are left out. */
function paragraphs(root: string, file: string): readonly Text[] {
  let isCode = false;
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      if (/^\s*```/.test(text)) isCode = !isCode;
      // Ids of requirements and output of commands are public data with words of their time.
      const prose = text.replaceAll(/`[^`]+`/g, '`…`');
      return isCode || prose.trim() === '' ? [] : [{ file, line: index + 1, text: prose }];
    });
}

/** Literals that read as words: at least three, parted by spaces. */
function messagesOf(source: Source): readonly Text[] {
  const texts: Text[] = [];
  walkSyntax(rootOf(source), (node) => {
    const text =
      node.type === 'Literal'
        ? node['value']
        : node.type === 'TemplateLiteral'
          ? templateText(source, node)
          : null;
    if (typeof text === 'string' && /[A-Za-z]{2,} [A-Za-z]+ [A-Za-z]/.test(text))
      texts.push({ file: source.file, line: source.lineOf(node.start), text });
  });
  return texts;
}

/** The text of a template, with X in place of its expressions. */
function templateText(
  source: Source,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  return source.text.slice(start + 1, end - 1).replace(/\$\{[^}]*\}/g, 'X');
}

/** Sentences that stand in schemas, for people or in reports. */
function schemaSentences(root: string, files: readonly string[]): readonly Text[] {
  return files
    .filter((file) => /^schemas\/.*\.json$/.test(file) && !file.startsWith('schemas/examples/'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => {
          const sentence = /"(?:description|summary|\$comment|x-[\w-]*says?|title)": "([^"]+)"/.exec(
            text,
          )?.[1];
          return sentence === undefined ? [] : [{ file, line: index + 1, text: sentence }];
        }),
    );
}

/** Comments as texts; line comments on adjacent lines are one text, since sentences continue across lines. */
function commentsOf(source: Source): readonly Text[] {
  const blocks: { line: number; last: number; text: string }[] = [];
  for (const { start, end, value } of source.comments) {
    const line = source.lineOf(start);
    const previous = blocks.at(-1);
    const text = value.replace(/^\s*\*+/gm, ' ').trim();
    if (previous !== undefined && previous.last === line - 1) {
      previous.text += ` ${text}`;
      previous.last = source.lineOf(end);
    } else blocks.push({ line, last: source.lineOf(end), text });
  }
  return blocks.map(({ line, text }) => ({ file: source.file, line, text: text.replace(/\s+/g, ' ') }));
}

/**
 * The sentences of a comment. Fragments without two words are left out: `as:` notes and names are not prose.
 */
function sentences({ file, line, text }: Text): readonly Text[] {
  return text
    .split(/(?<=[.!?;])\s+(?=[A-Z`"«])/)
    .filter((sentence) => /[A-Za-z]{2,} [A-Za-z]/.test(sentence))
    .map((sentence) => ({ file, line, text: sentence }));
}

/** A text on one line of a terminal. */
function brief(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 110 ? `${line.slice(0, 109)}…` : line;
}

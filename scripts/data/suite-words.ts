/** The name of an export that suites use, with its purpose. */
export interface SuiteWord {
  readonly name: string;
  /** First sentence of its comment, and its example if it has one; empty without a comment. */
  readonly sentence: string;
}

/** An export is a word if it is a constant of one of these types, or a function that returns one. */
const WORD_TYPES = 'Selector|Condition|AlternativeName|Mutation|EquivalentMutant|Edit|EventPicker';

/** Patterns of an exported word and its comment; the parameters of a function may be on separate lines. */
const WORDS = [
  `export function (\\w+)(?:.*|.*\\(\\{?(?:\\n .*)*\\n(?:\\}.*)?\\)): (?:${WORD_TYPES})\\b[^:\\n]* \\{$`,
  `export const (\\w+): (?:${WORD_TYPES})\\b[^:\\n]*? =`,
].map((signature) => new RegExp(`^(?:/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n)?${signature}`, 'gm'));

export function suiteWords(text: string): readonly SuiteWord[] {
  return WORDS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, comment = '', name = '']) => ({
      name,
      sentence: firstSentence(comment),
    })),
  );
}

/** The first sentence of a comment, up to a full stop, a colon or a semicolon; and its example, if it has one. */
function firstSentence(comment: string): string {
  const text = comment
    .replace(/^\s*\*/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.:;](?= |$)/.exec(text)?.[0].replace(/[:;]$/, '.') ?? text;
  // Choice shapes have an example, because they are seldom seen in use.
  const example = /Example: `[^`]+`\./.exec(text)?.[0];
  return example === undefined ? sentence : `${sentence} ${example}`;
}

export interface ExportedGroup {
  readonly heading: string;
  readonly says: string;
  readonly names: readonly string[];
}

/** The names that `extension/suite.ts` exports, grouped by the comments above them. */
export function exportedGroups(text: string): readonly ExportedGroup[] {
  const [, list = ''] = /^export const \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  return [...list.matchAll(/((?: *\/\/ .*\n)+)((?: *\w+,\n)+)/g)].map(([, comment = '', names = '']) => {
    const says = comment
      .replaceAll(/^ *\/\/ /gm, '')
      .trim()
      .replaceAll('\n', ' ');
    return { heading: /^[^:,.]*/.exec(says)?.[0] ?? says, says, names: names.match(/\w+/g) ?? [] };
  });
}

export function sentenceOf(name: string, texts: readonly string[]): string {
  const exported = new RegExp(
    `^/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport (?:async )?(?:function|const|class) ${name}\\b`,
    'm',
  );
  const [comment = ''] = texts.flatMap((text) => exported.exec(text)?.[1] ?? []);
  return firstSentence(comment);
}

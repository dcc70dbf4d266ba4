// Reads the commands, code blocks and file paths of the documents for users.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

export interface CodeBlock {
  /** Word after the opening fence, such as `sh`; empty without one. */
  readonly language: string;
  readonly text: string;
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function codeBlocks(document: string): readonly CodeBlock[] {
  return [...document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** Throws if no block has this language and content. */
export function findCodeBlock(document: string, language: string, content: string): string {
  const block = codeBlocks(document).find(
    (candidate) => candidate.language === language && candidate.text.includes(content),
  );
  if (block === undefined) throw new Error(`No ${language} block contains ${content}.`);
  return block.text;
}

/**
 * Commands in the order of the document: the lines of shell blocks, `- npx assay …` in YAML, and inline code that
 * begins with `npx assay` or with one variable before it.
 */
export function commands(document: string): readonly string[] {
  const matches = document.matchAll(
    /^```(sh|yaml)\n([\s\S]*?)^```$|^```[\s\S]*?^```$|`((?:\w+=\S+ )?npx assay [^`]+)`/gm,
  );
  return [...matches].flatMap(([, language, block = '', inline]) => {
    if (inline !== undefined) return [inline.replaceAll('\\|', '|')];
    const lines = block.split('\n').filter((line) => line.trim() !== '');
    return language === 'yaml'
      ? lines.flatMap((line) => /^\s*- (npx assay .*)$/.exec(line)?.[1] ?? [])
      : lines.map((line) => line.replace(/\s+#.*$/, ''));
  });
}

/** File and folder names in inline code and links, without placeholders, patterns and URLs; links are resolved. */
export function namedPaths(path: string, document: string, roots: readonly string[]): readonly string[] {
  const prose = document.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const code = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, text = '']) => text);
  const links = [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, text = '']) => text);
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
  return [
    ...code.filter((text) => roots.includes(text.split('/')[0] ?? '') && /^[\w./@-]+$/.test(text)),
    ...links.filter((text) => !/^\w+:/.test(text)).map((text) => join(folder, text)),
  ];
}

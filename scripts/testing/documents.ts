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

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Finds the first block with this word after its opening fence and this content. Throws if there is none. */
export function findCodeBlock(document: string, language: string, content: string): string {
  for (const [, word, text = ''] of document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm))
    if (word === language && text.includes(content)) return text;
  throw new Error(`No ${language} block contains ${content}.`);
}

/**
 * Commands in the order of the document: the lines of shell blocks, `- npx assay …` in YAML, and inline code that
 * begins with `npx assay` or with one variable before it.
 */
export function listCommands(document: string): readonly string[] {
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
export function listNamedPaths(path: string, document: string, roots: readonly string[]): readonly string[] {
  const prose = document.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const code = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, text = '']) => text);
  const links = [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, text = '']) => text);
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
  return [
    ...code.filter((text) => roots.includes(text.split('/')[0] ?? '') && /^[\w./@-]+$/.test(text)),
    ...links.filter((text) => !/^\w+:/.test(text)).map((text) => join(folder, text)),
  ];
}

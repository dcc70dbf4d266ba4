// Holds the import borders between the rooms, one owner per package, and the size and names of files.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The rooms that a room's source may import from, itself included. Transitive: written out, so that it reads as the rule. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schemas: ['schemas'],
  exchange: ['exchange', 'schemas'],
  drive: ['drive', 'exchange', 'schemas'],
  judge: ['judge', 'exchange', 'schemas'],
  explain: ['explain', 'judge', 'exchange', 'schemas'],
  proof: ['proof', 'explain', 'judge', 'exchange', 'schemas'],
  proxy: ['proxy', 'exchange', 'schemas'],
  reports: ['reports', 'explain', 'proof', 'judge', 'exchange', 'schemas'],
  suites: ['suites', 'drive', 'proof', 'judge', 'exchange', 'schemas'],
  reference: ['reference', 'schemas'],
  extension: ['extension', 'suites', 'drive', 'proof', 'judge', 'exchange', 'schemas'],
  pipeline: [
    'pipeline',
    'drive',
    'judge',
    'explain',
    'proof',
    'proxy',
    'reports',
    'suites',
    'extension',
    'exchange',
    'schemas',
    'reference',
  ],
};

/** Where a package may be imported; tests may import all of them. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  undici: /^drive\//,
  ajv: /^schemas\//,
  'http-proxy': /^proxy\/(forward|upstream)\//,
  'fast-xml-builder': /^reports\/formats\/junit\.ts$/,
  re2js: /^exchange\/redaction\//,
  nock: /^proxy\/adapters\/nock\.ts$/,
  '@fastify/busboy': /^reference\//,
  'find-my-way': /^reference\//,
  tsx: /^exchange\/import-script\.ts$/,
  commander: /^cli\//,
  vitest: /^(proxy\/adapters\/vitest\.ts|pipeline\/vitest\/conformance\.ts)$/,
};

/** Names that fit any content, so that they attract code without a place. */
const VAGUE_NAME = /(^|\/)(utils?|helpers?|common|misc|managers?)(\.|\/|-)/;
/** Lines of the longest file; a longer one has more than one job. */
const MAX_LINES = 300;

/** The module that a statement imports or re-exports, also in `import()`. */
const IMPORT =
  /^\s*(?:import|export)\b[^'"]*?from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/;

/** One place that breaks a rule. `text`: the offending import; empty where the file as a whole is meant. */
export interface BorderViolation {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

/** All violations in the given files (paths relative to `root`, with `/`). */
export function borderViolations(root: string, files: readonly string[]): BorderViolation[] {
  return files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return [...wholeFile(file, lines), ...importLines(file, lines)];
  });
}

/** Violations of a file as a whole: its length and its name. */
function wholeFile(file: string, lines: readonly string[]): BorderViolation[] {
  // Declaration files are generated, and as long as the schemas make them.
  const found: BorderViolation[] = [];
  if (lines.length - 1 > MAX_LINES && !file.endsWith('.d.ts')) {
    found.push({
      file,
      line: lines.length,
      text: '',
      why: `${lines.length - 1} lines, at most ${MAX_LINES} allowed: split it by job`,
    });
  }
  if (VAGUE_NAME.test(file))
    found.push({ file, line: 1, text: '', why: 'name says nothing: name the file after its job' });
  return found;
}

/** Violations of its imports, each at the line where the statement begins. */
function importLines(file: string, lines: readonly string[]): BorderViolation[] {
  return joinImports(lines).flatMap(({ line, text }) => {
    // A pattern and not a parser: it also reads files with syntax errors, and the forms of imports here are
    // few.
    const match = IMPORT.exec(text);
    const target = match?.[1] ?? match?.[2] ?? match?.[3];
    const why = target === undefined ? null : objection(file, target);
    return why === null ? [] : [{ file, line, text: text.trim(), why }];
  });
}

/** Import statements may span lines; each is given as one text with the number of its first line. */
function joinImports(lines: readonly string[]): { line: number; text: string }[] {
  const joined: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | null = null;
  lines.forEach((text, index) => {
    if (open !== null) open.text += ` ${text.trim()}`;
    else if (/^\s*(import|export)\s+(type\s+)?\{[^}]*$/.test(text)) open = { line: index + 1, text };
    else joined.push({ line: index + 1, text });
    if (open !== null && /\}/.test(text)) {
      joined.push(open);
      open = null;
    }
  });
  return joined;
}

/**
 * Why a file may not import a module; null where it may. Tests may import any package and any room but
 * `cli/`.
 */
function objection(file: string, target: string): string | null {
  const test = file.endsWith('.test.ts') || file.includes('/testing/');
  if (!target.startsWith('.')) {
    const name = target.startsWith('@') ? target.split('/', 2).join('/') : (target.split('/')[0] ?? target);
    const owner = OWNERS[name];
    return owner === undefined || test || owner.test(file) || !isRoom(roomOf(file))
      ? null
      : `package ${name} belongs to ${owner.source}`;
  }
  // Only relative imports cross rooms; packages are checked above.
  const from = roomOf(file);
  const to = roomOf(posix.normalize(posix.join(dirname(file), target)));
  if (to === 'cli' && from !== 'cli' && from !== 'scripts' && from !== 'bench')
    return 'cli/ is imported by no other folder';
  const allowed = MAY_IMPORT[from];
  if (test || allowed === undefined || allowed.includes(to)) return null;
  return `${from}/ may import from ${allowed.join(', ')}; not from ${to}/`;
}

/** The first part of a path, the room. */
function roomOf(path: string): string {
  return path.split('/')[0] ?? '';
}

/** Whether a folder is subject to the borders; scripts and benches may import everything. */
function isRoom(name: string): boolean {
  return name in MAY_IMPORT || name === 'cli';
}

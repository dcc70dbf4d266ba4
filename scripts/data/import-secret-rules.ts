// Converts gitleaks.toml to rules of `assay scan`: npx tsx scripts/data/import-secret-rules.ts gitleaks.toml VERSION
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Rules that do not suit recorded traffic: one needs 1,400 stop words because it matches any assignment to a name such
 * as `key` (fields with such names are masked while recording), the other two match parts of a shell command.
 */
const OMITTED_RULES = new Set(['generic-api-key', 'curl-auth-header', 'curl-auth-user']);

interface Rule {
  readonly id: string;
  /** A pattern in the syntax of RE2, which matches in linear time. */
  readonly regex: string;
  /** Bits per character that the secret must exceed; absent if the rule has no such bound. */
  readonly entropy?: number;
  /** In lower case; a text without any of them cannot match. */
  readonly keywords: readonly string[];
  /** Patterns of secrets that are not reported. */
  readonly allow?: readonly string[];
}

/** The strings of a TOML array, or a single string in place of one; the configuration has no other values there. */
function readStrings(text: string, name: string): string[] {
  const [, value = ''] = new RegExp(`^${name} = (\\[.*\\]$|\\[[\\s\\S]*?^\\]|.*$)`, 'm').exec(text) ?? [];
  return [...value.matchAll(/'''([\s\S]*?)'''|"((?:[^"\\\n]|\\.)*)"/g)].map(
    ([, literal, quoted]) => literal ?? String(JSON.parse(`"${quoted}"`)),
  );
}

/** The exceptions of a rule. Exceptions with paths concern source files, which recorded traffic does not have. */
function readAllowlist(text: string): string[] {
  const regexes = readStrings(text, 'regexes');
  const [target = 'secret'] = readStrings(text, 'regexTarget');
  if (regexes.length === 0 || /^paths = /m.test(text)) return [];
  if (target !== 'secret') throw new Error(`regexTarget is ${target}; only secret is supported.`);
  return regexes;
}

function readRule(text: string): Rule[] {
  const [head = '', ...allowlists] = text.split('[[rules.allowlists]]');
  const [id = ''] = readStrings(head, 'id');
  const [regex] = readStrings(head, 'regex');
  // Rules with a path apply to one kind of source file.
  if (regex === undefined || readStrings(head, 'path').length > 0 || OMITTED_RULES.has(id)) return [];
  const entropy = /^entropy = ([\d.]+)$/m.exec(head)?.[1];
  const allow = allowlists.flatMap(readAllowlist);
  return [
    {
      id,
      regex,
      ...(entropy !== undefined && { entropy: Number(entropy) }),
      keywords: readStrings(head, 'keywords').map((keyword) => keyword.toLowerCase()),
      ...(allow.length > 0 && { allow }),
    },
  ];
}

const [file, version] = process.argv.slice(2);
if (file === undefined || version === undefined)
  throw new Error('Usage: npx tsx scripts/data/import-secret-rules.ts gitleaks.toml VERSION');
// The file is split by its headings instead of parsed, as it has few kinds of values, and no dependency parses TOML.
const [head = '', ...rules] = readFileSync(file, 'utf8').split('[[rules]]');
const content = {
  source: `gitleaks ${version}`,
  license: 'MIT, in LICENSE.gitleaks',
  stopwords: readStrings(head, 'stopwords'),
  allow: readStrings(head, 'regexes'),
  rules: rules.flatMap(readRule),
};
const output = fileURLToPath(new URL('../../exchange/redaction/secret-rules/gitleaks.json', import.meta.url));
writeFileSync(output, `${JSON.stringify(content, null, 2)}\n`);
process.stdout.write(`${content.rules.length} rules\n`);

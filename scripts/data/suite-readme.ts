import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../../reports/words/markdown.ts';
import { type ExportedGroup, exportedGroups, type SuiteWord, sentenceOf, suiteWords } from './suite-words.ts';

const WORD_SOURCE = /^(judge\/evidence|proof\/mutations|suites\/vocabulary|suites\/rows\/choice-values)\b/;
const HEAD = `# Suites

Each family of operations has a folder. \`requirements.json\` and \`choices.json\` state what is required and what is left open, as
rows of data; \`*.requirements.ts\` add what only code can say, \`evidence.ts\` the evidence that code collects for rows;
\`scenarios.json\` and \`*.suite.ts\` are the scenarios that produce evidence, \`scenarios.json\` and \`base.ts\` the valid requests from which probes are derived, and \`exclusions.json\` lists the sentences that no black-box test can judge.
\`generate/\` makes requirements and probes from the schemas. \`ledger.json\` lists every requirement. The tables below are generated
from \`rows/rows.schema.json\` and from the docstrings of the words: \`npm run generate\`.

## Rows

\`given\` names one kind of evidence and the conditions that it meets, \`expect\` what has to hold, and \`broken_by\` edits of a conforming
trace after which the requirement fails. A place is a path of names and indexes, \`answer.data[].id\`: in conditions \`[]\` is some element, in \`expect\`
every element. It begins with \`answer\`, \`request\`, \`path\`, \`query\`, \`status\`, \`outcome\`, \`media_type\`, \`probe\`, \`before\` (the earlier answer
of a pair), \`shown\` (the elements of a listed answer, or the answer itself, each as \`value\`), or a member of the evidence.
`;

/** Headings of the tables on rows, each with the schema definition whose properties the table lists. */
const ROW_WORDS = {
  'Evidence: `given`': 'given',
  'Tests: `where`, `expect`': 'test',
  'Statements about elements: `expect`, `where`': 'statement',
  'Alternative conditions: `where`': 'alternatives',
  'Edits: `broken_by`, `examples`': 'edit',
  'Alternatives of choices: `shown`': 'shown',
} as const;

const WORDS_OF_EXTENSIONS = `## Words of extensions

\`assay/suite\` exports these words; the suites of assay use them too. [extend.md](../docs/extend.md#suites) shows a complete suite.
`;

const FOLDERS = ['drive', 'exchange', 'judge', 'proof', 'schemas', 'suites'];

interface RowSchema {
  readonly $defs: Readonly<Record<string, { readonly properties?: RowWords }>>;
}

type RowWords = Readonly<Record<string, { readonly description?: string }>>;

export function renderSuiteReadme(root: string): string {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
    .filter((file) => /(?<!\.d|\.test)\.ts$/.test(file) && !file.includes('/testing/'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const groups = exportedGroups(readFileSync(join(root, 'extension/suite.ts'), 'utf8'));
  const exported = new Set(groups.flatMap(({ names }) => names));
  const internalWords = sources
    .filter(({ file }) => WORD_SOURCE.test(file))
    .flatMap(({ text }) => suiteWords(text))
    .filter(({ name }) => !exported.has(name));
  const schema: RowSchema = JSON.parse(readFileSync(join(root, 'suites/rows/rows.schema.json'), 'utf8'));
  const rows = Object.entries(ROW_WORDS).map(([heading, name]) =>
    renderRows(heading, schema.$defs[name]?.properties ?? {}),
  );
  const texts = sources.filter(({ file }) => !file.endsWith('.suite.ts')).map(({ text }) => text);
  return [
    HEAD,
    ...rows,
    WORDS_OF_EXTENSIONS,
    ...groups.map((group) => renderGroup(group, texts)),
    '## Words of the suites of assay only\n',
    renderWords(internalWords),
  ].join('\n');
}

function renderRows(heading: string, words: RowWords): string {
  const rows = Object.entries(words).map(([word, { description = '' }]) => [word, description] as const);
  return `### ${heading}\n\n${renderTable('meaning', rows)}`;
}

function renderGroup({ heading, says, names }: ExportedGroup, texts: readonly string[]): string {
  const words = names.map((name) => {
    const sentence = sentenceOf(name, texts);
    if (sentence === '') throw new Error(`${name} of assay/suite has no comment: describe it in a sentence.`);
    return { name, sentence };
  });
  const intro = says === `${heading}.` ? '' : `${says}\n\n`;
  return `### ${heading}\n\n${intro}${renderWords(words)}`;
}

/** Words are sorted by name, so that a new word changes one line. */
function renderWords(words: readonly SuiteWord[]): string {
  const rows = words.map(({ name, sentence }) => [name, sentence] as const);
  const sorted = rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return renderTable('purpose', sorted);
}

function renderTable(meaning: string, rows: readonly (readonly [word: string, says: string])[]): string {
  // A vertical bar would end the cell.
  const cells = rows.map(([word, says]) => [`\`${word}\``, says.replaceAll('|', '\\|')]);
  return `${markdownTable(['word', meaning], cells)}\n`;
}

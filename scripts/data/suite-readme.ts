import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isNode,
  isTest,
  readSources,
  repositoryFiles,
  rootOf,
  type Source,
  type SyntaxNode,
  walkSyntax,
} from '../checks/sources.ts';

/** A building block of requirements: an exported function or constant that makes a selector, a mutation or a part of one. */
export interface SuiteBlock {
  /** As it is imported. */
  readonly name: string;
  /** Path from the root of the repository, with `/`. */
  readonly file: string;
  /** Heading of the table that lists it. */
  readonly section: Section;
  /** First sentence of its comment; empty where it has none. */
  readonly sentence: string;
}

/** Headings of the page with their introduction, in the order of the page. */
const SECTIONS = {
  Selectors: 'A selector collects evidence from a trace for the check of a requirement.',
  Conditions:
    'A condition says which evidence of a selector a statement is about: `where(selector, condition, …)`.',
  'Choice shapes': 'A shape reads from evidence which alternative of a choice a target takes.',
  // For evidence that is more than one response.
  'Choice values': 'These name the alternative that values show.',
  Mutations: 'A mutation edits a trace so that a requirement must fail. Each requirement names at least one.',
  // Those that hold for every operation are in judge/mutation-testing/, and no words of suites.
  'Equivalent mutants':
    'An equivalent mutant answers otherwise where nothing is stated, so that no requirement may fail. These make one.',
  // They are the second argument of a mutation.
  'Exchange conditions': 'Such a condition says which responses `inResponseWhere` changes.',
  Edits: 'An edit changes one JSON value; mutations apply it to the exchanges of an operation.',
  'Event pickers': 'A picker selects the events of a stream that a mutation changes.',
  Combinators: 'A combinator makes one selector, shape, mutation, edit or picker of others.',
} as const;

/** A heading of the page. */
type Section = keyof typeof SECTIONS;

/** The heading by the type that an export returns. */
const SECTION_OF_TYPE: Readonly<Record<string, Section>> = {
  Selector: 'Selectors',
  Condition: 'Conditions',
  Taken: 'Choice shapes',
  AlternativeName: 'Choice values',
  Mutation: 'Mutations',
  EquivalentMutant: 'Equivalent mutants',
  ExchangeCondition: 'Exchange conditions',
  Edit: 'Edits',
  EventPicker: 'Event pickers',
};

/** Folders whose exports are building blocks. */
const IS_SOURCE = /^(judge\/(evidence\/selectors|mutations)|suites\/vocabulary)\/.*(?<!\.d)\.ts$/;
/** Name, parameters and type of the result of a function, up to its body; or name and type of a constant. */
const SIGNATURE =
  /^export (?:function|const) (\w+)([\s\S]*): (Selector|Condition|Taken|AlternativeName|Mutation|EquivalentMutant|ExchangeCondition|Edit|EventPicker)\b[^:]*$/;

/** The text before the tables. */
const HEAD = `# Suites

One folder for each family of operations. \`requirements.json\` and \`choices.json\` state what is required and what is left open, as
rows of data; \`*.requirements.ts\` add what only code can say, \`evidence.ts\` the evidence that code collects for rows;
\`*.suite.ts\` are the scenarios that produce evidence, and \`exclusions.json\` lists the sentences that no black-box test can judge.
\`generate/\` makes requirements and probes from the schemas. \`ledger.json\` lists every requirement. The tables below are generated
from \`rows/rows.schema.json\` and from the comments of \`vocabulary/\`: \`npm run generate\`.

## Rows

\`given\` names one kind of evidence and the conditions that it meets, \`expect\` what has to hold, and \`broken_by\` edits of a conforming
trace after which the requirement fails. A place is a path of names and indexes, \`answer.data[].id\`: in conditions \`[]\` is some element, in \`expect\`
every element. It begins with \`answer\`, \`request\`, \`path\`, \`query\`, \`status\`, \`outcome\`, \`media_type\`, \`probe\`, \`before\` (the earlier answer
of a pair), or a member of the evidence.
`;

/** The words of rows: headings, and the definition of the schema whose properties a table lists. */
const ROW_WORDS = {
  'Evidence: `given`': 'given',
  'Tests: `where`, `expect`': 'test',
  'Statements about elements: `expect`, `where`': 'statement',
  'Edits: `broken_by`, `examples`': 'edit',
  'Alternatives of choices: `shown`': 'shown',
} as const;

/** The text of suites/README.md for the sources below `root`. */
export function renderSuiteReadme(root: string): string {
  // New files count before they are added to git, so that one run of `npm run generate` is enough.
  const files = repositoryFiles(root).filter((file) => IS_SOURCE.test(file) && !isTest(file));
  const blocks = readSources(root, files).flatMap(suiteBlocks);
  const names = Object.keys(SECTIONS).filter((name): name is Section => name in SECTIONS);
  const schema: RowSchema = JSON.parse(readFileSync(join(root, 'suites/rows/rows.schema.json'), 'utf8'));
  const rows = Object.entries(ROW_WORDS).map(([heading, name]) =>
    rowTable(heading, schema.$defs[name]?.properties ?? {}),
  );
  return [HEAD, ...rows, '## Words of code\n', ...names.map((section) => table(section, blocks))].join('\n');
}

interface RowSchema {
  readonly $defs: Readonly<
    Record<string, { readonly properties?: Readonly<Record<string, { readonly description?: string }>> }>
  >;
}

function rowTable(
  heading: string,
  words: Readonly<Record<string, { readonly description?: string }>>,
): string {
  const rows = Object.entries(words).map(
    ([word, { description = '' }]) => `| \`${word}\` | ${description.replaceAll('|', '\\|')} |`,
  );
  return [`### ${heading}`, '', '| word | meaning |', '|---|---|', ...rows, ''].join('\n');
}

/** The building blocks that a source exports, recognised by the types that their signatures state. */
export function suiteBlocks(source: Source): readonly SuiteBlock[] {
  // Exports stand at the top level, in the order of the file.
  const blocks: SuiteBlock[] = [];
  walkSyntax(rootOf(source), (node) => {
    if (node.type !== 'ExportNamedDeclaration') return;
    const signature = source.text.slice(node.start, signatureEnd(node)).trimEnd();
    const [, name = '', parameters = '', type = ''] = SIGNATURE.exec(signature) ?? [];
    const section = SECTION_OF_TYPE[type];
    if (section === undefined) return;
    // A combinator takes what it makes.
    const takesOwnKind = new RegExp(`: (?:readonly )?${type}\\b`).test(parameters);
    const comment = source.comments.findLast(
      ({ end }) => end < node.start && isAdjacent(source, end, node.start),
    );
    blocks.push({
      name,
      file: source.file,
      section: takesOwnKind ? 'Combinators' : section,
      sentence: firstSentence(comment?.value ?? ''),
    });
  });
  return blocks;
}

/** Where the signature of an exported function or constant ends; its start where the export is of another kind. */
function signatureEnd({ start, declaration }: SyntaxNode): number {
  if (!isNode(declaration)) return start;
  const { body, declarations } = declaration;
  if (declaration.type === 'FunctionDeclaration') return isNode(body) ? body.start : start;
  const [first]: readonly unknown[] = Array.isArray(declarations) ? declarations : [];
  const id = isNode(first) ? first['id'] : undefined;
  return isNode(id) ? id.end : start;
}

/** Whether nothing but white space lies between two positions. */
function isAdjacent({ text }: Source, from: number, to: number): boolean {
  return text.slice(from, to).trim() === '';
}

/** The first sentence of a comment, up to a full stop, a colon or a semicolon; and its example, if it has one. */
function firstSentence(comment: string): string {
  const text = comment
    .replace(/^\s*\*/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.:;](?= |$)/.exec(text)?.[0].replace(/[:;]$/, '.') ?? text;
  // Selectors and mutations are seen in use; a shape is easier to grasp by an example.
  const example = /Example: `[^`]+`\./.exec(text)?.[0];
  return example === undefined ? sentence : `${sentence} ${example}`;
}

/** The table of one heading, sorted by name, so that a new building block changes one line. */
function table(section: Section, blocks: readonly SuiteBlock[]): string {
  // A bar would end the cell.
  const rows = blocks
    .filter((block) => block.section === section)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, file, sentence }) => `| [\`${name}\`](../${file}) | ${sentence.replaceAll('|', '\\|')} |`);
  return [`### ${section}`, '', SECTIONS[section], '', '| name | purpose |', '|---|---|', ...rows, ''].join(
    '\n',
  );
}

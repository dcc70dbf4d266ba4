// `node scripts/checks/walls.mjs [ROOT]` enforces one-way imports between the top-level folders, one owner for each
// large package, and no import cycle between files or between folders. Imports of types count; tests do not.
// dependency-cruiser reads the imports and applies the rules. This is not TypeScript because tsx breaks its swc parser.
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { cruise } from 'dependency-cruiser';

/**
 * The folders that each folder may import, besides itself. Written out transitively, so that a row is the whole rule.
 */
const MAY_IMPORT = {
  schemas: [],
  exchange: ['schemas'],
  reference: ['schemas'],
  drive: ['exchange', 'schemas'],
  judge: ['exchange', 'schemas'],
  proxy: ['exchange', 'schemas'],
  explain: ['judge', 'exchange', 'schemas'],
  proof: ['explain', 'judge', 'exchange', 'schemas'],
  reports: ['explain', 'proof', 'judge', 'exchange', 'schemas'],
  suites: ['explain', 'proof', 'judge', 'drive', 'exchange', 'schemas'],
  extension: ['suites', 'explain', 'proof', 'judge', 'drive', 'exchange', 'schemas'],
  pipeline: [
    ...['extension', 'suites', 'reports', 'explain', 'proof', 'judge'],
    ...['drive', 'proxy', 'reference', 'exchange', 'schemas'],
  ],
};

/** The folders of the product. The entries of the package, benches and scripts may import anything. */
const FOLDERS = `^(${Object.keys(MAY_IMPORT).join('|')}|cli)/`;

/** The only folder that may import a package; tests may import any. */
const OWNERS = {
  undici: 'drive/',
  ajv: 'schemas/',
  'http-proxy': 'proxy/',
  nock: 'proxy/',
  'fast-xml-builder': 'reports/',
  re2js: 'exchange/',
  tsx: 'exchange/',
  '@fastify/busboy': 'reference/',
  'find-my-way': 'reference/',
  commander: 'cli/',
  vitest: '(proxy|pipeline)/',
};

/** Everything of the pipeline that runs before a report is made: a verdict does not depend on how it is presented. */
const BEFORE_THE_REPORT = '^pipeline/(judging|threads|traffic)/';

const rules = [
  ...Object.entries(MAY_IMPORT).map(([folder, others]) => ({
    name: `${folder}/ may import ${[folder, ...others].join(', ')}`,
    from: { path: `^${folder}/` },
    to: { path: `${FOLDERS}.*\\.ts$`, pathNot: `^(${[folder, ...others].join('|')})/` },
  })),
  ...Object.entries(OWNERS).map(([name, owner]) => ({
    name: `${name} belongs to ${owner}`,
    from: { path: FOLDERS, pathNot: `^${owner}` },
    to: { path: `(^|node_modules/)${name}(/|$)` },
  })),
  {
    name: 'no report is needed to judge',
    from: { path: BEFORE_THE_REPORT },
    to: { path: '^reports/' },
  },
  { name: 'no import cycle between files', from: {}, to: { circular: true } },
];

/**
 * The folders that each folder imports. The folder scope of dependency-cruiser counts a folder with everything below
 * it, so it misses cycles between a folder and its subfolder; here a folder is only its own files.
 */
function folderImports(modules) {
  const imports = new Map();
  for (const { source, dependencies } of modules) {
    const from = posix.dirname(source);
    if (!imports.has(from)) imports.set(from, new Set());
    for (const { resolved } of dependencies)
      if (resolved.endsWith('.ts') && posix.dirname(resolved) !== from)
        imports.get(from).add(posix.dirname(resolved));
  }
  return imports;
}

/** The shortest cycle through a folder as a path that ends where it starts; null if there is none. Breadth-first. */
function shortestCycle(imports, start) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths)
    for (const next of imports.get(path.at(-1)) ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  return null;
}

const [root = '.'] = process.argv.slice(2);
const { output } = await cruise(
  readdirSync(root).filter((name) => new RegExp(`${FOLDERS}|^(bench|scripts)/|^index.ts/`).test(`${name}/`)),
  {
    baseDir: root,
    parser: 'swc',
    validate: true,
    ruleSet: { forbidden: rules },
    exclude: { path: '\\.test\\.ts$|\\.d\\.ts$|(^|/)testing/' },
    doNotFollow: { path: '^node_modules/' },
  },
  { extensions: ['.ts'] },
);
const violations = output.summary.violations.map(({ rule, from, to, cycle }) => {
  const path = cycle === undefined ? [to] : cycle.map(({ name }) => name);
  return `${[from, ...path].join(' → ')}: ${rule.name}`;
});
const imports = folderImports(output.modules);
for (const folder of [...imports.keys()].sort()) {
  const cycle = shortestCycle(imports, folder);
  if (cycle !== null) violations.push(`${cycle.join(' → ')}: no import cycle between folders`);
}
for (const violation of violations) console.error(violation);
console.log(`${violations.length} violations in ${output.summary.totalCruised} modules`);
if (violations.length > 0 || output.summary.totalCruised === 0) process.exitCode = 1;

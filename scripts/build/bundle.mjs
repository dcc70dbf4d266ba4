// Bundles the sources into a few JavaScript files, because Node needs a third of a millisecond to load each of hundreds
// of modules. Plain JavaScript, because `build.mjs` runs it before anything is built.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files that package.json names, and the bundled module behind each. */
const ENTRIES = {
  'cli/main.js': 'cli/main.ts',
  'index.js': 'index.ts',
  'suite.js': 'extension/suite.ts',
  'proxy/adapters/nock.js': 'proxy/adapters/nock.ts',
  'pipeline/vitest/conformance.js': 'pipeline/vitest/conformance.ts',
};

/** Modules started by name, next to all bundled modules. */
const WORKERS = [
  'pipeline/judging/judge-worker.ts',
  'pipeline/partial/share-worker.ts',
  'pipeline/threads/reference-worker.ts',
];

/** Modules that are found by name, in groups that are loaded together. */
const MODULE_GROUPS = [
  ['suites', /\.suite\.ts$/],
  ['suites', /\.client\.ts$/],
  ['suites', /\.requirements\.ts$|^(base|evidence|exclusions|equivalent-mutants)\.ts$/],
  ['reference', /\.routes\.ts$/],
];

/** Writes the bundle to a folder. `further`: modules that tests import from `lib/`, by their paths below the root. */
export async function bundle(out, further = []) {
  const entries = [...Object.values(ENTRIES), ...WORKERS, ...further];
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map((path) => [basename(path, '.ts'), path])),
    // All in one folder, so that any module can locate a worker.
    outdir: join(out, 'lib'),
    bundle: true,
    splitting: true,
    // Saves a fifth of the package. Names are kept for stack traces.
    minifyWhitespace: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    plugins: [foundModules, generatedValidators],
    logLevel: 'warning',
  });
  for (const [file, path] of Object.entries(ENTRIES)) {
    const target = join(out, file);
    mkdirSync(dirname(target), { recursive: true });
    const lib = relative(dirname(target), join(out, 'lib')).split(sep).join('/');
    const specifier = `${lib.startsWith('.') ? lib : `./${lib}`}/${basename(path, '.ts')}.js`;
    writeFileSync(
      target,
      file.startsWith('cli/')
        ? `#!/usr/bin/env node\nimport '${specifier}';\n`
        : `export * from '${specifier}';\n`,
    );
  }
}

/** Replaces `schemas/import-modules.ts`, which reads folders, by lists of the modules. */
const foundModules = {
  name: 'found-modules',
  setup(plugin) {
    plugin.onLoad({ filter: /schemas[\\/]import-modules\.ts$/ }, () => ({
      contents: importModulesSource(),
      resolveDir: root,
    }));
    plugin.onResolve({ filter: /^found:/ }, ({ path }) => ({ path, namespace: 'found' }));
    plugin.onLoad({ filter: /.*/, namespace: 'found' }, ({ path }) => ({
      contents: groupSource(MODULE_GROUPS[Number(path.slice('found:'.length))]),
      resolveDir: root,
    }));
  },
};

/** Replaces the modules `generated-validators.ts` by generated validators of all schemas. */
const generatedValidators = {
  name: 'generated-validators',
  async setup(plugin) {
    const generated = await generateValidators();
    const { formats, ...trees } = generated;
    plugin.onLoad({ filter: /generated-validators\.ts$/ }, ({ path }) => ({
      contents: /exchange[\\/]/.test(relative(root, path))
        ? validatorsSource({ formats }, 'generatedLineValidators')
        : validatorsSource(trees, 'generatedValidators'),
      resolveDir: root,
    }));
    plugin.onResolve({ filter: /^validators:/ }, ({ path }) => ({ path, namespace: 'validators' }));
    plugin.onLoad({ filter: /.*/, namespace: 'validators' }, ({ path }) => ({
      contents: validatorModule(generated[path.slice('validators:'.length)]),
      resolveDir: root,
    }));
  },
};

/**
 * The validators of all sets. Their generator is bundled first, because loading its modules one by one takes longer
 * than everything else here.
 */
async function generateValidators() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['scripts/build/generate-validators.ts'],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
  // Node resolves imports of code from stdin relative to the working directory.
  const options = { cwd: root, input: outputFiles[0].text, maxBuffer: 1 << 28 };
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-'], options));
}

/** The code of a set, minified because every start parses it. */
function validatorModule({ code }) {
  // The generated code loads parts of ajv with require, which modules lack.
  const head =
    "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";
  return transformSync(head + parsedSchemas(code), { format: 'esm', minify: true }).code;
}

/** Replaces the literals of schemas by calls of JSON.parse: V8 takes several times as long to compile a literal. */
function parsedSchemas(code) {
  return code.replace(
    /^(const schema\d+ = )(\{.*\});$/gm,
    (_, head, json) => `${head}/* @__PURE__ */ JSON.parse(${JSON.stringify(json)});`,
  );
}

function validatorsSource(generated, name) {
  const sets = Object.entries(generated).map(([set, { names }]) => ({
    head: `import * as ${set} from 'validators:${set}';`,
    entry: `${set}: [${names.map((name, n) => `[${JSON.stringify(name)}, ${set}.v${n}]`).join(', ')}]`,
  }));
  return `${sets.map(({ head }) => head).join('\n')}
const SETS = { ${sets.map(({ entry }) => entry).join(',\n')} };
export function ${name}(set) {
  return new Map(SETS[set]);
}`;
}

/** `importModules` as bundled: the same interface, and an error if a pattern matches nothing. */
function importModulesSource() {
  const groups = MODULE_GROUPS.map((group, n) => {
    const names = JSON.stringify(pathsOf(group).map((path) => basename(path)));
    return `{ folder: '${group[0]}', names: ${names}, load: () => import('found:${n}') }`;
  });
  return `const GROUPS = [${groups.join(',\n')}];
export async function importModules(folder, file) {
  const wanted = GROUPS.filter((group) => group.folder === folder && group.names.some((name) => file.test(name)));
  if (wanted.length === 0) throw new Error(\`No module of \${folder} is named like \${file}.\`);
  const loaded = await Promise.all(wanted.map((group) => group.load()));
  const found = loaded.flatMap(({ modules }) => modules).filter(([path]) => file.test(path.split('/').at(-1)));
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}`;
}

function groupSource(group) {
  const paths = pathsOf(group);
  const imports = paths.map((path, n) => `import * as m${n} from './${group[0]}/${path}';`);
  const list = paths.map((path, n) => `['${path}', m${n}]`);
  return `${imports.join('\n')}\nexport const modules = [${list.join(', ')}];`;
}

function pathsOf([folder, file]) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => file.test(basename(path)))
    .sort();
}

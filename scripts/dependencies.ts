// Writes docs/dependencies.md: the packages that come with assay, their weight, the Node they support and why they are there.
// With --check it writes nothing, and fails where the table is not up to date, a package has no reason, runs an install script or
// does not support every Node that assay supports.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { subset } from 'semver';
import { manifest } from './install/pack.ts';

const file = 'docs/dependencies.md';

/** Why each package is needed, and what was weighed against it. */
const reasons: Readonly<Record<string, string>> = {
  '@fastify/busboy':
    'Reads forms with uploads of 512 MB in the reference, in bounded memory. `@remix-run/multipart-parser` holds each file in memory.',
  '@remix-run/multipart-parser': 'Reads the parts of recorded forms, of which the bytes are there already.',
  ajv: 'Judges answers and requests by JSON Schema; the judge is compiled from the schemas.',
  commander: 'The command line: flags, help, mistakes.',
  'fast-xml-builder':
    'Writes JUnit XML, escaped and indented. `fast-xml-parser` brings a parser, too, which nothing here needs.',
  'find-my-way':
    'Routes the requests of the reference, which writes its responses with `node:http` so that faults decide every byte. `hono` with `@hono/node-server` costs 8 to 40 µs more a request.',
  'http-proxy': 'Passes on what the recorder receives, byte for byte.',
  'image-size': 'Reads the format and size of images of every kind.',
  pngjs: 'Draws and decodes PNG to the last pixel, to judge whether an image can be shown.',
  re2js: 'Runs patterns of users and of kinds of secrets in linear time, so that none can stall a recording.',
  undici: 'Sends requests with exact headers, bodies and connections; `fetch` of Node hides these.',
};

/** Loaded where the user has installed them. */
const peers: Readonly<Record<string, string>> = {
  nock: '`assay/nock`: cassettes as interceptors in the process of a test.',
  'prom-client':
    'Metrics of `watch --metrics`: 5.5 MB with its own, almost as much as assay, for those who operate a watch.',
  tsx: '`assay.config.ts` on Node below 22.18; later ones, Bun and Deno read TypeScript themselves.',
  vitest: '`assay/vitest`: a cassette for each test.',
  yaml: 'Cassettes of VCR, which are YAML, as input of `check`, `show` and `har`.',
};

/** The fields of package.json that are read of an installed package. */
interface Installed {
  readonly name: string;
  readonly version: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** An installed package and its folder. */
interface Package {
  readonly path: string;
  readonly about: Installed;
}

const { dependencies, peerDependencies, engines } = manifest();
const problems: string[] = [];
const rows = Object.keys(dependencies).map((name) => {
  const tree = [...treeOf(join('node_modules', name)).values()];
  for (const { about } of tree) inspect(about);
  const [top] = tree;
  const size = tree.reduce((sum, { path }) => sum + sizeOf(path), 0);
  if (reasons[name] === undefined) problems.push(`${name} has no reason in scripts/dependencies.ts`);
  // Kilobytes without decimals: patch releases should not change the page each time.
  const cells = [`\`${name}\` ${top?.about.version}`, tree.length, Math.round(size / 1000), reasons[name]];
  return { paths: tree.map(({ path }) => path), line: `| ${cells.join(' | ')} |`, size };
});
// A package that several others need is installed once, so the total counts paths and not rows.
const all = new Set(rows.flatMap(({ paths }) => paths));
const total = [...all].reduce((sum, path) => sum + sizeOf(path), 0);
const text = `# Dependencies

${all.size} packages come with assay, ${(total / 1e6).toFixed(1)} MB of files. \`npm run dependencies\` writes this page, and \`npm run check\` compares it. Every
package supports Node ${engines.node}, and none runs a script when it is installed. \`npm run install-matrix\` measures a real installation: with assay
itself it may have at most 60 packages and 15 MB of files.

| package | packages with its own | kB | why |
| --- | ---: | ---: | --- |
${rows.map(({ line }) => line).join('\n')}

A package that two others need is counted with both. These are optional: they are loaded where the project that uses assay has installed them.

| peer | version | for |
| --- | --- | --- |
${Object.entries(peerDependencies)
  .map(([name, range]) => `| \`${name}\` | ${range} | ${peers[name]} |`)
  .join('\n')}

Not needed any more: a web framework (the reference is served by \`node:http\` and a router), audio encoders (the reference
speaks from recorded clips that \`scripts/data/make-clips.ts\` made), a reader of audio files, a badge maker, a package for colours.
`;

if (problems.length > 0) throw new Error(problems.join('\n'));
// The page is committed, so that a new dependency, its weight and its reason show in review.
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text)
  throw new Error(`${file} is not up to date. Run: npm run dependencies`);

/** A package and all that it needs, as Node would find them, by path. */
function treeOf(path: string, known = new Map<string, Package>()): Map<string, Package> {
  if (known.has(path)) return known;
  const about = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Installed; // as: npm has installed it
  known.set(path, { path, about });
  for (const name of Object.keys(about.dependencies ?? {})) treeOf(resolved(name, path), known);
  return known;
}

/** Folder of a package as Node resolves it from another one: nested first, then upwards. */
function resolved(name: string, from: string): string {
  const nested = join(from, 'node_modules', name);
  if (statSync(nested, { throwIfNoEntry: false }) !== undefined) return nested;
  const above = from.lastIndexOf('node_modules');
  if (above <= 0) return join('node_modules', name);
  return resolved(name, from.slice(0, above - 1));
}

/** Adds the problems of one package: the Node it supports, and scripts that would run on installation. */
function inspect({ name, version, engines: theirs, scripts }: Installed): void {
  // A package without `engines` promises nothing, and is accepted: the install matrix uses it on each Node.
  const node = theirs?.node;
  if (node !== undefined && !subset(engines.node, node))
    problems.push(`${name} ${version} supports Node ${node}, which is less than ${engines.node}`);
  const run = ['preinstall', 'install', 'postinstall'].filter((script) => scripts?.[script] !== undefined);
  if (run.length > 0) problems.push(`${name} ${version} runs ${run.join(', ')} when it is installed`);
}

/** Bytes of the files of a package, without the packages inside it. */
function sizeOf(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum;
    const inner = join(path, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(inner) : statSync(inner).size);
  }, 0);
}

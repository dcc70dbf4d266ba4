// `node scripts/release/notes.mjs v0.2.0` prints the notes of a release, its section of CHANGELOG.md. Exits with 1 if
// there are none, or if the tag is a pre-release or not the version of all packages. It runs before anything is
// installed.
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const read = (path) => readFileSync(path, 'utf8');
const versions = {
  'package.json': JSON.parse(read('package.json')).version,
  'clients/python/pyproject.toml': /^version = "(.*)"$/m.exec(read('clients/python/pyproject.toml'))?.[1],
};
const section = read('CHANGELOG.md')
  .split(/^## /m)
  .find((one) => one.split('\n', 1)[0] === tag.replace(/^v/, ''));
const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
const problems = [
  ...(/^v\d+\.\d+\.\d+$/.test(tag)
    ? []
    : [`${tag} is not a release: the tag has to be vMAJOR.MINOR.PATCH, without a suffix such as -rc.1.`]),
  ...Object.entries(versions)
    .filter(([, version]) => tag !== `v${version}`)
    .map(
      ([path, version]) =>
        `${path} has the version ${version}: the tag has to be v${version}, or the version another one.`,
    ),
  ...(notes === '' ? [`CHANGELOG.md has no section "## ${tag.replace(/^v/, '')}" with notes.`] : []),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(notes);

// `node scripts/release/greatest.mjs v1.4.0` compares a release with the tags of origin. It prints `all` if no version
// is greater, `major` if only other major versions are, and `none` otherwise. The workflow runs it right before it
// moves a tag, because a greater version may have been tagged while the tests ran.
import { execFileSync } from 'node:child_process';

const [tag = ''] = process.argv.slice(2);
const parseVersion = (name) => name.slice(1).split('.').map(Number);

function isGreater(left, right) {
  const index = left.findIndex((number, at) => number !== right[at]);
  return index !== -1 && left[index] > right[index];
}

const released = parseVersion(tag);
const greater = execFileSync('git', ['ls-remote', '--tags', '--refs', 'origin'], { encoding: 'utf8' })
  .split('\n')
  .map((line) => line.slice(line.lastIndexOf('/') + 1))
  .filter((name) => /^v\d+\.\d+\.\d+$/.test(name))
  .map(parseVersion)
  .filter((version) => isGreater(version, released));

if (greater.length === 0) console.log('all');
else console.log(greater.some(([major]) => major === released[0]) ? 'none' : 'major');

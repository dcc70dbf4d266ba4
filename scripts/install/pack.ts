import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Manifest {
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // as: our own file
}

/**
 * Builds and packs the package as a publisher would, in a copy, because tests and scripts may be using this folder.
 * Returns the path of the tarball, which is in `folder`.
 */
export function pack(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'assay-publish-'));
  try {
    // Types are not checked here, because the static check finds type errors.
    execFileSync(process.execPath, ['scripts/build/build.mjs', join(copy, 'dist'), '--unchecked'], {
      cwd: root,
      stdio: 'inherit',
    });
    // Entries of `files` may be globs; the first segment of each is a folder or file.
    const sources = new Set(
      readManifest()
        .files.filter((file) => !file.startsWith('!'))
        .map((file) => file.split('/')[0] ?? ''),
    );
    // `dist` was built into the copy.
    sources.delete('dist');
    for (const name of [...sources, 'package.json', 'README.md', 'LICENSE'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    const flags = ['--silent', '--ignore-scripts', '--pack-destination', folder];
    execFileSync('npm', ['pack', ...flags], { cwd: copy, stdio: 'ignore' });
  } finally {
    rmSync(copy, { recursive: true });
  }
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack wrote no tarball to ${folder}.`);
  return join(folder, tarball);
}

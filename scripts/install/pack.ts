import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The fields of package.json that say what is published and what is installed with it. */
export interface Manifest {
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The package.json of this repository. */
export function manifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // as: our own file
}

/** Builds and packs what a publisher would, in a separate folder, as other programs use `dist/` meanwhile. Returns the tarball, which is in `folder`. */
export function pack(folder: string): string {
  // npm packs what lies in a folder; tests and other scripts may be writing to this one.
  const copy = mkdtempSync(join(tmpdir(), 'assay-publish-'));
  try {
    // `npm run build`, which a publisher runs, looks for errors of types; so does the static check.
    execFileSync(process.execPath, ['scripts/build/build.mjs', join(copy, 'dist'), '--unchecked'], {
      cwd: root,
      stdio: 'inherit',
    });
    // Entries of `files` may be globs; the first part of each is a folder or file that npm selects from.
    const sources = new Set(
      manifest()
        .files.filter((file) => !file.startsWith('!'))
        .map((file) => file.split('/')[0] ?? ''),
    );
    // `dist` was built into the copy; the one of the repository may be older.
    sources.delete('dist');
    for (const name of [...sources, 'package.json', 'README.md', 'LICENSE'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    const flags = ['--silent', '--ignore-scripts', '--pack-destination', folder];
    execFileSync('npm', ['pack', ...flags], { cwd: copy, stdio: 'ignore' });
  } finally {
    rmSync(copy, { recursive: true });
  }
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
}

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every entry below a folder, with its kind and content. */
export function snapshot(dir: string): Map<string, string> {
  const seen = new Map<string, string>();
  const visit = (path: string) => {
    for (const name of readdirSync(join(dir, path))) {
      const inner = join(path, name);
      const full = join(dir, inner);
      const stats = lstatSync(full);
      if (stats.isDirectory()) {
        seen.set(inner, 'folder');
        visit(inner);
      } else if (stats.isFile()) seen.set(inner, `file ${readFileSync(full, 'latin1')}`);
      else
        seen.set(
          inner,
          stats.isSymbolicLink() ? `link ${readlinkSync(full)}` : `special ${stats.mode} ${stats.ino}`,
        );
    }
  };
  visit('');
  return seen;
}

/** The bytes of all files below a folder as latin1, and the names of other entries. */
export function allBytes(dir: string): string {
  return [...snapshot(dir).values()].join('\n');
}

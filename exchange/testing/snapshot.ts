import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Kind and content of every entry below a folder, by relative path. Links are not followed; bytes are latin1. */
export function takeSnapshot(dir: string): Map<string, string> {
  const entries = new Map<string, string>();
  const visit = (path: string) => {
    for (const name of readdirSync(join(dir, path))) {
      const inner = join(path, name);
      const full = join(dir, inner);
      const stats = lstatSync(full);
      if (stats.isDirectory()) {
        entries.set(inner, 'folder');
        visit(inner);
      } else if (stats.isFile()) entries.set(inner, `file ${readFileSync(full, 'latin1')}`);
      else
        entries.set(
          inner,
          stats.isSymbolicLink() ? `link ${readlinkSync(full)}` : `special ${stats.mode} ${stats.ino}`,
        );
    }
  };
  visit('');
  return entries;
}

export function readAllContents(dir: string): string {
  return [...takeSnapshot(dir).values()].join('\n');
}

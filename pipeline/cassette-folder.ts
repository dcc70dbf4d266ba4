import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of a cassette, given itself or as the folder of a report; null where there is none. */
export function recordedIn(dir: string): string | null {
  const found = [dir, join(dir, 'cassette')].find((path) =>
    ['cassette.jsonl', 'journal.jsonl'].some((name) => existsSync(join(path, name))),
  );
  return found ?? null;
}

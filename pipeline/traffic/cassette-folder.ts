import { join } from 'node:path';
import { holdsRecording, recordingDir } from '../../exchange/cassette/folder.ts';

/** The folder of a cassette, finished or not, given itself or as the folder of a report; null where it contains no cassette. */
export function cassetteFolderOf(dir: string): string | null {
  const found = [dir, join(dir, 'cassette')].find((path) => [path, recordingDir(path)].some(holdsRecording));
  return found ?? null;
}

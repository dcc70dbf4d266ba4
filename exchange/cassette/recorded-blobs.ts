import { Blobs } from './write/blobs.ts';
import { recordingDir } from './write/places.ts';

/**
 * The large bodies of a cassette that is being recorded in place of another. Finishing moves their folder, so they are
 * looked for in both places.
 */
export function recordedBlobs(dir: string): Pick<Blobs, 'read'> {
  const [recording, finished] = [new Blobs(recordingDir(dir)), new Blobs(dir)];
  return {
    read(sha256, size) {
      try {
        return recording.read(sha256, size);
      } catch {
        return finished.read(sha256, size);
      }
    },
  };
}

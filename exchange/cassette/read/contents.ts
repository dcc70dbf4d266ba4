import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CassetteError } from '../error.ts';
import { entryKind, isFolder } from '../write/entry.ts';

/** Names of the files directly in the folder of a cassette, those of a killed writer included. */
const FILE =
  /^(?:(?:cassette|timing|journal)\.jsonl(?:\.tmp)?|lock(?:\.taking)?|lock(?:\.taking)?\.\d+-\d+(?:-[0-9a-f]+)?(?:\.old)?)$/;
/** Files directly in the folder that other programs put there. They neither count nor are they removed. */
const IGNORED = /^(?:\.DS_Store|\.gitkeep)$/;
/** Name of a blob. */
const SHA256 = /^[0-9a-f]{64}$/;
/** Name of a folder of blobs: the beginning of their digests. */
const PREFIX = /^[0-9a-f]{2}$/;
/** Name of an unfinished blob. */
const TEMPORARY = /^\d+\.tmp$/;

/** The entries of the folder of a cassette, as paths below it. */
export interface Contents {
  /** Regular files with names of the format. */
  readonly files: readonly string[];
  /** Blobs among them by their digest. */
  readonly blobs: ReadonlyMap<string, string>;
  /** Folders of the format, inner ones first. */
  readonly folders: readonly string[];
  /** Names of the format that are links, devices or of another kind than the format has there. */
  readonly disguised: readonly string[];
  /** All other entries but those that other programs put into any folder. */
  readonly foreign: readonly string[];
  readonly ignored: readonly string[];
}

/** Whether a text can be the name of a blob. */
export function isDigest(name: string): boolean {
  return SHA256.test(name);
}

/** Whether a file directly in a folder would be a part of a cassette by its name. */
export function isPart(name: string): boolean {
  return FILE.test(name) || name === 'blobs' || IGNORED.test(name);
}

/** Lists a folder without following links. Throws the system's error where the folder cannot be read. */
export function contentsOf(dir: string): Contents {
  const lister = new Lister(dir);
  lister.list('', (name) => (name === 'blobs' ? 'folder' : FILE.test(name) ? 'file' : null));
  return lister;
}

/** The kind that the format expects of an entry by its name; null for a name that is not part of it. */
type Expected = (name: string) => 'file' | 'folder' | null;

/** Names that are allowed in each folder below `blobs`. */
const INNER: Readonly<Record<string, Expected>> = {
  blobs: (name) => (name === 'sha256' ? 'folder' : TEMPORARY.test(name) ? 'file' : null),
  'blobs/sha256': (name) => (PREFIX.test(name) ? 'folder' : null),
};

/** Lists a folder by what the format expects. */
class Lister implements Contents {
  readonly files: string[] = [];
  readonly blobs = new Map<string, string>();
  readonly folders: string[] = [];
  readonly disguised: string[] = [];
  readonly foreign: string[] = [];
  readonly ignored: string[] = [];
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Lists a folder and the folders below it that the format knows. */
  list(folder: string, expected: Expected): void {
    for (const name of readdirSync(join(this.#dir, folder)).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const wanted = expected(name);
      const kind = entryKind(join(this.#dir, path));
      if (wanted === null) (IGNORED.test(path) && kind === 'file' ? this.ignored : this.foreign).push(path);
      else if (kind !== wanted) this.disguised.push(path);
      else if (wanted === 'file') this.#file(path, name);
      else {
        this.list(path, INNER[path] ?? ((inner) => blobIn(name, inner)));
        this.folders.push(path);
      }
    }
  }

  /** Adds a file. */
  #file(path: string, name: string): void {
    this.files.push(path);
    if (isDigest(name)) this.blobs.set(name, path);
  }
}

/** `file` for the name of a blob in the folder with this prefix. */
function blobIn(prefix: string, name: string): 'file' | null {
  return isDigest(name) && name.startsWith(prefix) ? 'file' : null;
}

/** All regular files below a folder; links are not followed. Throws CassetteError where it is not a folder; empty where it does not exist. */
export function regularFilesIn(dir: string): string[] {
  if (!isFolder(dir)) return [];
  return readdirSync(dir)
    .toSorted()
    .flatMap((name) => {
      const path = join(dir, name);
      const kind = entryKind(path);
      if (kind === 'folder') return regularFilesIn(path);
      return kind === 'file' ? [path] : [];
    });
}

/** Throws CassetteError `foreign` where an entry with a name of the format is a link or of another kind. */
export function refuseDisguised(dir: string): void {
  if (entryKind(dir) !== 'folder') return;
  const [first] = contentsOf(dir).disguised;
  if (first !== undefined) throw disguise(dir, first);
}

/**
 * Removes the cassette in a folder, finished or not, and the folder unless something else is in it. Does nothing where the folder does not exist. Throws CassetteError, and removes nothing, where an entry with a name of the format is a link or of another kind.
 */
export function removeCassette(dir: string): void {
  if (!isFolder(dir)) return;
  const own = contentsOf(dir);
  removeFiles(dir, own, () => true);
  removeIfEmpty(dir);
}

/** The same, but for the lock, which its holder still needs, and the folder. */
export function emptyCassette(dir: string): void {
  removeFiles(dir, contentsOf(dir), (path) => !path.startsWith('lock'));
}

/** Removes the files of a cassette, and nothing else. */
function removeFiles(
  dir: string,
  { files, folders, disguised }: Contents,
  goes: (path: string) => boolean,
): void {
  const [first] = disguised;
  if (first !== undefined) throw disguise(dir, first);
  for (const path of files.filter(goes)) unlinkSync(join(dir, path));
  for (const path of folders) removeIfEmpty(join(dir, path));
}

/** Removes a folder that holds nothing. */
export function removeIfEmpty(dir: string): void {
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}

/** Error for a link or special file in the place of a file of the format. */
function disguise(dir: string, path: string): CassetteError {
  return new CassetteError(
    'foreign',
    `${join(dir, path)} is not of the kind that a cassette has there: it is a link, a special file, or a file in place of a folder. Remove it, or record into another folder.`,
  );
}

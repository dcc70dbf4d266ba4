import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, messageOf } from '../../schemas/error-message.ts';

/** Something is wrong with a cassette; the message names the file, the line where there is one, and what to do. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
  /**
   * `in-use` and `not-empty` are the caller's affair; `foreign` is an entry that no cassette has, as a link; the others are
   * damage or the disk's.
   */
  readonly kind: CassetteFault;

  constructor(kind: CassetteFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export type CassetteFault =
  | 'missing'
  | 'in-use'
  | 'not-empty'
  | 'unwritable'
  | 'torn'
  | 'malformed'
  | 'conflict'
  | 'checksum'
  | 'version'
  | 'blob'
  | 'foreign'
  | 'unfinished'
  | 'secret';

/** Whether a folder holds a cassette, or the journal of one that is not finished. */
export function holdsRecording(dir: string): boolean {
  return ['cassette.jsonl', 'journal.jsonl'].some((name) => entryKind(join(dir, name)) !== null);
}

/** Where a cassette is recorded that is to replace another. */
export function recordingDir(dir: string): string {
  return `${dir}.recording`;
}

/** Where a recording stays that failed and is not to replace the cassette that is there. */
export function failedDir(dir: string): string {
  return `${dir}.failed`;
}

/** Where a cassette is put in which a known secret was found. */
export function quarantineDir(dir: string): string {
  return `${dir}.quarantine`;
}

/** Where a replaced cassette is for the moment in which another takes its place. */
export function replacedDir(dir: string): string {
  return `${dir}.recording.old`;
}

/** A free place for a recording that was interrupted, when another is about to take its folder. */
export function interruptedDir(dir: string): string {
  for (let n = 1; ; n += 1) {
    const place = n === 1 ? `${dir}.interrupted` : `${dir}.interrupted-${n}`;
    if (entryKind(place) === null) return place;
  }
}

/** Kind of the entry at a path; symbolic links are not followed. `other`: a link, a device, a FIFO or a socket. */
export type EntryKind = 'file' | 'folder' | 'other';

/** Windows has neither flag. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_BLOCK = constants.O_NONBLOCK ?? 0;

/** Kind of the entry at a path; null when the path does not exist. */
export function entryKind(path: string): EntryKind | null {
  const stats = statsOf(path);
  if (stats === undefined) return null;
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}

/** Stats of an entry, without following links; undefined when it does not exist. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Below a file there is nothing.
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Opens a regular file for reading; the caller closes it. Throws CassetteError `foreign` for anything else: a link may lead
 * outside the cassette, and a FIFO blocks the process. Throws the system's error where the file cannot be opened.
 */
export function openRegular(path: string): number {
  // Opening some devices has effects, so the kind is looked at first; the descriptor is what counts.
  if (entryKind(path) === 'other') throw notRegular(path);
  const fd = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_BLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** The same; null when the file does not exist. */
export function openIfThere(path: string): number | null {
  return entryKind(path) === null ? null : openRegular(path);
}

/** Creates a file for reading and writing. Throws the system's `EEXIST` where there is an entry of that name, a link included. */
export function createNewFile(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
}

/** Throws CassetteError unless there is a folder of that name, or nothing. Gives whether it is there. */
export function isFolder(path: string): boolean {
  const kind = entryKind(path);
  if (kind === null || kind === 'folder') return kind === 'folder';
  throw new CassetteError(
    'foreign',
    `${path} must be a folder, but is ${kind === 'file' ? 'a file' : 'a link or a special file'}. ${REMOVE}`,
  );
}

/** Runs a write to a file. Throws CassetteError `unwritable` with the system's reason where it fails. */
export function writing<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The error of a write that failed, unless it is a CassetteError already. */
export function unwritable(file: string, error: unknown): CassetteError {
  if (error instanceof CassetteError) return error;
  return new CassetteError('unwritable', `${file} cannot be written: ${messageOf(error)}.`, error);
}

/** Advice of every error about links and special files. */
const REMOVE = 'A cassette has no such entries: remove it, or get the cassette from a source that you trust.';

/** Error for a link, a device or a FIFO. */
function notRegular(path: string): CassetteError {
  return new CassetteError('foreign', `${path} is not a regular file. ${REMOVE}`);
}

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

/** So many names are listed; the others are counted. */
const LISTED = 3;

/** Throws CassetteError where a recording that takes the place of a folder would take something else with it. */
export function refuseForeignFiles(dir: string): void {
  if (entryKind(dir) === null) return;
  refuseNoFolder(dir);
  refuseDisguised(dir);
  const { foreign } = contentsOf(dir);
  if (foreign.length === 0) return;
  const more = foreign.length > LISTED ? ` and ${foreign.length - LISTED} more` : '';
  const names = `${foreign.slice(0, LISTED).join(', ')}${more}`;
  throw new CassetteError(
    'not-empty',
    `${dir} holds entries that are not part of a cassette, and would be lost: ${names}. Record into an empty folder.`,
  );
}

/** Throws CassetteError where a writer would write through a link, or into something that is not a folder. */
export function refuseNoFolder(dir: string): void {
  const kind = entryKind(dir);
  if (kind === null || kind === 'folder') return;
  if (kind === 'file')
    throw new CassetteError(
      'not-empty',
      `${dir} is a file; a cassette is a folder. Record into another place.`,
    );
  throw new CassetteError(
    'foreign',
    `${dir} is a link or a special file; a recording writes only into a folder. Name the folder that it leads to, or another one.`,
  );
}

/** Error for a folder without a cassette; the message describes what the folder contains. */
export function missingCassette(dir: string): CassetteError {
  if (statSync(dir, { throwIfNoEntry: false })?.isFile() !== true) {
    const file = join(dir, 'cassette.jsonl');
    return new CassetteError(
      'missing',
      `${dir} does not contain a cassette: ${file} is missing. Record one, or check the path.`,
    );
  }
  const name = isPart(basename(dir))
    ? `Name the one that it is in: ${dirname(dir)}`
    : 'Name one; of a HAR file, assay har makes one';
  return new CassetteError('missing', `${dir} is a file; a cassette is a folder. ${name}.`);
}

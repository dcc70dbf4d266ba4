/** Bodies that are stored beside the lines of a cassette, in blobs that are named by the sha256 (in hex) of their content. */
export interface BlobStore {
  /** Throws CassetteError unless there is a body with that digest, of that many bytes. Its content is not read. */
  check(sha256: string, size: number): void;
  /** The content; throws CassetteError when it is missing or not what its name says. */
  read(sha256: string, size: number): Uint8Array;
  /** The content in pieces, which are valid until the next one, not compared with the digest. Throws as `check`. */
  pieces(sha256: string, size: number): Iterable<Uint8Array>;
  /** The file that holds the content; null where it is in memory. */
  file(sha256: string): string | null;
  /** Begins a body whose digest is not known yet. Throws CassetteError when it cannot be written. */
  begin(): NewBlob;
}

/** A blob that is being written. */
export interface NewBlob {
  /** Appends bytes. Throws CassetteError when they cannot be written. */
  write(bytes: Uint8Array): void;
  /** Completes the blob and returns its sha256. Throws CassetteError when it cannot be written. */
  finishSync(): string;
}

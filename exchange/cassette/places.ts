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

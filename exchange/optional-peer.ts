/** A package that assay uses only where the caller has installed it is not there. */
export class MissingPeer extends Error {
  override readonly name = 'MissingPeer';
}

/**
 * Loads a package that is an optional peer dependency.
 * @param purpose What needs it, as the subject of a sentence: `assay/nock`.
 * @throws MissingPeer with the command that installs it; any other error of the package as it is.
 */
export async function optionalPeer<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new MissingPeer(
      `${purpose} needs the package ${name}, which is not installed. Install it: npm install --save-dev ${name}`,
    );
  }
}

/** Whether this very package is not found, rather than one that it imports. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return /MODULE_NOT_FOUND/.test(String(code)) && new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(error.message);
}

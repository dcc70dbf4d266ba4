export class MissingPeer extends Error {
  override readonly name = 'MissingPeer';
}

/**
 * Imports an optional peer dependency. `purpose` names the feature that needs it, as the subject of a sentence:
 * `assay/nock`. Rejects with MissingPeer, whose message has the command that installs it; rethrows errors of the
 * package.
 */
export async function importOptionalPeer<T>(
  name: string,
  purpose: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new MissingPeer(
      `${purpose} needs the package ${name}, which is not installed. Install it: npm install --save-dev ${name}`,
    );
  }
}

/** Whether the package itself is missing, rather than one that it imports. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return /MODULE_NOT_FOUND/.test(String(code)) && new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(error.message);
}

export class MissingPeer extends Error {
  override readonly name = 'MissingPeer';
}

/**
 * `purpose` names the feature that needs the package, as the subject of a sentence: `assay/nock`. Rejects with
 * MissingPeer, whose message has the command to run, if the package is not installed; rethrows any other error.
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

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return /MODULE_NOT_FOUND/.test(String(code)) && new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(error.message);
}

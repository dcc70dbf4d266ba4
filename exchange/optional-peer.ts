import { pathToFileURL } from 'node:url';

export class MissingPeer extends Error {
  override readonly name = 'MissingPeer';
}

/**
 * Loads an optional peer dependency. `purpose` names the feature that needs it, as the subject of a sentence: `assay/nock`. Rejects
 * with MissingPeer, whose message has the command that installs it; rethrows errors of the package.
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

/** Whether the package itself is missing, rather than one that it imports. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return /MODULE_NOT_FOUND/.test(String(code)) && new RegExp(`['"]${name}(/[^'"]*)?['"]`).test(error.message);
}

/**
 * Imports a JavaScript or TypeScript module of the user, which runs with the user's rights. `purpose` names the feature that needs
 * it, as the subject of a sentence. Rejects with MissingPeer if neither the runtime nor tsx reads TypeScript.
 */
export async function importScript(
  path: string,
  purpose: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { href } = pathToFileURL(path);
  return !/\.m?ts$/.test(path) || readsTypeScript() ? import(href) : importTypeScript(href, purpose);
}

/** Whether this runtime imports TypeScript natively: Node from 22.18 and 23.6, Bun, Deno. */
function readsTypeScript(): boolean {
  return (
    Boolean(Reflect.get(process.features, 'typescript')) ||
    'bun' in process.versions ||
    'deno' in process.versions
  );
}

async function importTypeScript(href: string, purpose: string): Promise<Readonly<Record<string, unknown>>> {
  const feature = `${purpose} on Node ${process.versions.node}`;
  const { tsImport } = await optionalPeer('tsx', feature, () => import('tsx/esm/api'));
  return tsImport(href, import.meta.url);
}

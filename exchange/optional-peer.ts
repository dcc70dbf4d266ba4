import { pathToFileURL } from 'node:url';

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

// Imports modules of the user: configuration and suites. They run with the rights of the user, as those of other build tools do.

/**
 * The exports of a module, JavaScript or TypeScript. `purpose`: what needs it, as the subject of a sentence. Throws MissingPeer where
 * neither the runtime nor tsx reads TypeScript.
 */
export async function importScript(
  path: string,
  purpose: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { href } = pathToFileURL(path);
  return !/\.m?ts$/.test(path) || readsTypeScript() ? import(href) : transformed(href, purpose);
}

/** Whether this runtime imports TypeScript by itself: Node from 22.18 and 23.6 on, Bun, Deno. */
function readsTypeScript(): boolean {
  return (
    Boolean(Reflect.get(process.features, 'typescript')) ||
    'bun' in process.versions ||
    'deno' in process.versions
  );
}

/** Imports TypeScript by tsx, an optional peer. Throws where it is not installed. */
async function transformed(href: string, purpose: string): Promise<Readonly<Record<string, unknown>>> {
  const on = `${purpose} on Node ${process.versions.node}`;
  const { tsImport } = await optionalPeer('tsx', on, () => import('tsx/esm/api'));
  return tsImport(href, import.meta.url);
}

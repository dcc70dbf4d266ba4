// Imports modules of the user: configuration and suites. They run with the rights of the user, as those of other build tools do.
import { pathToFileURL } from 'node:url';
import { optionalPeer } from './optional-peer.ts';

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

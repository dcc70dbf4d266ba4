import { pathToFileURL } from 'node:url';
import { importOptionalPeer } from './optional-peer.ts';

/**
 * The module runs with the user's rights. `purpose` names the feature that needs it, as the subject of a sentence.
 * For TypeScript, rejects with MissingPeer if the runtime cannot import it and tsx is not installed.
 */
export async function importScript(
  path: string,
  purpose: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { href } = pathToFileURL(path);
  return !/\.m?ts$/.test(path) || readsTypeScript() ? import(href) : importTypeScript(href, purpose);
}

/** Whether this runtime imports TypeScript natively: Node 22.18 and later, 23.6 and later, Bun, Deno. */
function readsTypeScript(): boolean {
  return (
    Boolean(Reflect.get(process.features, 'typescript')) ||
    'bun' in process.versions ||
    'deno' in process.versions
  );
}

async function importTypeScript(href: string, purpose: string): Promise<Readonly<Record<string, unknown>>> {
  const feature = `${purpose} on Node ${process.versions.node}`;
  const { tsImport } = await importOptionalPeer('tsx', feature, () => import('tsx/esm/api'));
  return tsImport(href, import.meta.url);
}

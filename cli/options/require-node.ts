import { UsageError } from '../../pipeline/setup/usage-error.ts';

/** Throws UsageError on Bun, which replaces undici, and on Deno, which never exits after using it. */
export function requireNode(command: string, versions: NodeJS.ProcessVersions = process.versions): void {
  const other = ['bun', 'deno'].find((name) => name in versions);
  if (other !== undefined)
    throw new UsageError(
      `assay ${command} needs Node 20.19 or later and does not work on ${other}. Run it with node.`,
    );
}

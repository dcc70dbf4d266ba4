import type { ByteFilter } from './replacer.ts';

/** Filters one after the other. */
export function chainFilters(...filters: readonly ByteFilter[]): ByteFilter {
  return {
    push: (piece) => filters.reduce((bytes, filter) => filter.push(bytes), piece),
    finish: () =>
      filters.reduce<Uint8Array>((rest, filter) => {
        const pushed = filter.push(rest);
        return Buffer.concat([pushed, filter.finish()]);
      }, new Uint8Array(0)),
  };
}

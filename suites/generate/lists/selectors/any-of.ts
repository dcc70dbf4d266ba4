import type { Evidence, Selector } from '../../../vocabulary/types.ts';

/** The evidence of several selectors together. */
export function anyOf<E extends Evidence>(selectors: readonly Selector<E>[]): Selector<E> {
  return {
    operations: [...new Set(selectors.flatMap(({ operations }) => operations))],
    variant: null,
    anyOf: selectors,
    collect: () => {
      const collectors = selectors.map((selector) => ({ selector, collector: selector.collect() }));
      return {
        call: (call) =>
          collectors.flatMap(({ selector: { operations, variant, everyVariant }, collector }) => {
            const { id } = call.operation;
            const isWanted = variant === null || call.variant?.name === variant || everyVariant?.includes(id);
            return operations.includes(id) && isWanted ? [...collector.call(call)] : [];
          }),
        finish: () => collectors.flatMap(({ collector }) => [...(collector.finish?.() ?? [])]),
      };
    },
  };
}

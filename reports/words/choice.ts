import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';

/** Each alternative with the first exchange that shows it: `length (e3)`. */
export function takenWords({ taken, exchanges = [] }: ChoiceVerdict): readonly string[] {
  return taken.map((alternative, n) => {
    // Older reports have no exchanges, and a defect of assay has none.
    const exchange = exchanges[n] ?? null;
    return exchange === null ? alternative : `${alternative} (${exchange})`;
  });
}

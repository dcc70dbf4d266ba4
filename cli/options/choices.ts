import { didYouMean } from '../../drive/configuration/option-readers.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { Selection } from '../../reference/choices/selection.ts';

/** Separates `ID=ALTERNATIVE` pairs. Alternatives may contain commas; ids contain a dot. */
const PAIR_SEPARATOR = /,\s*(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+=)/;
const MAX_LISTED = 12;
const LIST_HINT = 'Run assay serve --choices list to see all choices.';

/** Reads `contrary`, `random:SEED` or `ID=ALTERNATIVE,…`. Rejects with UsageError. */
export async function readChoices(text: string): Promise<Selection> {
  const { contrarySelection, namedSelection, randomSelection, UnknownChoiceOrAlternative } = await import(
    '../../reference/choices/selection.ts'
  );
  if (text === 'contrary') return contrarySelection();
  const seed = /^random:(\d+)$/.exec(text)?.[1];
  if (seed !== undefined) return randomSelection(Number(seed));
  try {
    return namedSelection(text.split(PAIR_SEPARATOR).map(parsePair));
  } catch (error) {
    if (!(error instanceof UnknownChoiceOrAlternative)) throw error;
    const { message, given, known } = error;
    const hint =
      known.length > MAX_LISTED ? LIST_HINT : `It has: ${known.map((name) => `'${name}'`).join(', ')}.`;
    throw new UsageError(`${message}${didYouMean(given, known)}. ${hint}`);
  }
}

function parsePair(text: string): readonly [string, string] {
  const [, id, alternative] = /^([^=]+)=(.+)$/s.exec(text.trim()) ?? [];
  if (id !== undefined && alternative !== undefined) return [id, alternative];
  throw new UsageError(
    `--choices contains ${JSON.stringify(text)}; it takes contrary, random:SEED or ID=ALTERNATIVE. ${LIST_HINT}`,
  );
}

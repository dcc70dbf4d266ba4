import { didYouMean } from '../drive/configuration/option-readers.ts';
import { UsageError } from '../pipeline/usage-error.ts';
import type { Selection } from '../reference/choices/selection.ts';

/** Where one `ID=ALTERNATIVE` ends and the next begins: alternatives contain commas too, ids contain a point. */
const BETWEEN = /,(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+=)/;

/**
 * The alternatives that `--choices` names: `contrary`, `random:SEED`, or `ID=ALTERNATIVE`, several of them separated by commas.
 * @throws UsageError with the nearest name where a choice or an alternative does not exist.
 */
export async function readChoices(text: string): Promise<Selection> {
  const { contrarySelection, namedSelection, randomSelection, UnknownAlternative } = await import(
    '../reference/choices/selection.ts'
  );
  if (text === 'contrary') return contrarySelection();
  const seed = /^random:(\d+)$/.exec(text)?.[1];
  if (seed !== undefined) return randomSelection(Number(seed));
  try {
    return namedSelection(text.split(BETWEEN).map(readPair));
  } catch (error) {
    if (!(error instanceof UnknownAlternative)) throw error;
    const { message, given, known } = error;
    throw new UsageError(`${message}${didYouMean(given, known)}. ${hintOf(known)}`);
  }
}

/** One `ID=ALTERNATIVE`. @throws UsageError for any other text. */
function readPair(text: string): readonly [string, string] {
  const [, id, alternative] = /^([^=]+)=(.+)$/s.exec(text.trim()) ?? [];
  if (id !== undefined && alternative !== undefined) return [id, alternative];
  throw new UsageError(
    `--choices is ${JSON.stringify(text)}; it takes contrary, random:SEED or ID=ALTERNATIVE. ${LIST}`,
  );
}

const LIST = 'Run assay serve --choices list to see all choices.';

/** The alternatives where they are few; else the command that lists all choices. */
function hintOf(known: readonly string[]): string {
  return known.length > 12 ? LIST : `It has: ${known.map((name) => `'${name}'`).join(', ')}.`;
}

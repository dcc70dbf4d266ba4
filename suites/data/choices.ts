// What choices say, from `choices/<family>.json`: the code of a choice has only its evidence, and how an alternative is read from it.
import { readFileSync } from 'node:fs';
import { choice } from '../../judge/requirements/define.ts';
import type { Choice, ChoiceLiteral, Evidence } from '../../judge/requirements/requirement.ts';
import { filesIn } from './family-data.ts';

/** The words of one choice; `choices.schema.json` describes them. */
type Words = Pick<Choice<Evidence>, 'spec' | 'says' | 'alternatives' | 'places' | 'several' | 'takesAway'>;

/** How the alternative that a target takes is seen: the part of a choice that is code. */
type Reading<E extends Evidence> = Omit<ChoiceLiteral<E>, keyof Words>;

/** Read once for each process. */
let known: ReadonlyMap<string, Words> | undefined;

/**
 * The choice of this id, whose words are in `suites/data/choices/`. Throws where they are not, or not in order. Example:
 * `choiceOf('models.list.order', { selector: responses('listModels'), taken: listOrder('created') })`.
 */
export function choiceOf<E extends Evidence>(id: string, reading: Reading<E>): Choice<E> {
  const words = choiceWords().get(id);
  if (words === undefined) throw new Error(`No file of suites/data/choices/ has ${id}.`);
  return choice({ ...words, ...reading, id });
}

/** The words of all choices by their ids. */
export function choiceWords(): ReadonlyMap<string, Words> {
  known ??= new Map(
    filesIn('data/choices').flatMap((path) => {
      const file: { readonly choices: Readonly<Record<string, Words>> } = JSON.parse(
        readFileSync(path, 'utf8'),
      );
      return Object.entries(file.choices);
    }),
  );
  return known;
}

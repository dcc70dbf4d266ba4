// The words of choices, from `choices/<family>.json`: the code of a choice has its evidence, and how an alternative is read from it.
import { readFileSync } from 'node:fs';
import type { Json } from '../../exchange/http/body.ts';
import { choice } from '../../judge/requirements/define.ts';
import type { Choice, ChoiceLiteral, Evidence, Mutation } from '../../judge/requirements/requirement.ts';
import { inResponse, setHeader, succeedInstead, withStatusOf } from '../../proof/mutations/mutations.ts';
import { removeValue, setValue } from '../../proof/mutations/values.ts';
import { filesIn } from './family-data.ts';

/** The words of one choice; `choices.schema.json` describes them. */
type Words = Pick<
  Choice<Evidence>,
  'spec' | 'says' | 'alternatives' | 'places' | 'several' | 'takesAway' | 'unlisted'
>;

/** The data of one choice: its words, and the examples that change nothing but places of a response. */
type ChoiceData = Words & { readonly examples?: Readonly<Record<string, ExampleData>> };

/** An example as data: what is different in every successful response of one operation. */
type ExampleData = { readonly in: string } & (
  | {
      /** Values by JSON pointer. */
      readonly set?: Readonly<Record<string, Json>>;
      /** JSON pointers; what is there is taken away first. */
      readonly remove?: readonly string[];
    }
  | { readonly status: number }
  | { /** The JSON with which each request succeeds that was refused. */ readonly answer: Json }
  | { /** By name; null takes the field away. */ readonly header: Readonly<Record<string, string | null>> }
);

/** How the alternative that a target takes is seen: the part of a choice that is code. */
type Reading<E extends Evidence> = Omit<ChoiceLiteral<E>, keyof Words>;

/** Read once for each process. */
let known: ReadonlyMap<string, ChoiceData> | undefined;

/**
 * The choice of this id, whose words are in `suites/data/choices/`. Throws where they are not, or not in order. Example:
 * `choiceOf('models.list.order', { selector: responses('listModels'), taken: listOrder('created') })`.
 */
export function choiceOf<E extends Evidence>(id: string, reading: Reading<E>): Choice<E> {
  const words = choiceWords().get(id);
  if (words === undefined) throw new Error(`No file of suites/data/choices/ has ${id}.`);
  const examples = Object.entries(words.examples ?? {}).map(
    ([name, data]) => [name, mutationOf(data)] as const,
  );
  const all = { ...Object.fromEntries(examples), ...reading.examples };
  return choice({ ...words, ...reading, examples: all, id });
}

/** The data of all choices by their ids. */
export function choiceWords(): ReadonlyMap<string, ChoiceData> {
  known ??= new Map(
    filesIn('data/choices').flatMap((path) => {
      const file: { readonly choices: Readonly<Record<string, ChoiceData>> } = JSON.parse(
        readFileSync(path, 'utf8'),
      );
      return Object.entries(file.choices);
    }),
  );
  return known;
}

function mutationOf(example: ExampleData): Mutation {
  if ('status' in example) return withStatusOf(example.in, example.status);
  if ('answer' in example) return succeedInstead(example.in, () => example.answer);
  if ('header' in example) {
    const [[name, value] = ['', null]] = Object.entries(example.header);
    return setHeader(example.in, name, value);
  }
  const { set = {}, remove = [] } = example;
  return inResponse(
    example.in,
    ...remove.map(removeValue),
    ...Object.entries(set).map(([at, value]) => setValue(at, value)),
  );
}

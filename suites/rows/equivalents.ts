// Equivalent mutants as data, `equivalent-mutants.json`: other forms of responses that the specification leaves open.
import { readFileSync } from 'node:fs';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { arrayAt, textAt, valueAtPath } from '../../judge/trace/json.ts';
import { inEachExchange } from '../../proof/equivalent-mutants/json-changes.ts';
import { withResponseJson } from '../../proof/mutations/exchanges.ts';
import { callsOperation, type ExchangeEdit } from '../../proof/mutations/mutations.ts';
import { type Edit, setValue } from '../../proof/mutations/values.ts';
import type { Json } from '../../schemas/json.ts';
import { findDataFiles } from '../data/family-data.ts';
import { compileMutation, type EditRow } from './edits.ts';
import { jsonEdit } from './json-edits.ts';
import { dataTest, type Tests } from './test-words.ts';

/** `equivalent-mutants.schema.json` describes the members. */
interface EquivalentRow extends Pick<EditRow, 'set' | 'remove' | 'append' | 'rewrite'> {
  readonly name: string;
  readonly in?: readonly string[];
  readonly object?: string;
  readonly that?: Tests;
  readonly renamed?: Readonly<Record<string, string>>;
  readonly blinds?: true;
  readonly filed?: string;
  readonly edits?: EditRow | readonly EditRow[];
}

export function readEquivalentMutants(): readonly EquivalentMutant[] {
  return findDataFiles('equivalent-mutants.json').flatMap((path) => {
    const file: { readonly mutants: readonly EquivalentRow[] } = JSON.parse(readFileSync(path, 'utf8'));
    return file.mutants.map(compileMutant);
  });
}

function compileMutant(row: EquivalentRow): EquivalentMutant {
  const { name, blinds, filed, edits = [] } = row;
  const editResponse = compileResponseEdit(row);
  const editExchange = compileExchangeEdit(edits);
  const mutant = inEachExchange(name, (exchange) => editExchange(editResponse(exchange)));
  return { ...mutant, ...(blinds !== undefined && { blinds }), ...(filed !== undefined && { filed }) };
}

function compileExchangeEdit(edits: EditRow | readonly EditRow[]): ExchangeEdit {
  const mutation = compileMutation(edits);
  return (exchange) => mutation([exchange])?.[0] ?? exchange;
}

function compileResponseEdit(row: EquivalentRow): ExchangeEdit {
  const { in: operations, object, that = {}, renamed = {}, ...edits } = row;
  const isSelected = dataTest(that);
  const edit = jsonEdit(edits);
  const editObject: Edit = (value) => {
    const isOther = object !== undefined && textAt(value, 'object') !== object;
    return isOther || !isSelected(value) ? value : edit(renameFields(value, renamed));
  };
  const editAnswer: Edit = (value) =>
    object !== undefined && Array.isArray(valueAtPath(value, 'data'))
      ? editElements(value, editObject)
      : editObject(value);
  return (exchange) =>
    operations === undefined || operations.some((id) => callsOperation(exchange, id))
      ? withResponseJson(exchange, editAnswer)
      : exchange;
}

function editElements(page: Json, edit: Edit): Json {
  const data = arrayAt(page, 'data');
  const edited = data.map((element) => edit(element));
  return edited.every((element, i) => element === data[i]) ? page : setValue('/data', edited)(page);
}

function renameFields(value: Json, names: Readonly<Record<string, string>>): Json {
  let renamed = value;
  for (const [from, to] of Object.entries(names)) {
    const field = valueAtPath(renamed, from);
    if (field !== undefined)
      renamed = jsonEdit({ remove: [`/${from}`], set: { [`/${to}`]: field } })(renamed);
  }
  return renamed;
}

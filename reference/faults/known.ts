import { createRequire } from 'node:module';
import { operations, schema } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';
import { ignoreFields } from '../deviations/changes.ts';
import type { Fault } from '../deviations/deviation.ts';
import { type ChangeRow, hooksOf } from '../deviations/rows.ts';
import { FAULTS_IN_CODE } from './in-code.ts';

type FaultRow = Omit<Fault, 'does'> & ChangeRow;
// as: cli/faults.proof.test.ts and cli/evasions.proof.test.ts prove the rows
const ROWS = createRequire(import.meta.url)('#reference/faults/faults.json') as readonly FaultRow[];

export const knownFaults: readonly Fault[] = ROWS.map((row) => ({
  ...row,
  does: FAULTS_IN_CODE[row.id] ?? hooksOf(row),
}));

export class UnknownFault extends Error {
  override name = 'UnknownFault';
}

export function needFaults(ids: string): readonly Fault[] {
  return ids.split(',').map((part) => {
    const id = part.trim();
    const fault = findFault(id);
    if (fault !== undefined) return fault;
    const names = suggestNames(
      id,
      knownFaults.map((known) => known.id),
    );
    throw new UnknownFault(`Unknown fault '${id}'${names}. assay serve --fault list prints all of them.`);
  });
}

/** The fault with an id; undefined if unknown. @throws UnknownFault if `ignore:` names no field. */
export function findFault(id: string): Fault | undefined {
  const [, operation, field] = /^ignore:(\w+)\.(.+)$/.exec(id) ?? [];
  return operation === undefined || field === undefined
    ? knownFaults.find((fault) => fault.id === id)
    : makeIgnoringFault(id, operation, field);
}

function makeIgnoringFault(id: string, operation: string, field: string): Fault {
  if (!fieldsOf(operation).includes(field)) {
    const knownFields = operations().flatMap(({ id }) => fieldsOf(id).map((name) => `${id}.${name}`));
    const names = suggestNames(`${operation}.${field}`, knownFields);
    throw new UnknownFault(
      `No body or query has the field '${operation}.${field}' of --fault ${id}${names}.`,
    );
  }
  const says = `${operation} validates ${field} and ignores it`;
  return { id, says, requirement: null, on: [operation], does: ignoreFields(field) };
}

function fieldsOf(operation: string): readonly string[] {
  const matching = operations().filter(({ id }) => id === operation);
  const bodies = matching.flatMap(({ variants }) => variants.flatMap(({ body }) => body ?? []));
  const inBodies = bodies.flatMap((body) => {
    const { properties } = schema(body.schema);
    return isJsonObject(properties) ? Object.keys(properties) : [];
  });
  const queries = matching.flatMap(({ parameters }) =>
    parameters.filter((parameter) => parameter.in === 'query'),
  );
  return [...inBodies, ...queries.map(({ name }) => name)];
}

// Dialects with one change that makes an erratum excuse more or less, such as a condition or an element of a list that
// is left out. Traffic that reveals the change proves that the changed part is needed.
import { isJsonObject, type Json, type JsonObject } from '../../schemas/json.ts';
import { withoutMember } from './today/objects.ts';

export interface ErratumMutant {
  readonly erratum: string;
  /** The changed place in the erratum, and the changed keyword or element. */
  readonly change: string;
  /** The traffic that reveals the change: traffic `beyond` the erratum now passes, or traffic `excused` by it fails. */
  readonly shownBy: 'beyond' | 'excused';
  readonly file: JsonObject;
}

type Change = Omit<ErratumMutant, 'erratum' | 'file'> & { readonly changed: JsonObject };

/** Keywords for the type or presence of a value. They are never left out, because other keywords depend on them. */
const STRUCTURE = new Set(['type', 'required']);
/** Violations of these keywords always concern absent values. */
const ABSENT_VALUE_KEYWORD = /#(required|expected)$/;
const STATUSES = Array.from({ length: 100 }, (_, n) => 400 + n);
const MUTATE_ENTRY = { excuses: mutateExcuse, modes: mutateMode, refusals: mutateRefusal } as const;

export function errataMutants(file: JsonObject): readonly ErratumMutant[] {
  return objectsIn(file['errata']).flatMap((erratum, n) =>
    mutateErratum(erratum).map(({ change, shownBy, changed }) => ({
      erratum: String(erratum['id']),
      change,
      shownBy,
      file: { ...file, errata: replaceElement(file['errata'], n, changed) },
    })),
  );
}

function mutateErratum(erratum: JsonObject): readonly Change[] {
  return Object.entries(MUTATE_ENTRY).flatMap(([kind, mutateEntry]) =>
    objectsIn(erratum[kind]).flatMap((entry, n) =>
      mutateEntry(entry).map((one) => ({
        ...one,
        change: `${kind}[${n}] ${one.change}`,
        changed: { ...erratum, [kind]: replaceElement(erratum[kind], n, one.changed) },
      })),
    ),
  );
}

function mutateExcuse(excuse: JsonObject): readonly Change[] {
  const requirements = textsIn(excuse['requirements']);
  const concernsAbsent = requirements.every((id) => ABSENT_VALUE_KEYWORD.test(id));
  return Object.keys(excuse).flatMap((name) => {
    if (name === 'requirements') return leaveOutEach(excuse, name, 'none:such');
    if (name === 'found')
      return [excuseMore(name, { ...excuse, found: true }), ...mutateMemberSchema(excuse, name)];
    if (name === 'absent' && 'found' in excuse) return [excuseLess(name, withoutMember(excuse, name))];
    if (name === 'absent' && concernsAbsent) return [];
    const lists = name === 'operations' ? leaveOutEach(excuse, name) : [];
    return [excuseMore(name, withoutMember(excuse, name)), ...lists, ...mutateMemberSchema(excuse, name)];
  });
}

function mutateMode(mode: JsonObject): readonly Change[] {
  const changes = [
    excuseMore('asked', { ...mode, asked: {} }),
    ...mutateMemberSchema(mode, 'asked'),
    ...leaveOutEach(mode, 'operations'),
  ];
  if (mode['unknown'] === 'echoes') changes.push(excuseMore('unknown', { ...mode, unknown: 'answer' }));
  if ('omits' in mode) changes.push(excuseMore('omits', { ...mode, omits: [''] }));
  return changes;
}

function mutateRefusal(refusal: JsonObject): readonly Change[] {
  const fields = objectIn(refusal['fields']);
  const changes = [
    ...mutateMemberSchema(refusal, 'asked'),
    excuseMore('statuses', { ...refusal, statuses: STATUSES }),
    ...leaveOutEach(refusal, 'statuses'),
    ...leaveOutEach(refusal, 'operations'),
  ];
  if ('asked' in refusal) changes.push(excuseMore('asked', { ...refusal, asked: {} }));
  if ('says' in refusal) changes.push(excuseMore('says', { ...refusal, says: '' }));
  for (const [name, schema] of Object.entries(fields)) {
    const replaceField = (field: Json) => ({ ...refusal, fields: { ...fields, [name]: field } });
    if (schema !== true) changes.push(excuseMore(`fields.${name}`, replaceField(true)));
    if (Object.keys(fields).length > 1)
      changes.push(excuseLess(`fields.${name}`, { ...refusal, fields: withoutMember(fields, name) }));
    changes.push(...mutateSchema(`fields.${name}`, schema, replaceField));
  }
  return changes;
}

function mutateMemberSchema(entry: JsonObject, name: string): readonly Change[] {
  if (!['found', 'asked', 'answer', 'within'].includes(name)) return [];
  return mutateSchema(name, entry[name], (changed) => ({ ...entry, [name]: changed }));
}

function mutateSchema(
  at: string,
  schema: Json | undefined,
  put: (changed: JsonObject) => JsonObject,
): readonly Change[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const inside = (changed: Json) => put({ ...schema, [name]: changed });
    if (STRUCTURE.has(name)) return [];
    if (['items', 'contains'].includes(name)) return mutateSchema(`${at}.${name}`, value, inside);
    if (name === 'properties') return mutateProperties(at, objectIn(value), inside);
    const withoutValue = name === 'enum' ? leaveOutEach(schema, name) : [];
    return [
      excuseMore(`${at} ${name}`, put(withoutMember(schema, name))),
      ...withoutValue.map(({ change, changed }) => excuseLess(`${at} ${change}`, put(changed))),
    ];
  });
}

function mutateProperties(
  at: string,
  properties: JsonObject,
  put: (changed: JsonObject) => JsonObject,
): readonly Change[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema === false
      ? [excuseMore(`${at}.${name}`, put(withoutMember(properties, name)))]
      : mutateSchema(`${at}.${name}`, schema, (changed) => put({ ...properties, [name]: changed })),
  );
}

/** If the list has one element, it is replaced by `substitute`, or kept if there is none. */
function leaveOutEach(entry: JsonObject, name: string, substitute?: string): readonly Change[] {
  const all = entry[name];
  if (!Array.isArray(all) || (all.length === 1 && substitute === undefined)) return [];
  return all.map((one, n) => {
    const others = all.filter((_, i) => i !== n);
    return excuseLess(`${name} ${one}`, { ...entry, [name]: others.length === 0 ? [substitute] : others });
  });
}

const excuseMore = (change: string, changed: JsonObject): Change => ({ change, shownBy: 'beyond', changed });
const excuseLess = (change: string, changed: JsonObject): Change => ({ change, shownBy: 'excused', changed });

function replaceElement(list: Json | undefined, n: number, element: JsonObject): readonly JsonObject[] {
  return objectsIn(list).map((one, i) => (i === n ? element : one));
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

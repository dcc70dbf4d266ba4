// Dialects with one change: a condition of an erratum that always holds, or a list element left out. Traffic that
// reveals the change proves that the condition, or the element, is needed.
import { isJsonObject, type Json, type JsonObject } from '../../schemas/json.ts';
import { withoutMember } from './today/objects.ts';

/** A dialect that excuses more, or less, than the original. */
export interface ErratumMutant {
  /** Id of the erratum that is changed. */
  readonly erratum: string;
  /** The place in the erratum, and what is changed there. */
  readonly change: string;
  /** Where it shows: traffic beyond the erratum no longer has a finding, or traffic that it excuses now has one. */
  readonly shownBy: 'beyond' | 'excused';
  /** The content of the dialect file. */
  readonly file: JsonObject;
}

type Change = Omit<ErratumMutant, 'erratum' | 'file'> & { readonly changed: JsonObject };

/** Keywords that state the type of a value, or its presence. The other keywords depend on them. */
const STRUCTURE = new Set(['type', 'required']);
/** Violations of these keywords always concern absent values. */
const OF_ABSENT = /#(required|expected)$/;
const STATUSES = Array.from({ length: 100 }, (_, n) => 400 + n);
const CHANGES = { excuses: inExcuse, modes: inMode, refusals: inRefusal } as const;

/** All mutants of the errata of a dialect. */
export function errataMutants(file: JsonObject): readonly ErratumMutant[] {
  return objectsIn(file['errata']).flatMap((erratum, n) =>
    inErratum(erratum).map(({ change, shownBy, changed }) => ({
      erratum: String(erratum['id']),
      change,
      shownBy,
      file: { ...file, errata: replaced(file['errata'], n, changed) },
    })),
  );
}

function inErratum(erratum: JsonObject): readonly Change[] {
  return Object.entries(CHANGES).flatMap(([kind, changesIn]) =>
    objectsIn(erratum[kind]).flatMap((entry, n) =>
      changesIn(entry).map((one) => ({
        ...one,
        change: `${kind}[${n}] ${one.change}`,
        changed: { ...erratum, [kind]: replaced(erratum[kind], n, one.changed) },
      })),
    ),
  );
}

function inExcuse(excuse: JsonObject): readonly Change[] {
  const requirements = textsIn(excuse['requirements']);
  const isOfAbsent = requirements.every((id) => OF_ABSENT.test(id));
  return Object.keys(excuse).flatMap((name) => {
    if (name === 'requirements') return eachLeftOut(excuse, name, 'none:such');
    if (name === 'found') return [wider(name, { ...excuse, found: true }), ...inSchema(excuse, name)];
    if (name === 'absent' && 'found' in excuse) return [narrower(name, withoutMember(excuse, name))];
    if (name === 'absent' && isOfAbsent) return [];
    const lists = name === 'operations' ? eachLeftOut(excuse, name) : [];
    return [wider(name, withoutMember(excuse, name)), ...lists, ...inSchema(excuse, name)];
  });
}

function inMode(mode: JsonObject): readonly Change[] {
  return [
    wider('asked', { ...mode, asked: {} }),
    ...inSchema(mode, 'asked'),
    ...eachLeftOut(mode, 'operations'),
    ...(mode['unknown'] === 'echoes' ? [wider('unknown', { ...mode, unknown: 'answer' })] : []),
    ...('omits' in mode ? [wider('omits', { ...mode, omits: [''] })] : []),
  ];
}

function inRefusal(refusal: JsonObject): readonly Change[] {
  const fields = objectIn(refusal['fields']);
  const ofFields = Object.entries(fields).flatMap(([name, schema]) => [
    ...(schema === true
      ? []
      : [wider(`fields.${name}`, { ...refusal, fields: { ...fields, [name]: true } })]),
    ...(Object.keys(fields).length === 1
      ? []
      : [narrower(`fields.${name}`, { ...refusal, fields: withoutMember(fields, name) })]),
    ...inSchemaAt(`fields.${name}`, schema, (changed) => ({
      ...refusal,
      fields: { ...fields, [name]: changed },
    })),
  ]);
  return [
    ...('asked' in refusal ? [wider('asked', { ...refusal, asked: {} })] : []),
    ...inSchema(refusal, 'asked'),
    wider('statuses', { ...refusal, statuses: STATUSES }),
    ...eachLeftOut(refusal, 'statuses'),
    ...eachLeftOut(refusal, 'operations'),
    ...('says' in refusal ? [wider('says', { ...refusal, says: '' })] : []),
    ...ofFields,
  ];
}

/** Changes of a schema that is a member of an entry; none for other members. */
function inSchema(entry: JsonObject, name: string): readonly Change[] {
  if (!['found', 'asked', 'answer', 'within'].includes(name)) return [];
  return inSchemaAt(name, entry[name], (changed) => ({ ...entry, [name]: changed }));
}

function inSchemaAt(
  at: string,
  schema: Json | undefined,
  put: (changed: JsonObject) => JsonObject,
): readonly Change[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const inside = (changed: Json) => put({ ...schema, [name]: changed });
    if (STRUCTURE.has(name)) return [];
    if (['items', 'contains'].includes(name)) return inSchemaAt(`${at}.${name}`, value, inside);
    if (name === 'properties') return inProperties(at, objectIn(value), inside);
    const values = name === 'enum' ? eachLeftOut(schema, name).map((one) => moved(one, at, put)) : [];
    return [wider(`${at} ${name}`, put(withoutMember(schema, name))), ...values];
  });
}

function inProperties(
  at: string,
  properties: JsonObject,
  put: (changed: JsonObject) => JsonObject,
): readonly Change[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema === false
      ? [wider(`${at}.${name}`, put(withoutMember(properties, name)))]
      : inSchemaAt(`${at}.${name}`, schema, (changed) => put({ ...properties, [name]: changed })),
  );
}

/** The list without each of its elements in turn; the only element is replaced instead, if a replacement is given. */
function eachLeftOut(entry: JsonObject, name: string, other?: string): readonly Change[] {
  const all = entry[name];
  if (!Array.isArray(all) || (all.length === 1 && other === undefined)) return [];
  return all.map((one, n) => {
    const rest = all.filter((_, i) => i !== n);
    return narrower(`${name} ${one}`, { ...entry, [name]: rest.length === 0 ? [other] : rest });
  });
}

const wider = (change: string, changed: JsonObject): Change => ({ change, shownBy: 'beyond', changed });
const narrower = (change: string, changed: JsonObject): Change => ({ change, shownBy: 'excused', changed });
const moved = (one: Change, at: string, put: (changed: JsonObject) => JsonObject): Change => ({
  ...one,
  change: `${at} ${one.change}`,
  changed: put(one.changed),
});

function replaced(list: Json | undefined, n: number, element: JsonObject): readonly JsonObject[] {
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

import { subjectOf } from '../judge/probe/request-constraints.ts';
import type { ChoiceVerdict } from '../judge/verdict/verdict.ts';
import type { FamilyName } from '../schemas/contract.ts';
import { type Operation, operations, schema } from '../schemas/index.ts';
import { isJsonObject } from '../schemas/json.ts';
import { groupBy } from '../schemas/maps.ts';
import { missingCapabilities } from './capabilities.ts';
import { EFFECTS, type EffectRow, queryEffects } from './effects.ts';
import { printableReport } from './printable-report.ts';
import type { Report, ReportedRequirement } from './report.ts';

/** Splits ids such as `createRun:body.tools[]…` and `createRun:accepts#body.tools…` into name, place, field, remainder. */
const FIELD_REQUIREMENT = /^([\w.]+):(?:accepts#)?(body|query)\.([^.[(=#<>&]+)(?:\[\])?(.*)$/s;
const UNCONTRADICTED = 'accepted; nothing contradicts its effect';
/** Verdicts of broken requirements, even if a dialect or the level excuses them, as the service behaves the same. */
const VIOLATED: readonly string[] = ['fail', 'warn', 'excused'];

export type Support = 'supported' | 'ignored' | 'refused' | 'other' | 'not shown';

export interface FieldSupport {
  /** `createChatCompletion`, or `createAssistant.v1` if an operation has two variants. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly family: FamilyName;
  readonly field: string;
  readonly support: Support;
  readonly why: string | null;
  readonly by: readonly string[];
}

export function supportTable(report: Report): readonly FieldSupport[] {
  const evidence = collectEvidence(printableReport(report));
  return operations().flatMap((operation) =>
    operation.variants.flatMap((variant) => {
      const form = variant.name === 'only' ? operation.id : `${operation.id}.${variant.name}`;
      const { id, method, path } = operation;
      return listFields(operation, variant).map(({ place, field, isRequired }) => {
        const name = place === 'body' ? form : subjectOf(operation, variant);
        return {
          operation: name,
          method,
          path,
          family: variant.family,
          field: place === 'body' ? field : `query.${field}`,
          ...findSupport({ id, name, family: variant.family, place, field, isRequired }, evidence),
        };
      });
    }),
  );
}

type SupportFacts = Pick<FieldSupport, 'support' | 'why' | 'by'>;

interface Field {
  readonly place: 'body' | 'query';
  readonly field: string;
  readonly isRequired: boolean;
}

interface NamedField extends Field {
  /** `createAssistant`. */
  readonly id: string;
  /** `createAssistant.v1`. */
  readonly name: string;
  readonly family: FamilyName;
}

function listFields(
  { parameters }: Operation,
  { body, counted }: Operation['variants'][number],
): readonly Field[] {
  // Parameters are the same for all variants of an operation, and are listed only for counted variants.
  const query = counted ? parameters.filter((one) => one.in === 'query') : [];
  const { properties, required } = body === null ? {} : schema(body.schema);
  return [
    ...Object.keys(isJsonObject(properties) ? properties : {}).map((field) => ({
      place: 'body' as const,
      field,
      isRequired: Array.isArray(required) && required.includes(field),
    })),
    ...query.map(({ name }) => ({ place: 'query' as const, field: name, isRequired: false })),
  ];
}

type Evidence = ReturnType<typeof collectEvidence>;

function collectEvidence(report: Report) {
  const { requirements, choices, operations: rows, diagnoses = [] } = report;
  const explained = findExplainedRefusals(diagnoses);
  const unexplained = requirements.filter(
    (one) => one.kind === 'accepted' && isViolated(one) && !explained.has(one.id),
  );
  const exercised = rows.filter((one) => one.exercised > 0);
  const judgesRequests = ({ kind }: ReportedRequirement) => kind === 'accepted' || kind === 'rejected';
  return {
    requirements: new Map(requirements.map((one) => [one.id, one])),
    choices: new Map(choices.map((one) => [one.id, one])),
    requestRequirements: groupBy(requirements.filter(judgesRequests), ({ id }) => parseId(id)?.key),
    /** Features of valid requests that were refused, by operation, place and field. */
    refusedFeatures: groupBy(diagnoses.flatMap(listRefusedFeatures), ({ key }) => key),
    missingOperations: idsOf(rows.filter(({ notImplemented }) => notImplemented)),
    refusingOperations: new Set(unexplained.flatMap((one) => one.operations)),
    withoutEvidence: new Set(diagnoses.flatMap(({ withoutEvidence = [] }) => withoutEvidence)),
    exercised: idsOf(exercised),
    /** Operations that are exercised and claimed, not only called to prepare other requests. */
    judged: idsOf(exercised.filter(({ claimed }) => claimed)),
    /** Families whose operations were sent invalid values; not by parameter, as few parameters of lists have any. */
    probedFamilies: new Set(requirements.filter(isDecidedRejection).map(({ family }) => family)),
    /** Fields of capabilities that the target lacks: `createChatCompletion.tools`. */
    lackingFields: new Set(missingCapabilities(report).flatMap(({ fields }) => fields)),
  };
}

function idsOf(rows: Report['operations']): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => id));
}

function findSupport(field: NamedField, evidence: Evidence): SupportFacts {
  if (evidence.missingOperations.has(field.id))
    return { support: 'refused', why: 'the operation is not offered', by: [] };
  const acceptance = findAcceptance(field, evidence);
  if (acceptance?.accepts === 'none') return acceptance.facts;
  const effect = findEffect(field, acceptance !== null, evidence);
  // A field with one refused form is not supported as specified, even if its other forms are accepted.
  if (acceptance?.accepts === 'some' && effect?.support === 'supported') return acceptance.facts;
  // An operation with two variants may have been exercised only in its other variant.
  const isSent = field.isRequired && field.name === field.id && evidence.judged.has(field.id);
  const unseen = isSent
    ? ({ support: 'other', why: acceptedWords(field), by: [] } as const)
    : ({ support: 'not shown', why: null, by: [] } as const);
  return effect ?? acceptance?.facts ?? unseen;
}

interface Acceptance {
  readonly accepts: 'all' | 'some' | 'none';
  readonly facts: SupportFacts;
}

/** Null if the report does not show whether the field is accepted. */
function findAcceptance(
  field: NamedField,
  { requestRequirements, refusedFeatures }: Evidence,
): Acceptance | null {
  const key = keyOf(field);
  const features = refusedFeatures.get(key) ?? [];
  const valid = (requestRequirements.get(key) ?? []).filter(({ kind }) => kind === 'accepted');
  const broken = valid.filter(
    (one) => isViolated(one) && (one.consequenceOf ?? []).every((id) => parseId(id)?.key === key),
  );
  const passing = valid.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
  const by = [...broken.map(({ id }) => id), ...features.map(({ id }) => id)];
  const cause = features.map(({ message }) => message).join('; ');
  if (features.some(({ refusesAnyValue }) => refusesAnyValue) || (by.length > 0 && passing.length === 0))
    return { accepts: 'none', facts: { support: 'refused', why: cause || 'valid values are refused', by } };
  if (by.length > 0) {
    const why = `accepted in some forms, refused in others${cause === '' ? '' : `: ${cause}`}`;
    return { accepts: 'some', facts: { support: 'other', why, by } };
  }
  if (passing.length === 0) return null;
  return { accepts: 'all', facts: { support: 'other', why: acceptedWords(field), by: passing } };
}

function findEffect(field: NamedField, isAccepted: boolean, evidence: Evidence): SupportFacts | null {
  if (!evidence.exercised.has(field.id)) return null;
  const rows = listEffectRows(field, evidence);
  const shown = rows.flatMap((row) => supportShownBy(row, { field, isAccepted }, evidence) ?? []);
  const bySupport = groupBy(shown, ({ support }) => support);
  const { ignored = [], supported = [], other } = Object.fromEntries(bySupport);
  const listIds = (facts: readonly SupportFacts[]) => facts.flatMap((one) => one.by);
  if (ignored.length > 0)
    return { support: 'ignored', why: 'accepted, without the effect', by: listIds(ignored) };
  if (other !== undefined) return { ...other[0], by: listIds(other) };
  // Every row must show support, because a service that ignores all fields passes the requirements that only forbid
  // something.
  return supported.length > 0 && supported.length === rows.length
    ? { support: 'supported', why: null, by: listIds(supported) }
    : null;
}

function listEffectRows(
  { id: operation, name, family, place, field }: NamedField,
  { requirements }: Evidence,
): readonly EffectRow[] {
  if (place === 'query')
    return queryEffects(operation, name, field).filter(({ noticedBy }) => requirements.has(noticedBy));
  // Responses to creations and modifications repeat fields of the request; requirements are named after these fields.
  const echoes = ['create', 'modify'].map((verb) => `${family}.${verb}.keeps-${field.replaceAll('_', '-')}`);
  return [
    ...listEffects(operation, field),
    ...echoes
      .filter((id) => requirements.get(id)?.operations.includes(operation) === true)
      .map((noticedBy) => ({ operation, fields: [field], noticedBy, how: 'ignored' }) as const),
  ];
}

/** Support for a field as one row shows it; null if it shows nothing. `isAccepted`: a valid value was accepted. */
function supportShownBy(
  row: EffectRow,
  { field, isAccepted }: { readonly field: NamedField; readonly isAccepted: boolean },
  evidence: Evidence,
): SupportFacts | null {
  const { operation, noticedBy, how, needsProbes, also } = row;
  const { choices, requirements } = evidence;
  const choice = choices.get(noticedBy);
  if (choice !== undefined && choice.taken.length > 0) return supportShownByChoice(row, choice);
  const requirement = requirements.get(noticedBy);
  if (requirement === undefined || how === 'accepted' || how === 'open') return null;
  const isInBody = field.place === 'body';
  // If the requirement judges several operations, its verdict does not say which one it concerns.
  const judged = requirement.operations.filter((id) => isInBody && evidence.exercised.has(id));
  const taken = choices.get(also?.choice ?? '')?.taken ?? [];
  const isSeen =
    also === undefined || (also.taken === undefined ? taken.length > 0 : taken.includes(also.taken));
  if (isViolated(requirement)) return supportDespiteViolation(row, requirement, { judged, isSeen }, evidence);
  if (judged.length > 1 && !isAccepted) return null;
  if (requirement.verdict === 'inconclusive') {
    // If no valid value was accepted, the requirement may be undecided because another field caused all refusals.
    if (!isAccepted) return null;
    return evidence.lackingFields.has(`${field.id}.${field.field}`)
      ? conclude(row, 'ignored')
      : conclude(row, 'other', 'accepted; whether it has the effect is undecided');
  }
  if (requirement.verdict !== 'pass') return null;
  const isProbed = isInBody
    ? (evidence.requestRequirements.get(keyOf(field)) ?? []).some(isDecidedRejection)
    : evidence.probedFamilies.has(field.family);
  const isTried =
    isProbed && !evidence.refusingOperations.has(operation) && !evidence.withoutEvidence.has(noticedBy);
  if (needsProbes === true && !(isTried && isSeen))
    return isAccepted ? conclude(row, 'other', UNCONTRADICTED) : null;
  return conclude(row, 'supported');
}

function conclude({ noticedBy }: EffectRow, support: Support, why: string | null = null): SupportFacts {
  return { support, why, by: [noticedBy] };
}

function supportShownByChoice(row: EffectRow, { says, taken }: ChoiceVerdict): SupportFacts {
  const takesOnly = (wanted?: string) => taken.every((alternative) => alternative === wanted);
  if (takesOnly(row.shows)) return conclude(row, 'supported');
  if (takesOnly(row.permits)) return conclude(row, 'other', UNCONTRADICTED);
  return conclude(row, 'other', `accepted; ${says} ${taken.join(', ')}`);
}

function supportDespiteViolation(
  row: EffectRow,
  { provoked }: ReportedRequirement,
  { judged, isSeen }: { readonly judged: readonly string[]; readonly isSeen: boolean },
  evidence: Evidence,
): SupportFacts {
  const { noticedBy, how, also, mayFailOtherwise, unless } = row;
  if (judged.length > 1)
    return conclude(row, 'other', `accepted; ignored by at least one of ${judged.join(', ')}`);
  if (provoked === true || (also?.isEffect === true && isSeen))
    return conclude(row, 'other', 'accepted; some answers lack the effect, others have it');
  // A requirement that is only inconclusive without the effect fails only if some response shows the effect.
  const hasEffect = how === 'undecided' || mayFailOtherwise === true || isEffectShownBy(unless, evidence);
  return hasEffect ? conclude(row, 'other', `accepted; ${noticedBy} fails`) : conclude(row, 'ignored');
}

function isEffectShownBy(unless: EffectRow['unless'], { requirements }: Evidence): boolean {
  const shown = unless && requirements.get(unless.requirement);
  return shown !== undefined && (isViolated(shown) || (shown.verdict === 'pass' && unless?.is === 'decided'));
}

type ReportedDiagnosis = NonNullable<Report['diagnoses']>[number];

/**
 * A request is refused for all features of a diagnosis together, so each of them is one of the causes.
 * `refusesAnyValue`: every request with the field is refused.
 */
function listRefusedFeatures({ features, operations: broken, message }: ReportedDiagnosis) {
  return broken.flatMap(({ id }) =>
    features.map((one) => {
      const parts = parseId(`${id.split(':')[0]}:accepts#${one}`);
      return {
        id,
        key: parts?.key,
        refusesAnyValue: features.length === 1 && parts?.remainder === '',
        message,
      };
    }),
  );
}

function findExplainedRefusals(diagnoses: readonly ReportedDiagnosis[]): ReadonlySet<string> {
  const explained = new Set<string>();
  const unexplained = new Set<string>();
  for (const { kind, proven, withoutEvidence, operations: broken } of diagnoses) {
    const isExplained = kind === 'features' && proven && withoutEvidence !== undefined;
    for (const { requirement } of broken) (isExplained ? explained : unexplained).add(requirement);
  }
  return new Set([...explained].filter((id) => !unexplained.has(id)));
}

function listEffects(id: string, field: string): readonly EffectRow[] {
  return EFFECTS.filter(({ operation, fields }) => operation === id && fields.includes(field));
}

function acceptedWords({ id, name, place, field }: NamedField): string {
  const rows = place === 'query' ? queryEffects(id, name, field) : listEffects(id, field);
  if (rows.some(({ how }) => how === 'open')) return 'accepted; the specification leaves its effect open';
  return rows.some(({ how }) => how !== 'accepted')
    ? 'accepted; the traffic does not show its effect'
    : 'accepted; no requirement judges its effect';
}

function isViolated({ verdict }: ReportedRequirement): boolean {
  return VIOLATED.includes(verdict);
}

function isDecidedRejection(one: ReportedRequirement): boolean {
  return one.kind === 'rejected' && (one.verdict === 'pass' || isViolated(one));
}

function keyOf({ name, place, field }: Readonly<Record<'name' | 'place' | 'field', string>>): string {
  return `${name} ${place} ${field.replace(/\[\]$/, '')}`;
}

function parseId(id: string): { readonly key: string; readonly remainder: string } | null {
  const [, name = '', place = '', field, remainder = ''] = FIELD_REQUIREMENT.exec(id) ?? [];
  return field === undefined ? null : { key: keyOf({ name, place, field }), remainder };
}

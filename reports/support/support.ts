import { subjectOf } from '../../judge/probe/constraints.ts';
import type { FamilyName } from '../../schemas/contract.ts';
import { type Operation, operations, schema } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { lackingFields } from '../capabilities.ts';
import { EFFECTS, type EffectRow, queryEffects } from '../effects.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';

/** The support for a field of a request, as far as the traffic of a service shows it. */
export type Support = 'supported' | 'ignored' | 'refused' | 'other' | 'not shown';

export interface FieldSupport {
  /** `createChatCompletion`, or `createAssistant.v1` if an operation has two forms. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly family: FamilyName;
  /** `stop`, or `query.limit`. */
  readonly field: string;
  readonly support: Support;
  /** Null if `support` needs no explanation. */
  readonly why: string | null;
  /** Requirements and choices that show it. */
  readonly by: readonly string[];
}

/** Every field of every request, in the order of the specification. */
export function supportTable(given: Report): readonly FieldSupport[] {
  const evidence = new SupportEvidence(printableReport(given));
  return operations().flatMap((operation) =>
    operation.variants.flatMap((variant) => {
      const form = variant.name === 'only' ? operation.id : `${operation.id}.${variant.name}`;
      const { id, method, path } = operation;
      return fieldsOf(operation, variant).map(({ place, field, isRequired }) => {
        const name = place === 'body' ? form : subjectOf(operation, variant);
        return {
          operation: name,
          method,
          path,
          family: variant.family,
          field: place === 'body' ? field : `query.${field}`,
          ...evidence.judge({ id, name, family: variant.family, place, field, isRequired }),
        };
      });
    }),
  );
}

type Verdict = Pick<FieldSupport, 'support' | 'why' | 'by'>;

interface Field {
  readonly place: 'body' | 'query';
  readonly field: string;
  /** Whether no valid request lacks it. */
  readonly isRequired: boolean;
}

interface NamedField extends Field {
  /** `createAssistant`. */
  readonly id: string;
  /** `createAssistant.v1`. */
  readonly name: string;
  readonly family: FamilyName;
}

function fieldsOf(
  { parameters }: Operation,
  { body, counted }: Operation['variants'][number],
): readonly Field[] {
  // Both forms share the parameters of an operation whose requirements count one form alone.
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

/** `createRun:body.tools[]…` and `createRun:accepts#body.tools…`, split into operation, place, field and the rest. */
const ABOUT = /^([\w.]+):(?:accepts#)?(body|query)\.([^.[(=#<>&]+)(?:\[\])?(.*)$/s;

class SupportEvidence {
  readonly #requirements: ReadonlyMap<string, ReportedRequirement>;
  readonly #choices: ReadonlyMap<string, Report['choices'][number]>;
  /** By operation, place and field. */
  readonly #about = new Map<string, ReportedRequirement[]>();
  /** Features of valid requests that were refused, by operation, place and field. */
  readonly #refused = new Map<string, RefusedFeature[]>();
  readonly #missing: ReadonlySet<string>;
  /** Operations that refuse valid requests without a known cause. */
  readonly #refusing: ReadonlySet<string>;
  /** Requirements whose evidence needs a request that was refused. */
  readonly #withoutEvidence: ReadonlySet<string>;
  readonly #exercised: ReadonlySet<string>;
  /** Operations that are exercised and claimed, not only called to prepare other requests. */
  readonly #judged: ReadonlySet<string>;
  /** Families whose operations were sent invalid values: most parameters of a list have none. */
  readonly #probedFamilies: ReadonlySet<string>;
  /** Fields of capabilities that the target lacks: `createChatCompletion.tools`. */
  readonly #lacking: ReadonlySet<string>;

  constructor(report: Report) {
    this.#requirements = new Map(report.requirements.map((one) => [one.id, one]));
    this.#choices = new Map(report.choices.map((one) => [one.id, one]));
    for (const one of report.requirements) if (isAboutRequests(one)) addTo(this.#about, one.id, () => one);
    this.#probedFamilies = new Set(
      report.requirements.filter(isDecidedRejection).map(({ family }) => family),
    );
    const diagnoses = report.diagnoses ?? [];
    for (const { id, feature, isAlone, message } of diagnoses.flatMap(refusedFeatures))
      addTo(this.#refused, feature, (rest) => ({ id, isWhole: isAlone && rest === '', message }));
    const explained = explainedRefusals(diagnoses);
    const broken = report.requirements.filter(
      (one) => one.kind === 'accepted' && isBroken(one) && !explained.has(one.id),
    );
    this.#refusing = new Set(broken.flatMap((one) => one.operations));
    this.#withoutEvidence = new Set(diagnoses.flatMap(({ withoutEvidence = [] }) => withoutEvidence));
    const absent = report.operations.filter(({ notImplemented }) => notImplemented);
    this.#missing = new Set(absent.map(({ id }) => id));
    this.#lacking = new Set(lackingFields(report));
    const exercised = report.operations.filter((one) => one.exercised > 0);
    this.#exercised = new Set(exercised.map(({ id }) => id));
    this.#judged = new Set(exercised.filter(({ claimed }) => claimed).map(({ id }) => id));
  }

  judge(field: NamedField): Verdict {
    if (this.#missing.has(field.id))
      return { support: 'refused', why: 'the operation is not offered', by: [] };
    const acceptance = this.#acceptance(field);
    if (acceptance !== null && acceptance.support !== 'other') return acceptance;
    const effect = this.#effect(field, acceptance !== null);
    // A field with one refused form is not supported as specified, even if its other forms are accepted.
    if (acceptance?.why?.startsWith(PARTLY) === true && effect?.support === 'supported') return acceptance;
    // An operation in two forms may have been exercised in the other one alone.
    const isSent = field.isRequired && field.name === field.id && this.#judged.has(field.id);
    const unseen = isSent
      ? ({ support: 'other', why: acceptedWords(field), by: [] } as const)
      : ({ support: 'not shown', why: null, by: [] } as const);
    return effect ?? acceptance ?? unseen;
  }

  /** Whether valid values are accepted; null if none was seen. */
  #acceptance(about: NamedField): Verdict | null {
    const { name, place, field } = about;
    const key = keyOf(name, place, field);
    const features = this.#refused.get(key) ?? [];
    const valid = (this.#about.get(key) ?? []).filter(({ kind }) => kind === 'accepted');
    // A refusal with another cause says nothing about this field.
    const broken = valid.filter(
      (one) => isBroken(one) && (one.consequenceOf ?? []).every((id) => keyIn(id) === key),
    );
    const passing = valid.filter(({ verdict }) => verdict === 'pass');
    const by = [...broken.map(({ id }) => id), ...features.map(({ id }) => id)];
    const cause = features.map(({ message }) => message).join('; ');
    if (features.some(({ isWhole }) => isWhole) || (by.length > 0 && passing.length === 0))
      return { support: 'refused', why: cause || 'valid values are refused', by };
    if (by.length > 0) return { support: 'other', why: cause === '' ? PARTLY : `${PARTLY}: ${cause}`, by };
    if (passing.length === 0) return null;
    return {
      support: 'other',
      why: acceptedWords(about),
      by: passing.map(({ id }) => id),
    };
  }

  /** Whether the field has the effect that the specification states; null if nothing is known. */
  #effect(about: NamedField, isSent: boolean): Verdict | null {
    const { id, field } = about;
    if (!this.#exercised.has(id)) return null;
    const rows = this.#rowsOf(about);
    const isLacking = this.#lacking.has(`${id}.${field}`);
    const shown = rows.flatMap((row) => this.#effectShown(row, { about, isSent, isLacking }) ?? []);
    const of = (support: Support) => shown.filter((one) => one.support === support);
    const by = (some: readonly Verdict[]) => some.flatMap((one) => one.by);
    const [ignored, supported, other] = [of('ignored'), of('supported'), of('other')];
    if (ignored.length > 0)
      return { support: 'ignored', why: 'accepted, without the effect', by: by(ignored) };
    if (other[0] !== undefined) return { ...other[0], by: by(other) };
    // Every row must show it, because one of them forbids something that a service ignoring all fields never does.
    return supported.length > 0 && supported.length === rows.length
      ? { support: 'supported', why: null, by: by(supported) }
      : null;
  }

  #rowsOf({ id, name, family, place, field }: NamedField): readonly EffectRow[] {
    if (place === 'body') return [...effectsOf(id, field), ...this.#echoRows(id, family, field)];
    return queryEffects(id, name, field).filter(({ noticedBy }) => this.#requirements.has(noticedBy));
  }

  /** The response to a creation or a modification has the fields of its request: a requirement for each, named after it. */
  #echoRows(operation: string, family: FamilyName, field: string): readonly EffectRow[] {
    return ['create', 'modify'].flatMap((verb): readonly EffectRow[] => {
      const noticedBy = `${family}.${verb}.keeps-${field.replaceAll('_', '-')}`;
      const isAbout = this.#requirements.get(noticedBy)?.operations.includes(operation) === true;
      return isAbout ? [{ operation, fields: [field], noticedBy, how: 'ignored' }] : [];
    });
  }

  #effectShown(
    { operation, noticedBy, how, shows, permits, needsProbes, also, maySucceed, unless }: EffectRow,
    { about, isSent, isLacking }: Shown,
  ): Verdict | null {
    const by = [noticedBy];
    const choice = this.#choices.get(noticedBy);
    if (choice !== undefined && choice.taken.length > 0) {
      const has = choice.taken.every((alternative) => alternative === shows);
      if (has) return { support: 'supported', why: null, by };
      if (choice.taken.every((alternative) => alternative === permits)) return { ...UNCONTRADICTED, by };
      return { support: 'other', why: `accepted; ${choice.says} ${choice.taken.join(', ')}`, by };
    }
    const requirement = this.#requirements.get(noticedBy);
    if (requirement === undefined || how === 'accepted' || how === 'open') return null;
    // It judges several operations, and a verdict does not say which one it concerns.
    const { place, family } = about;
    const judged = requirement.operations.filter((id) => place === 'body' && this.#exercised.has(id));
    if (isBroken(requirement) && judged.length > 1)
      return { support: 'other', why: `accepted; ignored by at least one of ${judged.join(', ')}`, by };
    const isSeen = also === undefined || this.#choices.get(also.choice)?.taken.includes(also.taken) === true;
    const isPartly = requirement.provoked === true || (also?.isEffect === true && isSeen);
    if (isBroken(requirement) && isPartly) return { support: 'other', why: PARTLY_IGNORED, by };
    // A model that complies elsewhere makes an undecided requirement fail, and shows the effect there.
    const hasEffect = how === 'undecided' || maySucceed === true || this.#isShownBy(unless);
    if (isBroken(requirement) && hasEffect)
      return { support: 'other', why: `accepted; ${noticedBy} fails`, by };
    if (isBroken(requirement)) return { support: 'ignored', why: null, by };
    if (judged.length > 1 && !isSent) return null;
    // Also undecided if every request with the field was refused because of another one.
    if (requirement.verdict === 'inconclusive' && !isSent) return null;
    if (requirement.verdict === 'inconclusive' && isLacking) return { support: 'ignored', why: null, by };
    if (requirement.verdict === 'inconclusive')
      return { support: 'other', why: 'accepted; whether it has the effect is undecided', by };
    if (requirement.verdict !== 'pass') return null;
    const isProbed = place === 'body' ? this.#isProbed(about) : this.#probedFamilies.has(family);
    const isTried = isProbed && !this.#refusing.has(operation) && !this.#withoutEvidence.has(noticedBy);
    if (needsProbes === true && !(isTried && isSeen)) return isSent ? { ...UNCONTRADICTED, by } : null;
    return { support: 'supported', why: null, by };
  }

  #isShownBy(unless: EffectRow['unless']): boolean {
    const verdict = unless && this.#requirements.get(unless.requirement)?.verdict;
    return (
      verdict !== undefined && (BROKEN.includes(verdict) || (verdict === 'pass' && unless?.is === 'decided'))
    );
  }

  #isProbed({ name, place, field }: NamedField): boolean {
    return (this.#about.get(keyOf(name, place, field)) ?? []).some(isDecidedRejection);
  }
}

interface Shown {
  readonly about: NamedField;
  /** Whether a valid value was accepted. */
  readonly isSent: boolean;
  /** Whether the target lacks the capability that the field is for. */
  readonly isLacking: boolean;
}

const UNCONTRADICTED = { support: 'other', why: 'accepted; nothing contradicts its effect' } as const;

interface RefusedFeature {
  /** `createChatCompletion:accepts#body.n>1`. */
  readonly id: string;
  /** Every request with the field is refused, whatever its value. */
  readonly isWhole: boolean;
  readonly message: string;
}

type ReportedDiagnosis = NonNullable<Report['diagnoses']>[number];

/** A request is refused for all features of a diagnosis together, so each of them is one of the causes. */
function refusedFeatures({ features, operations: broken, message }: ReportedDiagnosis) {
  return broken.flatMap(({ id }) =>
    features.map((one) => ({
      id,
      feature: `${id.split(':')[0]}:accepts#${one}`,
      isAlone: features.length === 1,
      message,
    })),
  );
}

/** Requirements for which features are the known cause of every refusal. */
function explainedRefusals(diagnoses: readonly ReportedDiagnosis[]): ReadonlySet<string> {
  const broken = (isKnown: boolean) =>
    diagnoses
      .filter(
        ({ kind, proven, withoutEvidence }) =>
          (kind === 'features' && proven && withoutEvidence !== undefined) === isKnown,
      )
      .flatMap((one) => one.operations.map(({ requirement }) => requirement));
  const unknown = new Set(broken(false));
  return new Set(broken(true).filter((id) => !unknown.has(id)));
}

const PARTLY = 'accepted in some forms, refused in others';
const PARTLY_IGNORED = 'accepted; some answers lack the effect, others have it';

function effectsOf(id: string, field: string): readonly EffectRow[] {
  return EFFECTS.filter(({ operation, fields }) => operation === id && fields.includes(field));
}

/** The words for an accepted field whose effect nothing shows. */
function acceptedWords({ id, name, place, field }: NamedField): string {
  const rows = place === 'query' ? queryEffects(id, name, field) : effectsOf(id, field);
  if (rows.some(({ how }) => how === 'open')) return 'accepted; the specification leaves its effect open';
  return rows.some(({ how }) => how !== 'accepted')
    ? 'accepted; the traffic does not show its effect'
    : 'accepted; no requirement judges its effect';
}

/** Also if a dialect or the level excuses it: the behaviour of the service is the same. */
const BROKEN: readonly string[] = ['fail', 'warn', 'excused'];

function isBroken({ verdict }: ReportedRequirement): boolean {
  return BROKEN.includes(verdict);
}

function isDecidedRejection(one: ReportedRequirement): boolean {
  return one.kind === 'rejected' && (one.verdict === 'pass' || isBroken(one));
}

function isAboutRequests({ kind }: ReportedRequirement): boolean {
  return kind === 'accepted' || kind === 'rejected';
}

function keyOf(operation: string, place: string, field: string): string {
  return `${operation} ${place} ${field.replace(/\[\]$/, '')}`;
}

function keyIn(id: string): string | null {
  const [, operation = '', place = '', field] = ABOUT.exec(id) ?? [];
  return field === undefined ? null : keyOf(operation, place, field);
}

/** Adds what `make` returns for the part of the id that follows the field. */
function addTo<T>(map: Map<string, T[]>, id: string, make: (rest: string) => T): void {
  const key = keyIn(id);
  if (key === null) return;
  const known = map.get(key) ?? [];
  known.push(make(ABOUT.exec(id)?.[4] ?? ''));
  map.set(key, known);
}

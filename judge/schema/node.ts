import type { JsonSchema } from '../../schemas/index.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { Basis } from '../requirements/requirement.ts';
import type { JsonType } from '../trace/json.ts';

/** Keywords that restrict a value, with the types to which they apply; all types if empty. */
export const ASSERTIONS: Readonly<Record<string, readonly JsonType[]>> = {
  minimum: ['number'],
  maximum: ['number'],
  exclusiveMinimum: ['number'],
  exclusiveMaximum: ['number'],
  multipleOf: ['number'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  format: ['string'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  minProperties: ['object'],
  maxProperties: ['object'],
  'x-greater-than': ['number'],
  enum: [],
  const: [],
};

/** Everything that schemas state about one place in an instance, with `allOf` and references except `refs` resolved. */
export interface SchemaNode {
  readonly steps: readonly InstanceStep[];
  /** `steps` as text, as in requirement ids: `choices[].index`; empty for the root. */
  readonly path: string;
  /** Part and section from `x-spec`, inherited from the schema above; empty if no schema states one. */
  readonly spec: string;
  /** From `x-basis`, inherited from the schema above; `stated` by default. */
  readonly basis: Basis;
  /** Set by `x-open` if the specification leaves this value and the values below it open. */
  readonly open: Openness | null;
  readonly types: readonly JsonType[] | null;
  /** Whether `types` is judged here; in a branch of a union, the selection has already checked it. */
  readonly typed: boolean;
  /** Counts the values whose type no union above has checked; null except at the root of a tree with `types`. */
  readonly typeCounter: SchemaNode | null;
  /** Keywords that restrict the value, such as `maximum` and `enum`; at most one entry per keyword. */
  readonly assertions: readonly SchemaAssertion[];
  /** Properties that are listed, required or expected, without the tag that selected this branch of a union. */
  readonly members: readonly SchemaMember[];
  readonly items: SchemaNode | null;
  /** Schema of properties that `members` does not name. */
  readonly values: SchemaNode | null;
  /** Schema of property names. */
  readonly keys: SchemaNode | null;
  readonly union: SchemaUnion | null;
  readonly rules: readonly ConditionalRule[];
  /** Schemas that judge this value under their own names. */
  readonly refs: readonly string[];
  /** `default`, `not` and assay's `x-` annotations, such as `x-file`. */
  readonly notes: JsonSchema;
}

export interface Openness {
  /** Id of the choice or exclusion that leaves the place open. */
  readonly by: string;
  /** The sides of probes, `accepted` or `rejected`, that no requirement covers. */
  readonly sides: readonly string[];
  /** Keywords to which it applies; null for all. */
  readonly keywords: readonly string[] | null;
}

/** A rule across properties: if `condition` holds, `demand` must hold. */
export interface ConditionalRule {
  /** From `x-rule`; the keyword in requirement ids: `top-logprobs-need-logprobs`. */
  readonly name: string;
  readonly says: string;
  readonly spec: string;
  readonly basis: Basis;
  /** The `if` of the rule; an empty schema if it has none. */
  readonly condition: JsonSchema;
  /** The `then` of the rule; an empty schema if it has none. */
  readonly demand: JsonSchema;
  readonly node: SchemaNode;
}

export interface SchemaAssertion {
  readonly keyword: string;
  readonly value: unknown;
}

export interface SchemaMember {
  readonly name: string;
  /** Schema of the property; without constraints if it is only listed as required or expected. */
  readonly node: SchemaNode;
  /** Absence breaks a MUST. */
  readonly required: boolean;
  /** Absence breaks a SHOULD. */
  readonly expected: boolean;
}

export interface TaggedBranch {
  /** Values that select this branch; null for all other values. */
  readonly tags: readonly string[] | null;
  /** Values that the specification shows for a branch without tags; others may follow. */
  readonly seen: readonly string[];
  /** Schema of the whole value, without the property that selects the branch. */
  readonly node: SchemaNode;
}

/** A union of which only one branch is judged, selected by the value of a property or by JSON type. */
export type SchemaUnion =
  | {
      readonly by: 'tag';
      readonly property: string;
      readonly spec: string;
      readonly branches: readonly TaggedBranch[];
    }
  | {
      readonly by: 'type';
      readonly branches: readonly { readonly types: readonly JsonType[]; readonly node: SchemaNode }[];
    };

/** One step from a value to a part of it. Paths are part of requirement ids, so their form never changes. */
export type InstanceStep =
  | { readonly step: 'property'; readonly name: string }
  | { readonly step: 'items' }
  /** A property that the schema does not name. */
  | { readonly step: 'values' }
  /** The name of a property. */
  | { readonly step: 'keys' }
  | { readonly step: 'branch'; readonly name: string };

/** Steps as text: `tools[function].function.name`, `metadata.*`, `metadata{key}`, `tool_choice(object).type`. */
export function pathText(steps: readonly InstanceStep[]): string {
  let text = '';
  steps.forEach((step, i) => {
    switch (step.step) {
      case 'property':
        text += text === '' ? step.name : `.${step.name}`;
        break;
      case 'items':
        if (steps[i + 1]?.step !== 'branch') text += '[]';
        break;
      case 'values':
        text += text === '' ? '*' : '.*';
        break;
      case 'keys':
        text += '{key}';
        break;
      case 'branch':
        text += steps[i - 1]?.step === 'items' ? `[${step.name}]` : `(${step.name})`;
        break;
    }
  });
  return text;
}

/** The nodes directly below a node, without those of its rules and references. */
export function childrenOf({ members, keys, values, items, union }: SchemaNode): readonly SchemaNode[] {
  const branches = union?.branches.map(({ node }) => node) ?? [];
  const all = [...members.map(({ node }) => node), keys, values, items, ...branches];
  return all.filter((node) => node !== null);
}

export function extendPointer(base: string, token: string | number): string {
  return `${base}/${pointerToken(token)}`;
}

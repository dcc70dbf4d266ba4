import type { JsonSchema } from '../../schemas/index.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { Basis } from '../requirements/requirement.ts';
import type { JsonType } from '../trace/json.ts';

/** Everything that schemas state about one place in an instance, with references and `allOf` resolved. */
export interface SchemaNode {
  readonly steps: readonly InstanceStep[];
  readonly path: string;
  readonly spec: string;
  readonly basis: Basis;
  /** Set by `x-open` if the specification leaves the value here and below open. */
  readonly open: Openness | null;
  /** Null if the schema does not state any. */
  readonly types: readonly JsonType[] | null;
  /** Whether `types` is judged here; in a branch of a union, the selection has already checked it. */
  readonly typed: boolean;
  /** For the root of a tree: the values whose type is judged here, not by a union above. */
  readonly typing: SchemaNode | null;
  readonly assertions: readonly SchemaAssertion[];
  readonly members: readonly UnionMember[];
  readonly items: SchemaNode | null;
  /** Schema of properties that `members` does not name. */
  readonly values: SchemaNode | null;
  /** Schema of property names. */
  readonly keys: SchemaNode | null;
  readonly union: SchemaUnion | null;
  /** Rules across properties of this object. */
  readonly rules: readonly ConditionalRule[];
  /** Schemas that judge this value under their own names. */
  readonly refs: readonly string[];
  /** `default` and the annotations of assay: `x-file`, `x-model-role`, `x-null`. */
  readonly notes: JsonSchema;
}

/** A part of a request whose treatment the specification leaves open. */
export interface Openness {
  /** Id of the choice or exclusion about it. */
  readonly by: string;
  /** The sides of a probe that are not required. */
  readonly sides: readonly string[];
  /** Null for all keywords. */
  readonly keywords: readonly string[] | null;
}

/** A rule across properties: if `condition` holds, `demand` must hold. */
export interface ConditionalRule {
  readonly name: string;
  readonly says: string;
  readonly spec: string;
  readonly basis: Basis;
  readonly condition: JsonSchema;
  readonly demand: JsonSchema;
  /** Counts the values for which the condition holds. */
  readonly node: SchemaNode;
}

export interface SchemaAssertion {
  readonly keyword: string;
  readonly value: unknown;
}

export interface UnionMember {
  readonly name: string;
  readonly node: SchemaNode;
  readonly required: boolean;
  /** Absence breaks a SHOULD. */
  readonly expected: boolean;
}

/** A branch that the value of a property selects. */
export interface TaggedBranch {
  /** Values that select this branch; null for all other values. */
  readonly tags: readonly string[] | null;
  /** Values that the specification shows for a branch without tags; others may follow. */
  readonly seen: readonly string[];
  readonly node: SchemaNode;
}

/**
 * A union whose branch is selected by the value of one property or by JSON type; only the selected branch is judged.
 */
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

/**
 * One step from a value to a part of it; `branch` stays at the value and names the selected branch of a union. Paths
 * are part of requirement ids, so their form never changes.
 */
export type InstanceStep =
  | { readonly step: 'property'; readonly name: string }
  | { readonly step: 'items' }
  /** A property that the schema does not name. */
  | { readonly step: 'values' }
  /** The name of a property. */
  | { readonly step: 'keys' }
  | { readonly step: 'branch'; readonly name: string };

/** `tools[function].function.name`, `metadata.*`, `metadata{key}`, `tool_choice(object).type`; empty for the root. */
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

export function extendPointer(base: string, token: string | number): string {
  return `${base}/${pointerToken(token)}`;
}

// Request fields on their way into a call: as a JSON body or as a form.

import type { CallInput, FormPart } from '../../drive/scenario/scenario.ts';
import type { Json } from '../vocabulary/types.ts';
import { type BaseRequest, isFile, type ReadyRequest, type RequestFields } from './base.ts';

/** Fields as they are varied: nothing is known of them any more. */
export type LooseFields = Readonly<Record<string, unknown>>;

/** A request with these fields as its body, by JSON or as a form. */
export function withBodyFields(
  base: BaseRequest,
  ready: ReadyRequest,
  carrier: 'json' | 'multipart' | null,
  fields: LooseFields,
): CallInput {
  const { path, query } = ready;
  return {
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(base.variant === undefined ? {} : { variant: base.variant }),
    ...body(carrier, fields),
  };
}

/** The fields as a JSON body or as the parts of a form; an operation without a body sends neither. */
function body(carrier: 'json' | 'multipart' | null, fields: LooseFields): Pick<CallInput, 'body' | 'form'> {
  if (carrier === null) return {};
  // as: fields come from schemas and from JSON values of the families; files occur only in forms
  return carrier === 'json' ? { body: fields as Record<string, Json> } : { form: formParts(fields) };
}

/** The parts of a form. A list is sent once per element, under the same name. */
export function formParts(fields: LooseFields): readonly FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => part(name, one)),
  );
}

/** One part of a form: a file stays a file, any other value becomes text. */
function part(name: string, value: unknown): FormPart {
  if (isFile(value)) return { name, ...value };
  return { name, value: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** Fields of a family, to be varied. */
export function looseFields(...fields: readonly (RequestFields | undefined)[]): LooseFields {
  return Object.assign({}, ...fields);
}

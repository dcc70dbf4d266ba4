import { formDataParts } from '../../exchange/http/form-data.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Exchange, Json, Violation } from '../vocabulary/types.ts';

/** The fields of a file that never change; the deprecated status may change. */
const LASTING = ['id', 'object', 'bytes', 'created_at', 'filename', 'purpose'] as const;

/** The part of the upload form that contains the file. */
export function uploadedPart({ request }: Exchange) {
  return formDataParts(request)?.find(({ name, filename }) => name === 'file' && filename !== null) ?? null;
}

/** Violations of a file object that differs from the response to its upload. */
export function fileDifferences(
  expected: Json | undefined,
  actual: Json | undefined,
  at: string,
): Violation[] {
  return LASTING.filter((field) => valueAtPath(expected, field) !== valueAtPath(actual, field)).map((field) =>
    violation(
      `${at}/${field}`,
      `${JSON.stringify(valueAtPath(expected, field))}, as the upload was answered`,
      valueAtPath(actual, field),
    ),
  );
}

/**
 * Whether a response shows that something exists or does not: false for a 5xx, a reset or a rejection for
 * another reason.
 */
export function showsExistence({ responseClass: outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected';
}

export function notFoundFile({ status: code }: Call, expected: string): Violation {
  return violation('status', expected, code ?? null);
}

import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { valueAtPath } from '../../judge/evidence/json.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';

/** What of a file never changes; the deprecated status may. */
const LASTING = ['id', 'object', 'bytes', 'created_at', 'filename', 'purpose'] as const;

/** The part of an upload that is the file. */
export function uploadedPart({ request }: Exchange) {
  return formDataParts(request)?.find(({ name, filename }) => name === 'file' && filename !== null) ?? null;
}

/** Where a file is told otherwise than its upload was answered. */
export function fileDifferences(
  expected: Json | undefined,
  actual: Json | undefined,
  at: string,
): Violation[] {
  return LASTING.filter((field) => valueAtPath(expected, field) !== valueAtPath(actual, field)).map(
    (field) => ({
      at: `${at}/${field}`,
      expected: `${JSON.stringify(valueAtPath(expected, field))}, as the upload was answered`,
      actual: valueAtPath(actual, field),
    }),
  );
}

/** Whether an answer tells that something is there, or is not. */
export function fileExistsIn({ responseClass: outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected';
}

export function notFoundFile({ status: code }: Call, expected: string): Violation {
  return { at: 'status', expected, actual: code ?? null };
}

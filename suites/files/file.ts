import { formDataParts } from '../../exchange/http/form-data.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { CallSuccession, Exchange, Json, Violation } from '../vocabulary/types.ts';

const CONSTANT_FIELDS = ['id', 'object', 'bytes', 'created_at', 'filename', 'purpose'] as const;

/** The part of the upload form that contains the file; null if there is none, or its content was not recorded. */
export function uploadedPart({ request }: Exchange) {
  const part = formDataParts(request)?.find(({ name, filename }) => name === 'file' && filename !== null);
  return part === undefined || part.body.isUnknown ? null : part;
}

export function fileDifferences(
  expected: Json | undefined,
  actual: Json | undefined,
  at: string,
): Violation[] {
  return CONSTANT_FIELDS.filter((field) => valueAtPath(expected, field) !== valueAtPath(actual, field)).map(
    (field) =>
      violation(
        `${at}/${field}`,
        `${JSON.stringify(valueAtPath(expected, field))}, as in the response to the upload`,
        valueAtPath(actual, field),
      ),
  );
}

export function fileIdDifferences({ before, after }: CallSuccession): readonly Violation[] {
  const expected = arrayAt(before.responseJson, 'file_ids').map(String).toSorted();
  const actual = arrayAt(after.responseJson, 'data').map((file) => textAt(file, 'id') ?? '');
  const isSame = JSON.stringify(actual.toSorted()) === JSON.stringify(expected);
  return isSame ? [] : [violation('/data', JSON.stringify(expected), actual)];
}

// Uploads of files by their purpose.
import type { FormDataPart } from '../../../exchange/http/body.ts';
import { type BatchRequestLine, batchLinesOf, UPLOAD, uploadedFile } from '../../../judge/client/uploads.ts';
import { type RequestEvidence, requests, stateless, where } from '../../../judge/evidence/calls.ts';
import type { Selector } from '../../../judge/requirements/requirement.ts';
import { textAt } from '../../../judge/trace/json.ts';

/** An uploaded input of a batch. */
export interface BatchInput extends RequestEvidence {
  /** Those that are JSON, in their order. */
  readonly lines: readonly BatchRequestLine[];
}

/** Uploads for a purpose, as the request names it. */
export function uploadsFor(
  purposes: readonly string[],
  fits: (file: FormDataPart) => boolean = () => true,
): Selector<RequestEvidence> {
  return where(requests(UPLOAD), ({ call, asked }) => {
    const file = uploadedFile(call);
    return file !== undefined && purposes.includes(textAt(asked, 'purpose') ?? '') && fits(file);
  });
}

/** The inputs of batches. Lines that are not JSON are passed over here: `client.files.jsonl-lines` judges them. */
export const batchInputs: Selector<BatchInput> = stateless('batch inputs', UPLOAD, {}, (call) => {
  const lines = batchLinesOf(call);
  return lines.length === 0 ? [] : [{ exchanges: [call.exchange], call, asked: call.requestJson, lines }];
});

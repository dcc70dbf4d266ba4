import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { form } from '../../exchange/form.ts';
import type { Call } from '../../judge/call.ts';
import { get } from '../../judge/json.ts';
import type { Complaint } from '../../judge/requirement.ts';

/** What of a file never changes; the deprecated status may. */
const LASTING = ['id', 'object', 'bytes', 'created_at', 'filename', 'purpose'] as const;

/** The part of an upload that is the file. */
export function uploaded({ request }: Exchange) {
  return form(request)?.find(({ name, filename }) => name === 'file' && filename !== null) ?? null;
}

/** Where a file is told otherwise than its upload was answered. */
export function differences(expected: Json | undefined, actual: Json | undefined, at: string): Complaint[] {
  return LASTING.filter((field) => get(expected, field) !== get(actual, field)).map((field) => ({
    at: `${at}/${field}`,
    expected: `${JSON.stringify(get(expected, field))}, as the upload was answered`,
    actual: get(actual, field),
  }));
}

/** Whether an answer tells that something is there, or is not. */
export function tells({ outcome }: Call): boolean {
  return outcome === 'accepted' || outcome === 'absent' || outcome === 'rejected';
}

export function refusal({ status: code }: Call, expected: string): Complaint {
  return { at: 'status', expected, actual: code ?? null };
}

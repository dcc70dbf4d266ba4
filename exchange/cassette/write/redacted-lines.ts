import type { Redactor } from '../../redaction/redactor.ts';
import type { NoteContent, TraceHeader } from '../../trace.ts';

/** Fields whose values are words of the format, which a pattern of the user must not change. */
const ENUMERATED: ReadonlySet<string> = new Set(['note', 'how', 'reason', 'kind', 'e', 'disturbance']);
/** Stands for a base URL of which the rules leave nothing that is a URL. */
const NO_URL = 'http://redacted.invalid/v1';

/** A note with secrets and the matches of the rules replaced in its strings. Its keys, and the names of notes and causes, stay. */
export function redactedNote(note: NoteContent, redactor: Redactor): NoteContent {
  const text = JSON.stringify(note, (key, item: unknown) =>
    typeof item === 'string' && !ENUMERATED.has(key) ? redactor.text(item) : item,
  );
  return JSON.parse(text) as NoteContent; // as: only the content of strings has changed
}

/** A header with known secrets replaced. The rules apply to the target alone: readers need the other strings as they are, and a URL in its place. */
export function redactedHeader(header: TraceHeader, redactor: Redactor): TraceHeader {
  const known = redactor.known.strings(header);
  const baseUrl = redactor.text(known.target.baseUrl);
  const target = {
    baseUrl: URL.canParse(baseUrl) ? baseUrl : NO_URL,
    name: redactor.text(known.target.name),
  };
  return { ...known, target: { ...known.target, ...target } };
}

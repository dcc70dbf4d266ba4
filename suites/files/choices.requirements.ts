import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { isBatchInput } from '../../judge/acceptance/batch-input.ts';
import { choiceOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, settled, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { uploadedPart } from './file.ts';

export const filesUploadJsonlOnly = choiceOf('files.upload.jsonl-only', {
  selector: where(requests('createFile'), ({ call, asked }) => {
    const purpose = valueAtPath(asked, 'purpose');
    const isForJsonl = purpose === 'fine-tune' || purpose === 'batch';
    const name = uploadedPart(call.exchange)?.filename;
    return isForJsonl && name?.endsWith('.jsonl') === false && settled({ call });
  }),
  taken: outcome('accepted'),
});

export const filesUploadContents = choiceOf('files.upload.contents', {
  selector: where(requests('createFile'), ({ call, asked }) => {
    const file = uploadedPart(call.exchange);
    const text = file?.filename?.endsWith('.jsonl') === true ? file.body.text : null;
    return text !== null && settled({ call }) && !fitsPurpose(valueAtPath(asked, 'purpose'), text);
  }),
  taken: outcome('accepted'),
});

function fitsPurpose(purpose: Json | undefined, text: string): boolean {
  if (purpose !== 'batch' && purpose !== 'fine-tune') return true;
  const lines = text.split('\n').filter((line) => line !== '');
  const values = lines.map((line) => parseBoundedJson(line)?.value);
  if (purpose === 'fine-tune') return values.every((value) => valueAtPath(value, 'messages') !== undefined);
  return isBatchInput(text) && new Set(values.map((value) => textAt(value, 'url'))).size === 1;
}

export const filesUploadFilename = choiceOf('files.upload.filename', {
  selector: where(responses('createFile'), ({ call }) => uploadedPart(call.exchange) !== null),
  taken: ({ call, answer }) => {
    const names = acceptableNames(uploadedPart(call.exchange)?.filename ?? '');
    return names.includes(textAt(answer, 'filename') ?? '') ? 'as sent' : 'another';
  },
  examples: {
    another: setIn('createFile', '/filename', (name) =>
      String(name)
        .replaceAll(/[^\w.]/g, '_')
        .toUpperCase(),
    ),
  },
});

/** Names that a target may report for an upload: it may drop folders (RFC 7578, 4.2) and undo the sender's escaping. */
function acceptableNames(sent: string): readonly string[] {
  const unescaped = sent.replaceAll(/%(0A|0D|22)/g, (escaped) => decodeURIComponent(escaped));
  return [sent, unescaped].flatMap((name) => [name, name.split(/[/\\]/).at(-1) ?? name]);
}

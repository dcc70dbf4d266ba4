import { PNG } from 'pngjs';
import type { FormDataPart } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { isFromClient } from '../../judge/client/client-side.ts';
import {
  batchLinesOf,
  isReadable,
  UPLOAD_OPERATION,
  uploadedFile,
  uploadedLines,
} from '../../judge/client/uploads.ts';
import { targetPath } from '../../judge/trace/call.ts';
import { ownOperations } from '../../schemas/index.ts';
import { readPictureInfo } from '../images/picture.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Json, RequestEvidence, Selector } from '../vocabulary/types.ts';

export const PAGED_OPERATIONS = ownOperations()
  .filter(({ list }) => list !== null && list.cursors.length > 0)
  .map(({ id }) => id);

export function pathOf({ exchange: { request } }: Call): string {
  return targetPath(request.target);
}

export function evidenceFrom<F extends object>(call: Call, facts: F): RequestEvidence & F {
  return { exchanges: [call.exchange], call, asked: call.requestJson, ...facts };
}

/** Uploads of UTF-8 text of at most 8 MiB, split into lines. */
const readableUploads = stateless('readable uploads', UPLOAD_OPERATION, {}, (call) => {
  const file = uploadedFile(call);
  if (file === undefined || !isReadable(file)) return [];
  const lines = uploadedLines(call);
  return [evidenceFrom(call, { lines, count: lines.length })];
});

/** Inputs of batches; `client.files.jsonl-lines` judges the lines that are not JSON. */
const batchInputs = stateless('batch inputs', UPLOAD_OPERATION, {}, (call) => {
  const lines = batchLinesOf(call);
  return lines.length === 0 ? [] : [evidenceFrom(call, { lines })];
});

/** Images and masks of a form. A file that was too large to keep has a size, but no pixels. */
const imagesToChange = stateless('images', ['createImageEdit', 'createImageVariation'], {}, (call) => {
  const images = (formDataParts(call.exchange.request) ?? []).flatMap(uploadedImageOf);
  const find = (name: string) => images.find((one) => one.name === name) ?? null;
  if (images.length === 0) return [];
  return [evidenceFrom(call, { images, image: find('image'), mask: find('mask') })];
});

function uploadedImageOf({ name, filename, body: { bytes, size, isKept } }: FormDataPart) {
  if (name === null || filename === null) return [];
  const picture = bytes === null ? null : readPictureInfo(bytes);
  const pixels = picture?.format === 'png' ? picture.pixels : undefined;
  const opacity = () => (bytes !== null && isOpaque(bytes) ? 'opaque' : 'transparent');
  return [{ at: `request file ${name}`, name, filename, size, kept: isKept, pixels, opacity }];
}

/** Whether every pixel is fully opaque. False if the file cannot be decoded, so that it is not reported. */
function isOpaque(bytes: Uint8Array): boolean {
  try {
    return PNG.sync.read(Buffer.from(bytes)).data.every((value, i) => i % 4 !== 3 || value === 255);
  } catch {
    return false;
  }
}

function fileUses(operation: string, ...fields: readonly string[]): Selector<RequestEvidence> {
  return follow(['createFile', 'retrieveFile', 'listFiles', operation], () => {
    const purposes = new LruMap<string>();
    return (call) => {
      const { responseJson, requestJson } = call;
      if (call.operation.id !== operation) {
        for (const file of [responseJson, ...arrayAt(responseJson, 'data')]) {
          const [id, purpose] = [textAt(file, 'id'), textAt(file, 'purpose')];
          if (id && purpose) purposes.set(id, purpose);
        }
        return [];
      }
      const uses = fields.flatMap((field) => {
        const id = textAt(requestJson, field);
        const purpose = id === undefined ? undefined : purposes.get(id);
        return purpose === undefined ? [] : [{ at: `request /${field}`, purpose }];
      });
      return uses.length === 0 ? [] : [evidenceFrom(call, { uses })];
    };
  });
}

const lastPages = follow(PAGED_OPERATIONS, () => {
  const lists = new LruMap<{ readonly call: Call; readonly pages: number; readonly answer: Json }>();
  return {
    call: (call: Call) => {
      const { query, responseJson: answer } = call;
      if (answer === undefined || !isFromClient(call.exchange)) return [];
      const others = [...query].filter(([name]) => !['after', 'before', 'limit'].includes(name));
      const key = `${pathOf(call)} ${JSON.stringify(others)}`;
      const isFirst = !query.get('after') && !query.get('before');
      lists.set(key, { call, answer, pages: isFirst ? 1 : (lists.get(key)?.pages ?? 0) + 1 });
      return [];
    },
    finish: () => [...lists.values()].map(({ call, ...facts }) => evidenceFrom(call, facts)),
  };
});

export const evidence = {
  'readable upload': readableUploads,
  'batch input': batchInputs,
  'images to change': imagesToChange,
  'file of createBatch': fileUses('createBatch', 'input_file_id'),
  'file of createFineTuningJob': fileUses('createFineTuningJob', 'training_file', 'validation_file'),
  'file of createAssistantFile': fileUses('createAssistantFile', 'file_id'),
  'last page of a list': lastPages,
};

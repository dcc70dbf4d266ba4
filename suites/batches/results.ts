import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { LruMap } from '../../judge/evidence/lru-map.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { schemaValidator } from '../../schemas/index.ts';
import { uploadedPart } from '../files/file.ts';

/** A line of a file; its value is undefined where it is no JSON. */
export interface ResultLine {
  /** For findings: `line 3`. */
  readonly at: string;
  readonly value: Json | undefined;
}

/** The lines of a file of results, and the call that gave them; null where the batch names no such file. */
export interface ResultFile {
  readonly call: Call;
  readonly lines: readonly ResultLine[];
}

/** A completed batch, what was asked of it and all that came of it. */
export interface BatchResults extends Evidence {
  readonly call: Call;
  readonly batch: Json;
  /** Null where its input was not uploaded in this trace. */
  readonly input: readonly ResultLine[] | null;
  readonly output: ResultFile | null;
  readonly errors: ResultFile | null;
}

/** So many files are kept in mind, each no longer than this. */
const FILES = 200;
const LONGEST = 1 << 20;

/** Every completed batch whose files of results were read; one that names none has nothing to read. */
export const batchResults: Selector<BatchResults> = {
  operations: ['retrieveBatch', 'createFile', 'retrieveFileContent'],
  variant: null,
  collect: () => new ResultsCollector(),
};

class ResultsCollector implements Collector<BatchResults> {
  readonly #inputs = new LruMap<readonly ResultLine[]>(FILES);
  readonly #batches = new LruMap<Call>(FILES);
  /** Ids of batches by the id of a file that came of them. */
  readonly #owners = new LruMap<string>(2 * FILES);
  readonly #contents = new LruMap<ResultFile>(2 * FILES);

  call(call: Call): readonly BatchResults[] {
    switch (call.operation.id) {
      case 'createFile':
        return this.#upload(call);
      case 'retrieveBatch':
        return this.#look(call);
      default:
        return this.#read(call);
    }
  }

  finish(): readonly BatchResults[] {
    return [];
  }

  #upload(call: Call): readonly BatchResults[] {
    const id = textAt(call.responseJson, 'id');
    const sent =
      textAt(call.requestJson, 'purpose') === 'batch' ? uploadedPart(call.exchange)?.body.text : null;
    if (id !== undefined && typeof sent === 'string' && sent.length <= LONGEST)
      this.#inputs.set(id, linesOf(sent));
    return [];
  }

  #look(call: Call): readonly BatchResults[] {
    const id = textAt(call.responseJson, 'id');
    if (
      id === undefined ||
      valueAtPath(call.responseJson, 'status') !== 'completed' ||
      this.#batches.get(id) !== undefined
    )
      return [];
    this.#batches.set(id, call);
    const files = filesOf(call);
    for (const file of files) this.#owners.set(file, id);
    return files.length === 0 ? this.#whole(call) : [];
  }

  /** A file is as it is for ever, so whichever is read last makes the evidence whole. */
  #read(call: Call): readonly BatchResults[] {
    const file = call.path['file_id'] ?? '';
    const owner = this.#owners.get(file);
    const batch = owner === undefined ? undefined : this.#batches.get(owner);
    const { response } = call.exchange;
    const content =
      call.responseClass === 'accepted' && call.complete && response !== null
        ? decodedContent(response)?.text
        : null;
    if (batch === undefined || typeof content !== 'string' || content.length > LONGEST) return [];
    this.#contents.set(file, { call, lines: linesOf(content) });
    return this.#whole(batch);
  }

  #whole(call: Call): readonly BatchResults[] {
    const contents = filesOf(call).map((file) => this.#contents.get(file));
    const files = contents.filter((one) => one !== undefined);
    if (files.length < contents.length || call.responseJson === undefined) return [];
    const named = (field: string): ResultFile | null =>
      this.#contents.get(textAt(call.responseJson, field) ?? '') ?? null;
    const input = this.#inputs.get(textAt(call.responseJson, 'input_file_id') ?? '') ?? null;
    return [
      {
        call,
        batch: call.responseJson,
        input,
        output: named('output_file_id'),
        errors: named('error_file_id'),
        exchanges: [call.exchange, ...files.map((one) => one.call.exchange)],
      },
    ];
  }
}

/** The requests of a batch; null where they are not known, or some line is none: what becomes of such is left open. */
export function requestLinesOf({ batch, input }: BatchResults): readonly ResultLine[] | null {
  if (input === null) return null;
  const ids = new Set(input.map(({ value }) => textAt(value, 'custom_id')));
  const isRequest = schemaValidator('batch.input');
  const endpoint = textAt(batch, 'endpoint');
  const areRequests = input.every(({ value = null }) => {
    return isRequest(value).length === 0 && valueAtPath(value, 'url') === endpoint;
  });
  return ids.size === input.length && areRequests ? input : null;
}

/** Every line of the files of results, with the exchange that gave it. */
export function resultLinesOf({ output, errors }: BatchResults) {
  return [output, errors].flatMap((file) => (file === null ? [] : allResultLines(file)));
}

export function allResultLines({ call, lines }: ResultFile) {
  return lines.map((line) => ({ ...line, exchange: call.exchange.id }));
}

export function isSuccess({ value }: ResultLine): boolean {
  const status = numberAt(value, 'response', 'status_code');
  return status !== undefined && status >= 200 && status <= 299 && !isObject(valueAtPath(value, 'error'));
}

export function isFailure({ value }: ResultLine): boolean {
  const status = numberAt(value, 'response', 'status_code');
  return isObject(valueAtPath(value, 'error')) || (status !== undefined && status >= 400);
}

function filesOf({ responseJson: answer }: Call): readonly string[] {
  return ['output_file_id', 'error_file_id'].flatMap((field) => textAt(answer, field) ?? []);
}

function linesOf(content: string): readonly ResultLine[] {
  return content.split('\n').flatMap((line, i) => {
    return line.trim() === '' ? [] : [{ at: `line ${i + 1}`, value: parsed(line) }];
  });
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json; // as: JSON.parse gives exactly Json, the library types it any
  } catch {
    return undefined;
  }
}

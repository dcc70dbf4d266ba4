import { decodedContent } from '../../exchange/http/content.ts';
import { schemaValidator } from '../../schemas/index.ts';
import { tryParseJson } from '../../schemas/json.ts';
import { uploadedPart } from '../files/file.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../vocabulary/types.ts';

interface BatchFileLine {
  /** The place for findings, such as `line 3`; empty lines are counted. */
  readonly at: string;
  readonly value: Json | undefined;
}

export interface ResultFile {
  readonly call: Call;
  readonly lines: readonly DownloadedLine[];
}

export interface BatchResults extends Evidence {
  readonly call: Call;
  readonly batch: Json;
  /** The lines of the input file of the batch; null if they are not known. */
  readonly input: readonly BatchFileLine[] | null;
  /** Results of successful requests; null if the batch names no file. */
  readonly output: ResultFile | null;
  /** Results of failed requests; null if the batch names no file. */
  readonly errors: ResultFile | null;
  readonly lines: readonly DownloadedLine[];
  readonly successes: number;
  readonly failures: number;
}

export type DownloadedLine = BatchFileLine & { readonly exchange: string };

const MAX_BATCHES = 200;
/** Maximum length of a file whose lines are kept, in UTF-16 code units. */
const MAX_FILE_LENGTH = 1 << 20;

export const batchResults: Selector<BatchResults> = follow(
  ['retrieveBatch', 'createFile', 'retrieveFileContent'],
  () => new ResultsCollector(),
  'a completed batch with its files downloaded',
);

export const withInput = that<BatchResults>(
  'whose input is known and valid',
  (evidence) => requestLinesOf(evidence) !== null,
);

class ResultsCollector implements Collector<BatchResults> {
  readonly #inputs = new LruMap<readonly BatchFileLine[]>(MAX_BATCHES);
  readonly #batches = new LruMap<Call>(MAX_BATCHES);
  readonly #owners = new LruMap<string>(2 * MAX_BATCHES);
  readonly #contents = new LruMap<ResultFile>(2 * MAX_BATCHES);

  call(call: Call): readonly BatchResults[] {
    switch (call.operation.id) {
      case 'createFile':
        return this.#noteInput(call);
      case 'retrieveBatch':
        return this.#noteCompletion(call);
      default:
        return this.#noteDownload(call);
    }
  }

  #noteInput(call: Call): readonly BatchResults[] {
    const id = textAt(call.responseJson, 'id');
    const content =
      textAt(call.requestJson, 'purpose') === 'batch' ? uploadedPart(call.exchange)?.body.text : null;
    if (id !== undefined && typeof content === 'string' && content.length <= MAX_FILE_LENGTH)
      this.#inputs.set(id, linesOf(content));
    return [];
  }

  /** Only the first response that shows the batch as completed counts. */
  #noteCompletion(call: Call): readonly BatchResults[] {
    const id = textAt(call.responseJson, 'id');
    const isCompleted = valueAtPath(call.responseJson, 'status') === 'completed';
    if (id === undefined || !isCompleted || this.#batches.get(id) !== undefined) return [];
    this.#batches.set(id, call);
    const files = resultFileIds(call);
    for (const file of files) this.#owners.set(file, id);
    return files.length === 0 ? this.#resultsOf(call) : [];
  }

  /** Returns the results if this download or earlier ones have fetched every file that the batch names. */
  #noteDownload(call: Call): readonly BatchResults[] {
    const file = call.path['file_id'] ?? '';
    const owner = this.#owners.get(file);
    const batch = owner === undefined ? undefined : this.#batches.get(owner);
    const { response } = call.exchange;
    const content =
      call.responseClass === 'accepted' && call.complete && response !== null
        ? decodedContent(response)?.text
        : null;
    if (batch === undefined || typeof content !== 'string' || content.length > MAX_FILE_LENGTH) return [];
    const exchange = call.exchange.id;
    this.#contents.set(file, { call, lines: linesOf(content).map((line) => ({ ...line, exchange })) });
    return this.#resultsOf(batch);
  }

  #resultsOf(call: Call): readonly BatchResults[] {
    const contents = resultFileIds(call).map((file) => this.#contents.get(file));
    const files = contents.filter((file) => file !== undefined);
    if (files.length < contents.length || call.responseJson === undefined) return [];
    const fileIn = (field: string): ResultFile | null =>
      this.#contents.get(textAt(call.responseJson, field) ?? '') ?? null;
    const [output, errors] = [fileIn('output_file_id'), fileIn('error_file_id')];
    const lines = [output, errors].flatMap((file) => file?.lines ?? []);
    const input = this.#inputs.get(textAt(call.responseJson, 'input_file_id') ?? '') ?? null;
    return [
      {
        call,
        batch: call.responseJson,
        input,
        output,
        errors,
        lines,
        successes: lines.filter(isSuccess).length,
        failures: lines.filter(isFailure).length,
        exchanges: [call.exchange, ...files.map((file) => file.call.exchange)],
      },
    ];
  }
}

/** The requests of a batch; null if they are unknown, or if an invalid line or repeated id makes results undefined. */
export function requestLinesOf({ batch, input }: BatchResults): readonly BatchFileLine[] | null {
  if (input === null) return null;
  const ids = new Set(input.map(({ value }) => textAt(value, 'custom_id')));
  const violationsOf = schemaValidator('batch.input');
  const endpoint = textAt(batch, 'endpoint');
  const areRequests = input.every(
    ({ value = null }) => violationsOf(value).length === 0 && valueAtPath(value, 'url') === endpoint,
  );
  return ids.size === input.length && areRequests ? input : null;
}

/** Whether a line has a 2xx response and no error. A line may be neither a success nor a failure. */
export function isSuccess({ value }: BatchFileLine): boolean {
  const status = numberAt(value, 'response', 'status_code');
  return status !== undefined && status >= 200 && status <= 299 && !isObject(valueAtPath(value, 'error'));
}

export function isFailure({ value }: BatchFileLine): boolean {
  const status = numberAt(value, 'response', 'status_code');
  return isObject(valueAtPath(value, 'error')) || (status !== undefined && status >= 400);
}

function resultFileIds({ responseJson: answer }: Call): readonly string[] {
  return ['output_file_id', 'error_file_id'].flatMap((field) => textAt(answer, field) ?? []);
}

function linesOf(content: string): readonly BatchFileLine[] {
  return content
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [{ at: `line ${i + 1}`, value: tryParseJson(line) }]));
}

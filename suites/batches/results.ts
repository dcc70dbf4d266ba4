import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import type { Call } from '../../judge/call.ts';
import { get, isObject, number, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { validator } from '../../schemas/index.ts';
import { uploaded } from '../files/file.ts';

/** A line of a file; its value is undefined where it is no JSON. */
export interface Line {
  /** For findings: `line 3`. */
  readonly at: string;
  readonly value: Json | undefined;
}

/** The lines of a file of results, and the call that gave them; null where the batch names no such file. */
export interface Read {
  readonly call: Call;
  readonly lines: readonly Line[];
}

/** A completed batch, what was asked of it and all that came of it. */
export interface Results extends Evidence {
  readonly call: Call;
  readonly batch: Json;
  /** Null where its input was not uploaded in this trace. */
  readonly input: readonly Line[] | null;
  readonly output: Read | null;
  readonly errors: Read | null;
}

/** So many files are kept in mind, each no longer than this. */
const FILES = 200;
const LONGEST = 1 << 20;

/** Every completed batch whose files of results were read; one that names none has nothing to read. */
export const results: Selector<Results> = {
  operations: ['retrieveBatch', 'createFile', 'retrieveFileContent'],
  variant: null,
  collect: () => new ResultsCollector(),
};

class ResultsCollector implements Collector<Results> {
  readonly #inputs = new Keyed<readonly Line[]>(FILES);
  readonly #batches = new Keyed<Call>(FILES);
  /** Ids of batches by the id of a file that came of them. */
  readonly #owners = new Keyed<string>(2 * FILES);
  readonly #contents = new Keyed<Read>(2 * FILES);

  call(call: Call): readonly Results[] {
    switch (call.operation.id) {
      case 'createFile':
        return this.#upload(call);
      case 'retrieveBatch':
        return this.#look(call);
      default:
        return this.#read(call);
    }
  }

  finish(): readonly Results[] {
    return [];
  }

  #upload(call: Call): readonly Results[] {
    const id = text(call.answer, 'id');
    const sent = text(call.asked, 'purpose') === 'batch' ? uploaded(call.exchange)?.body.text : null;
    if (id !== undefined && typeof sent === 'string' && sent.length <= LONGEST)
      this.#inputs.set(id, linesOf(sent));
    return [];
  }

  #look(call: Call): readonly Results[] {
    const id = text(call.answer, 'id');
    if (id === undefined || get(call.answer, 'status') !== 'completed' || this.#batches.get(id) !== undefined)
      return [];
    this.#batches.set(id, call);
    const files = filesOf(call);
    for (const file of files) this.#owners.set(file, id);
    return files.length === 0 ? this.#whole(call) : [];
  }

  /** A file is as it is for ever, so whichever is read last makes the evidence whole. */
  #read(call: Call): readonly Results[] {
    const file = call.path['file_id'] ?? '';
    const owner = this.#owners.get(file);
    const batch = owner === undefined ? undefined : this.#batches.get(owner);
    const { response } = call.exchange;
    const content =
      call.outcome === 'accepted' && call.complete && response !== null ? decoded(response)?.text : null;
    if (batch === undefined || typeof content !== 'string' || content.length > LONGEST) return [];
    this.#contents.set(file, { call, lines: linesOf(content) });
    return this.#whole(batch);
  }

  #whole(call: Call): readonly Results[] {
    const contents = filesOf(call).map((file) => this.#contents.get(file));
    const read = contents.filter((one) => one !== undefined);
    if (read.length < contents.length || call.answer === undefined) return [];
    const named = (field: string): Read | null => this.#contents.get(text(call.answer, field) ?? '') ?? null;
    const input = this.#inputs.get(text(call.answer, 'input_file_id') ?? '') ?? null;
    return [
      {
        call,
        batch: call.answer,
        input,
        output: named('output_file_id'),
        errors: named('error_file_id'),
        exchanges: [call.exchange, ...read.map((one) => one.call.exchange)],
      },
    ];
  }
}

/** The requests of a batch; null where they are not known, or some line is none: what becomes of such is left open. */
export function requestsOf({ batch, input }: Results): readonly Line[] | null {
  if (input === null) return null;
  const ids = new Set(input.map(({ value }) => text(value, 'custom_id')));
  const isRequest = validator('batch.input');
  const endpoint = text(batch, 'endpoint');
  const areRequests = input.every(({ value = null }) => {
    return isRequest(value).length === 0 && get(value, 'url') === endpoint;
  });
  return ids.size === input.length && areRequests ? input : null;
}

/** Every line of the files of results, with the exchange that gave it. */
export function answered({ output, errors }: Results) {
  return [output, errors].flatMap((read) => (read === null ? [] : linesRead(read)));
}

export function linesRead({ call, lines }: Read) {
  return lines.map((line) => ({ ...line, exchange: call.exchange.id }));
}

export function isSuccess({ value }: Line): boolean {
  const status = number(value, 'response', 'status_code');
  return status !== undefined && status >= 200 && status <= 299 && !isObject(get(value, 'error'));
}

export function isFailure({ value }: Line): boolean {
  const status = number(value, 'response', 'status_code');
  return isObject(get(value, 'error')) || (status !== undefined && status >= 400);
}

function filesOf({ answer }: Call): readonly string[] {
  return ['output_file_id', 'error_file_id'].flatMap((field) => text(answer, field) ?? []);
}

function linesOf(content: string): readonly Line[] {
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

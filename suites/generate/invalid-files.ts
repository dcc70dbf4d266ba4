// A target may accept a job with an invalid file and let it fail later, so the end of the job counts.
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../vocabulary/types.ts';

export interface InvalidFileUse extends Evidence {
  readonly field: string;
  /** Why the file is invalid: `purpose`, or the keyword that the probe violates. */
  readonly why: string;
  /** The rejection, or the response that shows the end of the job. */
  readonly end: Call;
}

export interface InvalidFilePlan {
  readonly create: string;
  readonly retrieve: string;
  /** Fields of the creation that name a file or a model. */
  readonly fields: readonly string[];
  /** The purpose that these files must have; empty if the fields name a model. */
  readonly purpose: string;
  readonly isOver: (answer: Json) => boolean;
}

/** Keywords of the probes that name an invalid file. */
const FLAWS = [
  'unknown',
  'maxLines',
  'maxBytes',
  'format',
  'uniqueItems',
  'fields',
  'method',
  'url',
  'endpoint',
] as const;

const MAX_FILES = 5000;

/** Selects rejected jobs with an invalid file immediately, and accepted ones when they have ended. */
export function invalidFileUses(plan: InvalidFilePlan): Selector<InvalidFileUse> {
  return follow(
    [plan.create, plan.retrieve, 'createFile'],
    () => new InvalidFileCollector(plan),
    `a rejection of ${plan.create}, or the end of the object that it created`,
  );
}

class InvalidFileCollector implements Collector<InvalidFileUse> {
  readonly #plan: InvalidFilePlan;
  readonly #purposes = new LruMap<string>(MAX_FILES);
  readonly #accepted = new LruMap<InvalidFileUse>();

  constructor(plan: InvalidFilePlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly InvalidFileUse[] {
    const id = textAt(call.responseJson, 'id');
    switch (call.operation.id) {
      case 'createFile':
        if (id !== undefined) this.#noteUpload(id, call);
        return [];
      case this.#plan.create:
        return this.#noteCreation(call);
      default:
        return this.#noteEnd(call, this.#accepted.get(id ?? ''));
    }
  }

  /** Records the purpose of a file, or an empty text if files of several purposes share the id. */
  #noteUpload(id: string, { requestJson, responseJson }: Call): void {
    const purpose = textAt(requestJson, 'purpose') ?? textAt(responseJson, 'purpose') ?? '';
    const known = this.#purposes.get(id) ?? purpose;
    this.#purposes.set(id, known === purpose ? purpose : '');
  }

  #noteCreation(call: Call): readonly InvalidFileUse[] {
    for (const field of this.#plan.fields) {
      const why = this.#flawOf(call, field);
      if (why === null) continue;
      const use = { field, why, end: call, exchanges: [call.exchange] };
      if (call.responseClass === 'rejected' || call.responseClass === 'absent') return [use];
      const id = textAt(call.responseJson, 'id');
      if (id !== undefined) this.#accepted.set(id, use);
      return this.#noteEnd(call, use);
    }
    return [];
  }

  #flawOf({ requestJson: asked, exchange: { probe } }: Call, field: string): string | null {
    if (probe?.side === 'violation' && probe.pointer === `body.${field}`)
      return FLAWS.find((keyword) => keyword === probe.keyword) ?? null;
    const purpose = this.#purposes.get(textAt(asked, field) ?? '') ?? '';
    return purpose === '' || purpose === this.#plan.purpose ? null : 'purpose';
  }

  #noteEnd(call: Call, use: InvalidFileUse | undefined): readonly InvalidFileUse[] {
    if (use === undefined || call.responseJson === undefined || !this.#plan.isOver(call.responseJson))
      return [];
    this.#accepted.delete(textAt(call.responseJson, 'id') ?? '');
    const isSame = use.end === call;
    return [{ ...use, end: call, exchanges: isSame ? use.exchanges : [...use.exchanges, call.exchange] }];
  }
}

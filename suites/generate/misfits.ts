import type { CallInput } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { get, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';

/** Work that was asked of a file which is none for it, and what became of that. */
export interface Misfit extends Evidence {
  /** The field that names the file. */
  readonly field: string;
  /** What is wrong: `purpose`, as its upload tells, or the keyword that a labelled request breaks by it. */
  readonly why: string;
  /** The call that tells how it ended: the refusal, or the last look at what was made. */
  readonly end: Call;
}

export interface MisfitPlan {
  readonly create: string;
  readonly retrieve: string;
  /** Fields of the request that name a file. */
  readonly fields: readonly string[];
  /** The purpose that such a file has to have. */
  readonly purpose: string;
  readonly isOver: (answer: Json) => boolean;
}

/** What a request can be labelled with that its file breaks: there is none, how large it is, what its lines are. */
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

const FILES = 5000;

/** Creations from files with another purpose; one that is taken is followed to its end, since it may fail later. */
export function misfits(plan: MisfitPlan): Selector<Misfit> {
  return {
    operations: [plan.create, plan.retrieve, 'createFile'],
    variant: null,
    collect: () => new MisfitCollector(plan),
  };
}

class MisfitCollector implements Collector<Misfit> {
  readonly #plan: MisfitPlan;
  readonly #purposes = new Keyed<string>(FILES);
  readonly #taken = new Keyed<Misfit>();

  constructor(plan: MisfitPlan) {
    this.#plan = plan;
  }

  call(call: Call): readonly Misfit[] {
    const id = text(call.answer, 'id');
    switch (call.operation.id) {
      case 'createFile':
        if (id !== undefined)
          this.#uploaded(id, text(call.asked, 'purpose') ?? text(call.answer, 'purpose') ?? '');
        return [];
      case this.#plan.create:
        return this.#created(call);
      default:
        return this.#ended(call, this.#taken.get(id ?? ''));
    }
  }

  finish(): readonly Misfit[] {
    return [];
  }

  /** What it was uploaded for, whatever the answer says; of an id that was given out for several purposes nothing is known. */
  #uploaded(id: string, purpose: string): void {
    const before = this.#purposes.get(id) ?? purpose;
    this.#purposes.set(id, before === purpose ? purpose : '');
  }

  #created(call: Call): readonly Misfit[] {
    for (const field of this.#plan.fields) {
      const why = this.#flaw(call, field);
      if (why === null) continue;
      const misfit = { field, why, end: call, exchanges: [call.exchange] };
      if (call.outcome === 'rejected' || call.outcome === 'absent') return [misfit];
      const id = text(call.answer, 'id');
      if (id !== undefined) this.#taken.set(id, misfit);
      return this.#ended(call, misfit);
    }
    return [];
  }

  #flaw({ asked, exchange: { probe } }: Call, field: string): string | null {
    if (probe?.side === 'violation' && probe.pointer === `body.${field}`)
      return FLAWS.find((keyword) => keyword === probe.keyword) ?? null;
    const purpose = this.#purposes.get(text(asked, field) ?? '') ?? '';
    return purpose === '' || purpose === this.#plan.purpose ? null : 'purpose';
  }

  #ended(call: Call, misfit: Misfit | undefined): readonly Misfit[] {
    if (misfit === undefined || call.answer === undefined || !this.#plan.isOver(call.answer)) return [];
    this.#taken.delete(text(call.answer, 'id') ?? '');
    const isSame = misfit.end === call;
    return [
      { ...misfit, end: call, exchanges: isSame ? misfit.exchanges : [...misfit.exchanges, call.exchange] },
    ];
  }
}

/** A call that names a file which is none for it, labelled so that it can be told from others. */
export function misfit(operation: string, field: string, keyword: (typeof FLAWS)[number]): CallInput {
  const label = { pointer: `body.${field}`, keyword, side: 'violation', control: null } as const;
  return { probe: { id: `${operation}:${label.pointer}#${keyword}.violation`, ...label } };
}

/** Where work on such a file came to a good end. */
export function undue({ field, why, end }: Misfit, good: string) {
  const actual = get(end.answer, 'status');
  if (end.outcome !== 'accepted' || actual !== good) return [];
  return [{ at: '/status', expected: `a refusal, or failed: ${field} breaks ${why}`, actual }];
}

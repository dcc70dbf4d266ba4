// Judges in a worker thread, so that the traffic does not wait for it.
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { CassetteError } from '../../exchange/cassette/error.ts';
import type { JournalEvent } from '../../exchange/cassette/format/lines.ts';
import { assembleExchange } from '../../exchange/cassette/journal/assemble-exchange.ts';
import { recordedBlobs } from '../../exchange/cassette/recorded-blobs.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { coloursFor } from '../../reports/terminal/colours.ts';
import { catalogue } from '../../suites/index.ts';
import { loadDialect, withDialect } from '../dialects.ts';
import { ItemOrder } from './item-order.ts';
import type { FromJudge, JudgeThreadOptions, ToJudge } from './judge-messages.ts';
import { MemoryBound } from './memory-bound.ts';
import { TraceJudge } from './trace-judge.ts';
import { ViolationPrinter } from './violation-printer.ts';

const options = workerData as JudgeThreadOptions; // as: only judge-thread.ts starts this thread
const blobs = recordedBlobs(options.cassette);
const suites = await catalogue(options.side);
const dialect = options.dialect === null ? null : await loadDialect(options.dialect);

function send(message: FromJudge): void {
  parentPort?.postMessage(message);
}

/** A trace that is judged while it is recorded, from its header on. */
class LiveTrace {
  readonly #judge: TraceJudge;
  readonly #bound: MemoryBound | null;
  readonly #order: ItemOrder;

  constructor(header: TraceHeader) {
    const open = () => openJudge(header);
    const bounded = options.memory === null ? null : MemoryBound.around(options.memory, open);
    this.#bound = bounded?.bound ?? null;
    this.#judge = bounded?.made ?? open();
    this.#order = new ItemOrder((item) => this.#judge.feed(item));
  }

  /** Judges a batch, then confirms it; the confirmation is what lets the traffic go on. */
  take({ items, exchanges, size }: Extract<ToJudge, { kind: 'items' }>): void {
    for (const item of items) {
      if (item.kind === 'note') {
        this.#order.note(item.note);
        continue;
      }
      this.#exchange(item.lines);
      this.#bound?.keep();
    }
    send({ kind: 'judged', exchanges, size, progress: this.#judge.standing });
  }

  /** A body is gone where a secret in it became known since: then all is judged again from the finished cassette. */
  #exchange(lines: readonly JournalEvent[]): void {
    const exchange = readable(lines);
    const end = lines.at(-1);
    if (exchange !== null) this.#order.exchange(exchange);
    else if (end?.e === 'end') this.#order.unreadable(end.ended);
  }

  finish(): void {
    this.#order.end();
    const { lost } = this.#order;
    send({ kind: 'finished', judged: this.#judge.finish(), forgotten: this.#bound?.forgotten ?? 0, lost });
  }
}

/** The exchange of these lines; null where a body of it cannot be read any more. */
function readable(lines: readonly JournalEvent[]): Exchange | null {
  try {
    return assembleExchange(lines, blobs);
  } catch (error) {
    if (error instanceof CassetteError) return null;
    throw error;
  }
}

/** A judge that prints each new violation, where printing was asked for. */
function openJudge(header: TraceHeader): TraceJudge {
  const { violations, claims } = options;
  const page = violations && { width: violations.width, paint: coloursFor(violations.colours) };
  const printer = page && new ViolationPrinter(page, (text) => send({ kind: 'violation', text }));
  return new TraceJudge({
    catalogue: suites,
    header: withDialect(header, dialect),
    dialect,
    claims,
    onViolation: (...violation) => printer?.print(...violation),
  });
}

/** Compiles what judging needs, step by step between messages, for as long as there is nothing better to do. */
async function prepare(): Promise<void> {
  for (const set of suites.requirementSets) {
    for (const _ of set.prepare?.() ?? []) {
      if (isOver) return;
      await setImmediate();
    }
  }
}

let trace: LiveTrace | null = null;
let isOver = false;

parentPort?.on('message', (message: ToJudge) => {
  if (message.kind === 'begin') trace = new LiveTrace(message.header);
  else if (message.kind === 'items') trace?.take(message);
  else {
    isOver = true;
    trace?.finish();
  }
});
// Within a bound of memory only what the traffic needs is compiled.
if (options.memory === null) await prepare();

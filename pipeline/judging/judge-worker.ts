// Judges traces one after another in a worker thread, so that the traffic is not delayed.
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { recordedBlobs } from '../../exchange/cassette/blobs.ts';
import { assembleExchange } from '../../exchange/cassette/exchange-lines.ts';
import { CassetteError } from '../../exchange/cassette/folder.ts';
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { catalogue } from '../../suites/index.ts';
import { type ExchangeMeasure, FindingObserver, measure } from '../observation/observed-traffic.ts';
import { loadDialect, withDialect } from '../setup/dialects.ts';
import { putIntoEffect } from '../setup/extensions-in-effect.ts';
import { ItemOrder } from './item-order.ts';
import { type FromJudge, type JudgeThreadOptions, type ToJudge, ViolationFilter } from './judge-messages.ts';
import { MemoryBound } from './memory-bound.ts';
import { TrafficJudge } from './traffic-judge.ts';

const serverSide = await catalogue();

function send(message: FromJudge): void {
  parentPort?.postMessage(message);
}

interface Opening {
  readonly options: JudgeThreadOptions;
  readonly suites: Catalogue;
  readonly dialect: Dialect | null;
}

class LiveTrace {
  readonly #judge: TrafficJudge;
  readonly #bound: MemoryBound | null;
  readonly #order: ItemOrder;
  readonly #blobs: ReturnType<typeof recordedBlobs>;
  readonly #opening: Opening;
  #measures: ExchangeMeasure[] = [];

  constructor(header: TraceHeader, opening: Opening) {
    const { memory, cassette } = opening.options;
    this.#opening = opening;
    this.#blobs = recordedBlobs(cassette);
    const open = () => openTrafficJudge(header, opening);
    const bounded = memory === null ? null : MemoryBound.around(memory, open);
    this.#bound = bounded?.bound ?? null;
    this.#judge = bounded?.made ?? open();
    this.#order = new ItemOrder((item) => this.#judge.feed(item));
  }

  /** Judges a batch, then confirms it, which lets the traffic continue. */
  take({ items, exchanges, size }: Extract<ToJudge, { kind: 'items' }>): void {
    for (const item of items) {
      if (item.kind === 'note') {
        this.#order.note(item.note);
        continue;
      }
      this.#exchange(item.lines);
      this.#bound?.keep();
    }
    const [measures, forgotten] = [this.#measures, this.#bound?.forgotten ?? 0];
    this.#measures = [];
    send({ kind: 'judged', exchanges, size, progress: this.#judge.standing, measures, forgotten });
  }

  #exchange(lines: readonly JournalEvent[]): void {
    const exchange = readable(lines, this.#blobs);
    const end = lines.at(-1);
    const { options, dialect } = this.#opening;
    if (exchange !== null && options.observed) this.#measures.push(measure(exchange, dialect));
    if (exchange !== null) this.#order.exchange(exchange);
    else if (end?.e === 'end') this.#order.unreadable(end.ended);
  }

  finish(): void {
    this.#order.end();
    const { lost } = this.#order;
    send({ kind: 'finished', judged: this.#judge.finish(), forgotten: this.#bound?.forgotten ?? 0, lost });
    this.#bound?.end();
  }
}

function readable(lines: readonly JournalEvent[], blobs: ReturnType<typeof recordedBlobs>): Exchange | null {
  try {
    return assembleExchange(lines, blobs);
  } catch (error) {
    if (error instanceof CassetteError) return null;
    throw error;
  }
}

function openTrafficJudge(header: TraceHeader, { options, suites, dialect }: Opening): TrafficJudge {
  const { violations, finds } = options;
  const filter = violations && new ViolationFilter(violations);
  const observer = options.observed ? new FindingObserver(dialect) : null;
  return new TrafficJudge({
    catalogue: suites,
    header: withDialect(header, dialect),
    dialect,
    finds,
    onViolation: (...found) => {
      const violation = filter?.first(...found) ?? null;
      if (violation !== null) send({ kind: 'violation', violation });
      if (observer !== null) send({ kind: 'finding', finding: observer.finding(...found) });
    },
  });
}

function* steps(): Generator<unknown> {
  for (const set of serverSide.requirementSets) yield* set.prepare?.() ?? [];
}

const rest = steps();
let opening: Opening | null = null;
let trace: LiveTrace | null = null;

async function prepare(): Promise<void> {
  while (opening !== null && rest.next().done !== true) await setImmediate();
}

async function open(options: JudgeThreadOptions): Promise<void> {
  const isPreparing = opening !== null;
  await putIntoEffect(options.extension);
  const dialect = options.dialect === null ? null : await loadDialect(options.dialect);
  opening = { options, suites: await catalogue(options.side), dialect };
  // With a memory limit, only schemas that the traffic needs are compiled.
  if (options.memory === null && !isPreparing) void prepare();
}

async function handleMessage(message: ToJudge): Promise<void> {
  if (message.kind === 'open') await open(message.options);
  else if (message.kind === 'items') trace?.take(message);
  else if (message.kind === 'end') {
    opening = null;
    trace?.finish();
    trace = null;
  } else if (opening !== null) trace = new LiveTrace(message.header, opening);
}

/** Messages are handled one at a time, because a dialect may have to be loaded first. An error ends the thread. */
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: ToJudge) => {
  last = last.then(() => handleMessage(message));
});

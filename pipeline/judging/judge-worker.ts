import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { type BlobStore, openRecordedBlobs } from '../../exchange/cassette/blobs.ts';
import { CassetteError } from '../../exchange/cassette/cassette-error.ts';
import { assembleExchange } from '../../exchange/cassette/exchange-lines.ts';
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { registerLruMaps } from '../../judge/trace/lru-map.ts';
import { catalogue } from '../../suites/index.ts';
import { type ExchangeMeasure, measureExchange } from '../observation/exchange-measure.ts';
import { FindingObserver } from '../observation/observed-finding.ts';
import { loadDialect, withDialect } from '../setup/dialects.ts';
import { activateExtensions } from '../setup/extensions-in-effect.ts';
import { ItemOrder } from './item-order.ts';
import type { JudgeReply, JudgeRequest, JudgeThreadOptions } from './judge-messages.ts';
import { TrafficJudge } from './traffic-judge.ts';
import { ViolationFilter } from './violation-messages.ts';

interface Opening {
  readonly options: JudgeThreadOptions;
  readonly suites: Catalogue;
  readonly dialect: Dialect | null;
}

interface LiveTrace {
  judge(batch: Extract<JudgeRequest, { kind: 'items' }>): void;
  finish(): void;
}

/** Share of the limit that may be in use after a collection. Beyond it, states are dropped to keep collections rare. */
const MAX_FILLED_SHARE = 0.6;

const serverCatalogue = await catalogue();
const preparation = preparationSteps();
let currentOpening: Opening | null = null;
let currentTrace: LiveTrace | null = null;
let isPreparing = false;

function send(message: JudgeReply): void {
  parentPort?.postMessage(message);
}

function openTrace(header: TraceHeader, opening: Opening): LiveTrace {
  const { options, dialect } = opening;
  const blobs = openRecordedBlobs(options.cassette);
  const memory = openWithinMemory(options.memory, () => openLiveJudge(header, opening));
  const { judge } = memory;
  const order = new ItemOrder((item) => judge.feed(item));
  return {
    judge: ({ items, exchanges, size }) => {
      const measures: ExchangeMeasure[] = [];
      for (const item of items) {
        if (item.kind === 'note') {
          order.addNote(item.note);
          continue;
        }
        const exchange = assembleReadable(item.lines, blobs);
        const end = item.lines.at(-1);
        if (exchange !== null && options.isObserved) measures.push(measureExchange(exchange, dialect));
        if (exchange !== null) order.addExchange(exchange.ended, exchange);
        else if (end?.e === 'end') order.addExchange(end.ended, null);
        memory.enforceLimit();
      }
      const forgotten = memory.forgotten();
      send({ kind: 'judged', exchanges, size, progress: judge.progress, measures, forgotten });
    },
    finish: () => {
      order.end();
      const judged = judge.finish();
      send({ kind: 'finished', judged, forgotten: memory.forgotten(), lost: order.lostCount });
      memory.end();
    },
  };
}

function assembleReadable(lines: readonly JournalEvent[], blobs: Pick<BlobStore, 'read'>): Exchange | null {
  try {
    return assembleExchange(lines, blobs);
  } catch (error) {
    if (error instanceof CassetteError) return null;
    throw error;
  }
}

function openLiveJudge(header: TraceHeader, { options, suites, dialect }: Opening): TrafficJudge {
  const { violations, finds } = options;
  const filter = violations && new ViolationFilter(violations);
  const observer = options.isObserved ? new FindingObserver(dialect) : null;
  return new TrafficJudge({
    catalogue: suites,
    header: withDialect(header, dialect),
    dialect,
    finds,
    onViolation: (...found) => {
      const violation = filter?.select(...found) ?? null;
      if (violation !== null) send({ kind: 'violation', violation });
      if (observer !== null) send({ kind: 'finding', finding: observer.describe(...found) });
    },
  });
}

/**
 * Opens a judge whose memory stays within `limit` bytes (null for no limit): `enforceLimit` drops its least recently
 * used states between exchanges, so a single exchange may exceed the limit. `end` lets the thread judge another trace.
 */
function openWithinMemory(limit: number | null, open: () => TrafficJudge) {
  if (limit === null) return { judge: open(), forgotten: () => 0, enforceLimit: () => {}, end: () => {} };
  // The flag is set at run time, because passing it on the command line would require restarting Node.
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void; // as: the flag exposes it
  const states = registerLruMaps();
  const judge = open();
  collectGarbage();
  const idle = heldBytes();
  let forgotten = 0;
  const enforceLimit = (): void => {
    if (heldBytes() < idle + limit) return;
    // Much of the measured memory may be garbage.
    collectGarbage();
    if (heldBytes() < idle + limit * MAX_FILLED_SHARE) return;
    forgotten += states.halve();
    collectGarbage();
  };
  return { judge, forgotten: () => forgotten, enforceLimit, end: () => states.end() };
}

function heldBytes(): number {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
  return heap + outside;
}

function* preparationSteps(): Generator<unknown> {
  for (const set of serverCatalogue.requirementSets) yield* set.prepare?.() ?? [];
}

/** Prepares evaluators until the trace ends. With a memory limit, only schemas that the traffic needs are compiled. */
async function prepare(): Promise<void> {
  if (isPreparing) return;
  isPreparing = true;
  try {
    while (currentOpening?.options.memory === null && preparation.next().done !== true) await setImmediate();
  } finally {
    isPreparing = false;
  }
}

async function open(options: JudgeThreadOptions): Promise<void> {
  await activateExtensions(options.extension);
  const dialect = options.dialect === null ? null : await loadDialect(options.dialect);
  currentOpening = { options, suites: await catalogue(options.side), dialect };
  void prepare();
}

async function handleMessage(message: JudgeRequest): Promise<void> {
  if (message.kind === 'open') await open(message.options);
  else if (message.kind === 'items') currentTrace?.judge(message);
  else if (message.kind === 'end') {
    currentOpening = null;
    currentTrace?.finish();
    currentTrace = null;
  } else if (currentOpening !== null) currentTrace = openTrace(message.header, currentOpening);
}

/** Messages are handled one at a time, because a dialect may have to be loaded first. An error ends the thread. */
let lastMessage: Promise<void> = Promise.resolve();
parentPort?.on('message', (message: JudgeRequest) => {
  lastMessage = lastMessage.then(() => handleMessage(message));
});

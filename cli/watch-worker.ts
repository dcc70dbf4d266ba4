// Judges in a thread of its own, so that the traffic does not wait for it.
import { parentPort, workerData } from 'node:worker_threads';
import { Blobs } from '../exchange/cassette/blobs.ts';
import { CassetteError } from '../exchange/cassette/error.ts';
import type { JournalEvent } from '../exchange/cassette/format.ts';
import { recordingDir } from '../exchange/cassette/places.ts';
import { mindMemory } from '../judge/keyed.ts';
import { paint } from '../reports/paint.ts';
import { catalogue } from '../suites/index.ts';
import { dialectOf, under } from './dialect.ts';
import { collector, held } from './memory.ts';
import { Watcher } from './watcher.ts';
import type { FromWatcher, ToWatcher, WatchErrand } from './watching.ts';

const errand = workerData as WatchErrand; // as: the only one who starts this thread is watching.ts
const { header, dialect: name, cassette, width, colours } = errand;

/** Of what is held after all waste is gone: beyond it, something has to be given up, so that this is not asked for each exchange. */
const FILLED = 0.6;

function say(message: FromWatcher): void {
  parentPort?.postMessage(message);
}

/** Of the traffic so much is held at most, in bytes; checked between exchanges, so one may go beyond. */
const { most } = errand;
/** What was held before there was any. */
let idle = 0;
const collect = collector();
const halve = mindMemory();
let forgotten = 0;

/** What was measured to be too much may be waste; what is left of it after that is not. */
function keepWithin(): void {
  if (held() < idle + most) return;
  collect();
  if (held() < idle + most * FILLED) return;
  forgotten += halve();
  collect();
}

const dialect = name === null ? null : await dialectOf(name);
const watcher = new Watcher({
  catalogue: await catalogue(),
  header: under(header, dialect),
  dialect,
  // The cassette takes its place only when all is judged.
  blobs: new Blobs(recordingDir(cassette)),
  width,
  paint: paint(colours),
  tell: (text) => say({ kind: 'violation', text }),
});
/** A body is gone where a secret in it has become known: then all is judged again, when the cassette is finished. */
function judge(lines: readonly JournalEvent[]): void {
  try {
    watcher.feed(lines);
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
  }
}

collect();
idle = held();
parentPort?.on('message', (message: ToWatcher) => {
  if (message.kind === 'exchanges') {
    const { exchanges, size } = message;
    for (const lines of exchanges) {
      judge(lines);
      keepWithin();
    }
    say({ kind: 'judged', count: exchanges.length, size, standing: watcher.standing });
  } else say({ kind: 'finished', ...watcher.finish(), forgotten });
});

// Judges in a thread of its own, so that the traffic does not wait for it.
import { parentPort, workerData } from 'node:worker_threads';
import { Blobs } from '../exchange/cassette/blobs.ts';
import { recordingDir } from '../exchange/cassette/finish.ts';
import { paint } from '../reports/paint.ts';
import { catalogue } from '../suites/index.ts';
import { dialectOf, under } from './dialect.ts';
import { Watcher } from './watcher.ts';
import type { FromWatcher, ToWatcher, WatchErrand } from './watching.ts';

const { header, dialect: name, cassette, width, colours } = workerData as WatchErrand; // as: the only one who starts this thread is watching.ts

function say(message: FromWatcher): void {
  parentPort?.postMessage(message);
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
parentPort?.on('message', (message: ToWatcher) => {
  if (message.kind === 'exchanges') {
    for (const lines of message.exchanges) watcher.feed(lines);
    say({ kind: 'judged', count: message.exchanges.length, standing: watcher.standing });
  } else say({ kind: 'finished', ...watcher.finish() });
});

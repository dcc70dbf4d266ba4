import { baseUrl } from '../drive/base-url.ts';
import type { Settings } from '../drive/configuration.ts';
import { unreachable } from '../drive/first-look.ts';
import { recordingHeader } from '../proxy/header.ts';
import { record } from '../proxy/record.ts';
import { diskWarning, quarantineWords } from '../proxy/recorder-words.ts';
import { quote } from '../reports/again.ts';
import { plural } from '../reports/report.ts';
import { openRecorded } from './cassettes.ts';
import { dialectOf, under } from './dialect.ts';
import { conclude, judgeRecorded } from './judging.ts';
import type { KnownFailures } from './known-failures.ts';
import { LOG_WIDTH, publish, takeAway } from './publish.ts';
import { type Listening, NOTHING_CAME } from './serving.ts';
import type { Standing } from './watcher.ts';
import { Watching } from './watching.ts';

/** A line on how it stands after each so many exchanges, where it cannot be drawn in place. */
const EVERY = 1_000;

export interface LiveOptions {
  readonly settings: Settings;
  readonly baseUrl: string;
  readonly port: number;
  /** Seconds; 0 for never. */
  readonly timeout: number;
  readonly key: string | null;
  readonly known: KnownFailures;
  readonly cassette: string;
  /** Bytes that are kept on the disk, and that the judge may hold in memory. */
  readonly most: { readonly disk: number; readonly memory: number };
  /** Where violations are printed. */
  readonly stream: NodeJS.WriteStream;
}

export interface Live extends Listening {
  /** Stops, writes the report, and answers with the exit code of the verdict. */
  close(): Promise<number>;
  /** Stops where nothing has begun: there is nothing to report. */
  abandon(): Promise<void>;
}

/** Opens a proxy that judges what passes. Rejects as `record` does. */
export async function openWatch(options: LiveOptions): Promise<Live> {
  const { settings, cassette, key, stream } = options;
  const { claim } = settings;
  const upstream = baseUrl(options.baseUrl).href;
  const dialect = settings.dialect === null ? null : await dialectOf(settings.dialect);
  takeAway(settings.reportDir);
  const stored = under(recordingHeader(upstream, key !== null), dialect);
  const claims: Parameters<typeof under>[0]['claims'] =
    typeof claim === 'string' ? { families: [], how: 'auto' } : { families: claim, how: 'given' };
  const began = performance.now();
  const display = new StandingDisplay(stream);
  const watching = new Watching(
    {
      header: { ...stored, claims },
      dialect: settings.dialect,
      cassette,
      most: options.most.memory,
      width: stream.columns ?? LOG_WIDTH,
      colours: settings.color && stream.isTTY === true ? 'on' : 'off',
    },
    { onViolation: (text) => display.above(text), onStanding: (standing) => display.show(standing) },
  );
  const { dialect: spoken, betaHeader } = stored;
  let learnedLate = false;
  const recorder = await record({
    baseUrl: upstream,
    cassette,
    port: options.port,
    key,
    timeout: options.timeout,
    header: { dialect: spoken, betaHeader },
    most: options.most.disk,
    onFailure: ({ message }) => display.warn(diskWarning(message, 'refuse')),
    onLines: (lines) => watching.hear(lines),
    onSettled: (late) => {
      learnedLate = late;
      return watching.finish();
    },
  }).catch(async (error: unknown) => {
    await watching.stop();
    throw error;
  });
  return {
    url: recorder.url,
    abandon: async () => {
      await recorder.close().finally(() => watching.stop());
      display.clear();
    },
    close: async () => {
      const {
        recorded: kept,
        unrecorded,
        unreachable: silence,
        quarantined,
      } = await recorder.close().catch(async (error: unknown) => {
        await watching.stop();
        throw error;
      });
      const { judgement, header, forgotten } = await watching.finish();
      display.clear();
      process.stderr.write(limits(kept, unrecorded, forgotten, learnedLate));
      if (kept + unrecorded === 0) process.stderr.write(`${NOTHING_CAME}\n`);
      if (silence !== null) process.stderr.write(`${unreachable(upstream, silence)}\n`);
      const recorded = await openRecorded([cassette]);
      try {
        const about = {
          settings,
          known: options.known,
          began,
          cassette: { shown: quote(cassette), relative: 'cassette' },
        };
        // What was judged as it passed may hold a secret that nobody knew then; in the cassette it is replaced.
        const judged =
          learnedLate || quarantined !== null
            ? await judgeRecorded(recorded, { ...about, claims: header.claims, dialect })
            : await conclude(judgement, recorded, header, about);
        publish(judged, settings);
        const { exitCode } = judged.report.summary;
        if (quarantined === null) return exitCode;
        process.stderr.write(`${quarantineWords(quarantined)}\n`);
        return exitCode || 1;
      } finally {
        recorded.close();
      }
    },
  };
}

/** What the bounds of disk and memory cost. */
function limits(kept: number, passed: number, forgotten: number, learnedLate: boolean): string {
  const judged = learnedLate
    ? 'and as a secret became known late, only what is kept is judged'
    : 'and judged';
  const words = [
    ...(passed === 0
      ? []
      : [
          `the first ${plural(kept, 'exchange')} are kept, ${passed} more passed beyond --max-disk, ${judged}`,
        ]),
    ...(forgotten === 0
      ? []
      : [
          `${plural(forgotten, 'state')} forgotten for --max-memory: evidence that spans long times may be lost`,
        ]),
  ];
  return words.map((line) => `${line}\n`).join('');
}

/** How it stands, drawn in place on a terminal, as a line now and then in a log; violations stand above it. */
class StandingDisplay {
  readonly #stream: NodeJS.WriteStream;
  #line = '';
  #thousands = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show({ exchanges, broken, warned }: Standing): void {
    const line = `${plural(exchanges, 'exchange')} judged, ${plural(broken, 'MUST')} and ${plural(warned, 'SHOULD')} broken`;
    if (this.#stream.isTTY) {
      this.#line = line;
      this.#draw();
    } else if (Math.floor(exchanges / EVERY) > this.#thousands) {
      this.#thousands = Math.floor(exchanges / EVERY);
      this.#stream.write(`${line}\n`);
    }
  }

  above(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** A warning stands on the terminal at once, whatever stdout is. */
  warn(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
    this.#draw();
  }

  clear(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write('\r\u001b[2K');
  }

  #draw(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write(`\r\u001b[2K${this.#line}`);
  }
}

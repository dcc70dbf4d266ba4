// The output of a proxy as JSON lines, for systems that collect logs.

import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import type { ReportListener } from '../../pipeline/live-run.ts';
import type { ObservedFinding } from '../../pipeline/metrics/exchange-measure.ts';
import type { TrafficDisplay } from './traffic-display.ts';

/** Level of a line, as collectors of logs name them. */
type LogLevel = 'info' | 'warn' | 'error';

/** Writes a JSON object per line: the time, a level, an event and its facts. */
export class JsonLog implements TrafficDisplay {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  /** The proxy accepts connections. */
  listening(url: string, metrics: string | null): void {
    this.#line('info', 'listening', { url, ...(metrics !== null && { metrics }) });
  }

  /** Findings are logged as data. */
  violation(): void {}

  /** A violation, when its requirement is broken at this place for the first time: further ones are counted by metrics. */
  finding({ isFirst, level: requires, ...facts }: ObservedFinding): void {
    if (isFirst) this.#line(requires === 'MUST' ? 'error' : 'warn', 'finding', { requires, ...facts });
  }

  /** Progress is a matter of metrics. */
  standing(_: JudgingProgress): void {}

  warning(text: string): void {
    this.#line('warn', 'warning', { message: text });
  }

  /** A line on each loss of the watch. */
  notices(text: string): void {
    for (const message of text.split('\n')) if (message !== '') this.#line('warn', 'notice', { message });
  }

  clear(): void {}

  /** The verdict at the end. */
  readonly report: ReportListener = ({ report: { summary } }, written) => {
    const { verdict, exitCode, reasons, requirements } = summary;
    const files = written.map(({ path }) => path);
    this.#line(exitCode === 0 ? 'info' : 'error', 'report', {
      verdict,
      exitCode,
      reasons,
      requirements,
      files,
    });
  };

  #line(level: LogLevel, event: string, facts: object): void {
    this.#stream.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`);
  }
}

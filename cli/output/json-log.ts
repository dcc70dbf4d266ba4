import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import type { ReportListener } from '../../pipeline/live-run.ts';
import type { ObservedFinding } from '../../pipeline/observation/observed-traffic.ts';
import type { TrafficDisplay } from './traffic-display.ts';

type LogLevel = 'info' | 'warn' | 'error';

/** Writes one JSON object per line for log collectors: time, level, event and its facts. */
export class JsonLog implements TrafficDisplay {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  listening(url: string, metrics: string | null): void {
    this.#line('info', 'listening', { url, ...(metrics !== null && { metrics }) });
  }

  /** Findings are logged as data. */
  violation(): void {}

  /** Logs the first violation at each place; metrics count the others. */
  finding({ isFirst, level: requires, ...facts }: ObservedFinding): void {
    if (isFirst) this.#line(requires === 'MUST' ? 'error' : 'warn', 'finding', { requires, ...facts });
  }

  standing(_: JudgingProgress): void {}

  warning(text: string): void {
    this.#line('warn', 'warning', { message: text });
  }

  notices(text: string): void {
    for (const message of text.split('\n')) if (message !== '') this.#line('warn', 'notice', { message });
  }

  clear(): void {}

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

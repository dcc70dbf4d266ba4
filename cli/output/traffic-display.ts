import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import type { ObservedFinding } from '../../pipeline/observation/observed-traffic.ts';
import type { ReportListener } from '../../pipeline/report/write-reports.ts';
import { plural } from '../../reports/report.ts';
import { printReport } from './print-report.ts';

export interface TrafficDisplay {
  listening(url: string, metrics: string | null): void;
  /** Called once per requirement and place. */
  violation(text: string): void;
  /** Called for every violation; absent if not needed as data. */
  finding?(finding: ObservedFinding): void;
  standing(progress: JudgingProgress): void;
  warning(text: string): void;
  notices(text: string): void;
  clear(): void;
  readonly report: ReportListener;
}

/** Exchanges between two lines of a log. */
const EVERY = 1_000;

/** Progress of judging, below violations: redrawn on a terminal, a line per thousand exchanges in a log. */
export class StandingDisplay implements TrafficDisplay {
  readonly report = printReport;
  readonly #stream: NodeJS.WriteStream;
  #line = '';
  #thousands = 0;

  /** `stream`: the one that the command after `--` does not use. */
  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** The URL is a line for programs; the next one is for people. */
  listening(url: string, metrics: string | null): void {
    this.#stream.write(`${url}\n`);
    if (metrics !== null) process.stderr.write(`metrics: ${metrics}/metrics\n`);
    if (this.#stream === process.stdout) process.stderr.write(waitingLine(url));
  }

  standing({ exchanges, broken, warned }: JudgingProgress): void {
    const line = `${plural(exchanges, 'exchange')} judged, ${plural(broken, 'MUST')} and ${plural(warned, 'SHOULD')} broken`;
    if (this.#stream.isTTY) {
      this.#line = line;
      this.#draw();
    } else if (Math.floor(exchanges / EVERY) > this.#thousands) {
      this.#thousands = Math.floor(exchanges / EVERY);
      this.#stream.write(`${line}\n`);
    }
  }

  violation(text: string): void {
    this.clear();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  warning(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
    this.#draw();
  }

  notices(text: string): void {
    process.stderr.write(text);
  }

  clear(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write('\r\u001b[2K');
  }

  /** `\u001b[2K` clears the line: the new text may be shorter. */
  #draw(): void {
    if (this.#stream.isTTY && this.#line !== '') this.#stream.write(`\r\u001b[2K${this.#line}`);
  }
}

function waitingLine(url: string): string {
  return `Waiting for a client: give it this base URL, as in OPENAI_BASE_URL=${url} node client.mjs. Ctrl-C ends, and writes the report.\n`;
}

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

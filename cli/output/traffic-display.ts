import type { JudgingProgress } from '../../pipeline/judging/traffic-judge.ts';
import type { ObservedFinding } from '../../pipeline/observation/observed-finding.ts';
import type { ReportListener } from '../../pipeline/report/write-reports.ts';
import { plural } from '../../schemas/message-text.ts';
import { printReport } from './print-report.ts';

export interface TrafficDisplay {
  announce(url: string, metrics: string | null): void;
  /** Called with the text to print, once for each requirement and place, at most 1000 times. */
  showViolation(text: string): void;
  /** Called for every violation, with its data; absent if the display shows only texts. */
  showFinding?(finding: ObservedFinding): void;
  showProgress(progress: JudgingProgress): void;
  warn(text: string): void;
  showNotices(text: string): void;
  clear(): void;
  readonly report: ReportListener;
}

const EXCHANGES_PER_LINE = 1_000;

export function createStreamDisplay(stream: NodeJS.WriteStream): TrafficDisplay {
  let line = '';
  let thousands = 0;
  const redraw = (text: string) => {
    if (stream.isTTY && line !== '') stream.write(`\r\u001b[2K${text}`);
  };
  const writeAbove = (out: NodeJS.WriteStream, text: string) => {
    redraw('');
    out.write(`${text}\n`);
    redraw(line);
  };
  return {
    // The URL has its own line for programs; people get their instructions on stderr.
    announce: (url, metrics) => {
      stream.write(`${url}\n`);
      if (metrics !== null) process.stderr.write(`metrics: ${metrics}/metrics\n`);
      if (stream === process.stdout) process.stderr.write(waitingLine(url));
    },
    showProgress: ({ exchanges, broken, warned }) => {
      const status = `${plural(exchanges, 'exchange')} judged, ${plural(broken, 'MUST')} and ${plural(warned, 'SHOULD')} broken`;
      if (stream.isTTY) {
        line = status;
        redraw(line);
      } else if (Math.floor(exchanges / EXCHANGES_PER_LINE) > thousands) {
        thousands = Math.floor(exchanges / EXCHANGES_PER_LINE);
        stream.write(`${status}\n`);
      }
    },
    showViolation: (text) => writeAbove(stream, text),
    warn: (text) => writeAbove(process.stderr, text),
    showNotices: (text) => process.stderr.write(text),
    clear: () => {
      redraw('');
      line = '';
    },
    report: printReport,
  };
}

function waitingLine(url: string): string {
  return `Waiting for a client: give it this base URL, as in OPENAI_BASE_URL=${url} node client.mjs. Ctrl-C stops and writes the report.\n`;
}

/** Writes one JSON object per line for log collectors: time, level, event and its facts. */
export function createJsonLog(stream: NodeJS.WritableStream): TrafficDisplay {
  const log = (level: 'info' | 'warn' | 'error', event: string, facts: object) =>
    stream.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...facts })}\n`);
  return {
    announce: (url, metrics) => log('info', 'listening', { url, ...(metrics !== null && { metrics }) }),
    showViolation: () => {},
    showFinding: ({ isFirst, level: requires, ...facts }) => {
      if (isFirst) log(requires === 'MUST' ? 'error' : 'warn', 'finding', { requires, ...facts });
    },
    showProgress: () => {},
    warn: (message) => log('warn', 'warning', { message }),
    showNotices: (text) => {
      for (const message of text.split('\n')) if (message !== '') log('warn', 'notice', { message });
    },
    clear: () => {},
    report: ({ report: { summary } }, written) => {
      const { verdict, exitCode, reasons, requirements } = summary;
      const files = written.map(({ path }) => path);
      const facts = { verdict, exitCode, reasons, requirements, files };
      log(exitCode === 0 ? 'info' : 'error', 'report', facts);
    },
  };
}
